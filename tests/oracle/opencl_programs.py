"""opencl_programs.py - random programs for oracle_opencl, right by construction.

A plan is a list of actions, each with a seed of its own; writing a program goes through it, chooses what an action
is about from what is there, orders what conflicts, and keeps the effects for the model. A plan with actions taken
away gives a program that is right as well, which is how failures shrink.
"""

import random

import kernels
from order import Order, chance_of, pick

# How often actions are chosen. A feature that is 0 never occurs.
ACTIONS = {
    "run": 30,
    "write": 8,
    "read": 10,
    "show": 4,
    "copy": 6,
    "fill": 6,
    "rectangle": 3,
    "map": 8,
    "unmap": 8,
    "image": 5,
    "shared": 6,
    "poke_host": 2,
    "native": 0.3,
    "user_event": 2,
    "complete_one": 2,
    "marker": 2,
    "barrier": 2,
    "wait": 4,
    "finish": 2,
    "flush": 2,
    "commands": 2,
    "enqueue": 4,
    "wrong": 3,
    "release_event": 4,
    "release_memory": 3,
    "new_memory": 4,
    "part": 3,
}
WAYS = {"list": 0.6, "waitfor": 3, "finish": 1, "poll": 1, "polltimes": 0.7, "callback": 1, "sleep": 0.1}
TRAITS = {  # chances of a program
    "several_queues": 0.7,
    "out_of_order": 0.35,
    "profiling": 0.4,
    "threads": 0.4,
    "two_contexts": 0.1,
    "use_host": 0.2,
    "images": 0.5,
    "shared": 0.4,
    "shared_fine": 0.3,
    "options": 0.5,
    "choose": 1,
    "casts": 1,
    "leaves_working": 0.15,
    "leaks": 0.2,
    "quick": 0.03,
}


class Thing:
    def __init__(self, kind, number, thread, **more):
        self.kind, self.id, self.thread, self.alive = kind, number, thread, True
        self.__dict__.update(more)


class Plan:
    """What is to be tried, before anything is written."""

    def __init__(self, seed, without=(), much=()):
        chance = chance_of("plan", seed)
        self.seed = seed
        self.choose_features(chance, TRAITS, WAYS, without, much)
        self.threads = chance.choice((2, 2, 3)) if self.traits["threads"] else 1
        self.queues = chance.choice((2, 2, 3)) if self.traits["several_queues"] else 1
        weights = self.weights(chance, ACTIONS, without, much)
        count = chance.choice((8, 15, 30, 60))
        self.memories = chance.choice((2, 3, 4, 6))
        self.actions = [("new_memory", 0, f"{seed}.m{i}") for i in range(self.memories)]
        self.actions += [
            (chance.choices(list(weights), list(weights.values()))[0], chance.randrange(self.threads), f"{seed}.{i}")
            for i in range(count)
        ]

    def choose_features(self, chance, traits, ways, without, much):
        """What is in `without` never occurs, what is in `much` always or often."""
        self.traits = {
            name: (chance.random() < often or name in much) and name not in without for name, often in traits.items()
        }
        self.ways = {name: 10 if name in much else often for name, often in ways.items() if name not in without}
        if set(much) & set(ways):
            self.ways["list"] = 0.2

    @staticmethod
    def weights(chance, actions, without, much):
        """Programs differ in what they do much of."""
        return {
            name: often * chance.choice((0.2, 1, 1, 3)) * (5 if name in much else 1)
            for name, often in actions.items()
            if name not in without
        }

    def with_actions(self, actions, threads=None):
        other = object.__new__(Plan)
        other.__dict__.update(self.__dict__)
        other.actions = list(actions)
        if threads:
            other.threads = threads
            other.actions = [(kind, thread % threads, seed) for kind, thread, seed in actions]
        return other


class Written(Order):
    """A plan written as steps; `effects` are what the model runs."""

    part_words = 32  # where parts of buffers may begin

    def __init__(self, plan, captures=None):
        super().__init__(plan.threads)
        self.plan, self.effects = plan, []
        self.things = []
        self.kernels_run = []  # (which, name) of dispatches
        self.causes = set()  # why a replay may end with something else than equal, by construction
        self.captures = dict(captures or {})  # place in the actions: "start" or "stop", and its thread
        self.live_maps = []
        self.shows = []  # reads that nobody looked at yet
        self.begin()
        for place, (kind, thread, seed) in enumerate(plan.actions):
            self.chance, self.seed = chance_of(seed), seed
            if place in self.captures:
                word, where = self.captures[place]
                where %= plan.threads
                if word == "stop" and hasattr(self, "starter"):
                    self.hand_over(self.starter, where)  # it has begun, and nothing else is said of when
                self.step(where, f"capture {word}")
                self.starter = where
            getattr(self, kind)(thread)
        self.end()

    # --- things

    def thing(self, kind, thread, **more):
        thing = Thing(kind, len(self.things), thread, **more)
        self.things.append(thing)
        self.made(thread, thing.id)
        return thing

    def alive(self, *kinds, context=None):
        return [
            t for t in self.things if t.alive and t.kind in kinds and (context is None or t.context is context)
        ]

    def choose(self, label, things):
        return pick(self.seed, label, things)

    def begin(self):
        chance = chance_of("begin", self.plan.seed)
        traits = self.plan.traits
        contexts = 2 if traits["two_contexts"] else 1
        for i in range(contexts):
            context = self.thing("context", 0, slot=i)
            self.step(0, f"context {i}")
            which = chance.randrange(kernels.SETS)
            variant = chance.choice((1, 2)) if traits["options"] else 2
            options = f" -DVARIANT={variant}" if traits["options"] else ""
            if chance.random() < 0.3:
                options += " -cl-kernel-arg-info"
            self.step(0, f"program {i} {i}{options}", kernels.source(which))
            self.thing("program", 0, slot=i, context=context, which=which, variant=variant)
        for i in range(self.plan.queues if contexts == 1 else self.plan.queues + 1):
            context = self.alive("context")[i % contexts]
            out_of_order = traits["out_of_order"] and chance.random() < 0.6
            profiling = traits["profiling"]
            words = (" ooo" if out_of_order else "") + (" profiling" if profiling else "")
            self.step(0, f"queue {i} {context.slot}{words}")
            self.thing("queue", 0, slot=i, context=context, out_of_order=out_of_order, profiling=profiling)

    def queue_for(self, context=None):
        return self.choose("queue", self.alive("queue", context=context))

    def memory_for(self, label, *kinds, context=None, usable=True):
        things = self.alive(*kinds, context=context)
        if usable:
            things = [t for t in things if not self.is_mapped(t)]
        return self.choose(label, things)

    def is_mapped(self, memory):
        return any(
            m.root == memory.root and m.first < memory.first + memory.count and memory.first < m.first + m.count
            for m in self.live_maps
        )

    @staticmethod
    def touch(memory, writes, first=0, count=None):
        at = memory.first + first
        return (memory.root, at, at + (memory.count if count is None else count), writes)

    # --- commands

    def command(self, thread, queue, words, touched, blocking=None, also=(), needs=0, barrier=False, loose=False):
        """Gives a command in order. Words hold {q}; returns its node and step."""
        self.meet(thread, queue)
        for thing in also:
            self.meet(thread, thing)
        needed = self.conflicts(touched) | needs
        before, waits = self.follow(thread, queue, needed, self.chance, self.plan.ways, loose)
        users = set()
        free = [u for u in self.pending if u.context is queue.context]
        if free and self.chance.random() < 0.3 and blocking is not True:
            user = self.choose("user", free)
            self.meet(thread, user)
            waits.append(user.slot)
            users.add(user)
        if self.chance.random() < 0.15:  # one more that nobody needs
            others = [n for n in self.nodes if n.event is not None and n.queue.context is queue.context]
            if others:
                other = self.chance.choice(others[-6:])
                self.meet_node(thread, other)
                if other.event not in waits:
                    waits.append(other.event)
                    before |= other.done
        before |= self.threads[thread].known | (0 if loose else self.by_queue(thread, queue))
        if barrier and not waits:  # everything before it in its queue
            for node in self.nodes:
                if node.queue is queue and self.threads[thread].given & node.bit:
                    before |= node.done
        if blocking:
            # A call that waits for a command that waits for somebody who comes later would wait for ever. The
            # driver's own order counts, too: what another thread gave to this queue may come first.
            every = before
            for node in self.nodes:
                if node.queue is queue:
                    every |= node.done
            self.complete(thread, self.unfinished_users(every) | (users & self.pending))
        words = words.replace("{q}", str(queue.slot))
        if waits:
            words += " wait=" + ",".join(map(str, waits))
        event = None
        if self.chance.random() < 0.75 or loose:
            event = self.slot()
            words += f" event={event}"
        if blocking is not None:
            words += f" block={int(blocking)}"
        step = self.step(thread, words)
        node = self.add(thread, queue, before, touched, users)
        node.event, node.barrier, node.loose = event, barrier, loose
        if loose:  # a driver may keep the order that nobody may count on, and hold it back
            for other in self.nodes:
                if other.queue is queue:
                    node.users |= other.users
        if blocking:
            self.learn(thread, node.done)
        return node, step

    def blocking(self):
        return self.chance.random() < 0.5

    def seed_number(self):
        return self.chance.randrange(1, 1000)

    def span(self, memory):
        """A part of it, often all."""
        if self.chance.random() < 0.5:
            return 0, memory.count
        first = self.chance.randrange(memory.count)
        return first, self.chance.randrange(1, memory.count - first + 1)

    # --- memory

    def new_memory(self, thread):
        chance, traits = self.chance, self.plan.traits
        context = self.choose("context", self.alive("context"))
        kinds = ["buffer"] * 4 + ["image"] * 2 * traits["images"] + ["shared"] * 2 * traits["shared"]
        kind = chance.choice(kinds)
        seed = self.seed_number()
        number = len(self.things)
        queue = self.queue_for(context)
        if queue is None:
            return
        if kind == "buffer":
            count = chance.choice((64, 64, 256, 1024))
            flag = chance.choice(("copy", "copy", "use" if traits["use_host"] else "copy", "", "alloc"))
            memory = self.thing(
                "buffer", thread, root=number, first=0, count=count, context=context, lent=flag == "use"
            )
            self.meet(thread, context)
            self.step(thread, f"buffer {number} {context.slot} {count} {flag} seed={seed}")
            if flag in ("copy", "use"):
                self.effects.append(("init", number, seed, count))
                self.host_access(thread, memory)
                return
            self.effects.append(("blank", number, count))
            self.give_contents(thread, queue, memory, seed)
        elif kind == "image":
            width, height = chance.choice(((8, 8), (16, 4), (5, 7), (16, 16)))
            form = chance.choice(("r32", "rgba8"))
            flag = chance.choice(("copy", ""))
            memory = self.thing(
                "image", thread, root=number, first=0, count=width * height, context=context, form=form
            )
            self.meet(thread, context)
            self.step(thread, f"image {number} {context.slot} {width} {height} {form} {flag} seed={seed}")
            self.effects.append(("init", number, seed, width * height))
            if flag != "copy":
                self.command(
                    thread, queue, f"writeimage {{q}} {number} seed={seed}", [self.touch(memory, True)], self.blocking()
                )
        else:
            count = chance.choice((64, 256))
            fine = traits["shared_fine"] and chance.random() < 0.5
            memory = self.thing("shared", thread, root=number, first=0, count=count, context=context, fine=fine)
            self.meet(thread, context)
            self.step(thread, f"shared {number} {context.slot} {count}" + (" fine" if fine else ""))
            self.effects.append(("blank", number, count))
            self.effects.append(("fill", number, 0, count, seed, 1))
            self.command(
                thread, queue, f"sharedfill {{q}} {number} 0 {count} seed={seed}", [self.touch(memory, True)]
            )

    def poke_host(self, thread):
        lent = [t for t in self.alive("buffer") if t.lent and not self.is_mapped(t)]
        memory = self.choose("lent", lent)
        if memory is None:
            return
        first, count = self.span(memory)
        seed = self.seed_number()
        self.meet(thread, memory)
        self.host_access(thread, memory)
        self.step(thread, f"pokehost {memory.id} {first} {count} seed={seed}")
        self.effects.append(("write", memory.root, first, count, seed))

    def give_contents(self, thread, queue, memory, seed):
        if self.chance.random() < 0.5:
            words = f"fill {{q}} {memory.id} 0 {memory.count} 1 seed={seed}"
            self.effects.append(("fill", memory.root, memory.first, memory.count, seed, 1))
            self.command(thread, queue, words, [self.touch(memory, True)])
        else:
            words = f"write {{q}} {memory.id} 0 {memory.count} seed={seed}"
            self.effects.append(("write", memory.root, memory.first, memory.count, seed))
            self.command(thread, queue, words, [self.touch(memory, True)], self.blocking())

    def host_access(self, thread, memory, writes=True):
        """The thread itself, not a command, touches memory; what conflicts is known to be done."""
        touched = [self.touch(memory, writes)]
        for node in self.of(self.conflicts(touched) & ~self.threads[thread].known):
            self.wait_by_host(thread, node, self.chance, self.plan.ways)
        node = self.add(thread, None, self.threads[thread].known, touched)
        self.learn(thread, node.bit)

    def part(self, thread):
        parent = self.memory_for("parent", "buffer")
        if parent is None or parent.count < 128:
            return
        parts = parent.count // self.part_words
        first = self.chance.randrange(parts) * self.part_words
        count = self.chance.randrange(1, parts - first // self.part_words + 1) * self.part_words
        number = len(self.things)
        self.thing("part", thread, root=parent.root, first=first, count=count, context=parent.context, parent=parent)
        self.meet(thread, parent)
        self.step(thread, f"part {number} {parent.id} {first} {count}")

    def release_memory(self, thread):
        memory = self.memory_for("release", "buffer", "part", "image")
        if memory is None or len(self.alive("buffer")) < 3:
            return
        for part in self.alive("part"):
            if part.root == memory.root and part.kind == "part" and part is not memory and memory.kind == "buffer":
                return
        if self.alive_commands_of(memory):
            return
        self.meet(thread, memory)
        # Every thread that used it did so before.
        for other in range(self.plan.threads):
            self.hand_over(other, thread)
        self.step(thread, f"release memory {memory.id}")
        memory.alive = False
        self.causes.add("released")

    def alive_commands_of(self, memory):
        return any(memory.root in commands.roots for commands in self.alive("commands"))

    def release_event(self, thread):
        nodes = [n for n in self.nodes if n.event is not None and self.threads[thread].given & n.bit]
        if not nodes:
            return
        node = self.chance.choice(nodes)
        if not (node.queue.alive):
            return
        for other in range(self.plan.threads):
            self.hand_over(other, thread)
        self.step(thread, f"release event {node.event}")
        node.event = None

    # --- transfers

    def write(self, thread):
        memory = self.memory_for("memory", "buffer", "part")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        first, count = self.span(memory)
        seed = self.seed_number()
        self.effects.append(("write", memory.root, memory.first + first, count, seed))
        words = f"write {{q}} {memory.id} {first} {count} seed={seed}"
        self.command(thread, queue, words, [self.touch(memory, True, first, count)], self.blocking(), [memory])

    def reading(self, thread, queue, words, touched, also, keep):
        """A read, which is shown at once where it blocks."""
        blocking = self.blocking()
        key = len(self.effects)
        self.effects.append((keep[0], key, *keep[1:]))
        node, step = self.command(thread, queue, words, touched, blocking, also)
        if blocking:
            self.effects.append(("show", step, key))
        else:
            self.shows.append((node, step, key))

    def read(self, thread):
        memory = self.memory_for("memory", "buffer", "part")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        first, count = self.span(memory)
        words = f"read {{q}} {memory.id} {first} {count}"
        touched = [self.touch(memory, False, first, count)]
        self.reading(thread, queue, words, touched, [memory], ("keep", memory.root, memory.first + first, count))

    def show(self, thread):
        if self.shows:
            node, step, key = self.shows.pop(self.chance.randrange(len(self.shows)))
            self.wait_by_host(thread, node, self.chance, self.plan.ways)
            self.effects.append(("show", self.step(thread, f"show {step}"), key))

    def rectangle(self, thread):
        memory = self.memory_for("memory", "buffer", "part")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        pitch = self.chance.choice((8, 16))
        rows_all = memory.count // pitch
        column, row = self.chance.randrange(pitch), self.chance.randrange(rows_all)
        columns, rows = self.chance.randrange(1, pitch - column + 1), self.chance.randrange(1, rows_all - row + 1)
        start = memory.first + row * pitch + column
        shape = f"{memory.id} {pitch} {column} {row} {columns} {rows}"
        first, count = row * pitch + column, (rows - 1) * pitch + columns
        if self.chance.random() < 0.5:
            keep = ("keep_rectangle", memory.root, start, pitch, columns, rows)
            touched = [self.touch(memory, False, first, count)]
            return self.reading(thread, queue, f"readrect {{q}} {shape}", touched, [memory], keep)
        seed = self.seed_number()
        self.effects.append(("write_rectangle", memory.root, start, pitch, columns, rows, seed))
        touched = [self.touch(memory, True, first, count)]
        self.command(thread, queue, f"writerect {{q}} {shape} seed={seed}", touched, self.blocking(), [memory])

    def two_spans(self):
        source, to = self.memory_for("source", "buffer", "part"), self.memory_for("to", "buffer", "part")
        if not source or not to or source.root == to.root or source.context is not to.context:
            return None
        count = self.chance.randrange(1, min(source.count, to.count) + 1)
        return source, self.chance.randrange(source.count - count + 1), to, self.chance.randrange(to.count - count + 1), count

    def copy(self, thread):
        chosen = self.two_spans()
        if not chosen:
            return
        source, first, to, at, count = chosen
        self.effects.append(("copy", source.root, source.first + first, to.root, to.first + at, count))
        touched = [self.touch(source, False, first, count), self.touch(to, True, at, count)]
        words = f"copy {{q}} {source.id} {first} {to.id} {at} {count}"
        self.command(thread, self.queue_for(to.context), words, touched, None, [source, to])

    def fill(self, thread):
        memory = self.memory_for("memory", "buffer", "part")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        width = self.chance.choice((1, 1, 2, 4))
        blocks = memory.count // width
        first = self.chance.randrange(blocks)
        count = self.chance.randrange(1, blocks - first + 1) * width
        seed = self.seed_number()
        self.effects.append(("fill", memory.root, memory.first + first * width, count, seed, width))
        words = f"fill {{q}} {memory.id} {first * width} {count} {width} seed={seed}"
        self.command(thread, queue, words, [self.touch(memory, True, first * width, count)], None, [memory])

    def image(self, thread):
        image = self.memory_for("image", "image")
        queue = image and self.queue_for(image.context)
        if not queue:
            return
        what = self.chance.choice(("readimage", "writeimage", "copyimage", "imagetobuffer", "buffertoimage"))
        all_of = (image.root, 0)
        if what == "readimage":
            touched = [self.touch(image, False)]
            keep = ("keep", image.root, 0, image.count)
            return self.reading(thread, queue, f"readimage {{q}} {image.id}", touched, [image], keep)
        if what == "writeimage":
            seed = self.seed_number()
            self.effects.append(("write", image.root, 0, image.count, seed))
            words = f"writeimage {{q}} {image.id} seed={seed}"
            return self.command(thread, queue, words, [self.touch(image, True)], self.blocking(), [image])
        if what == "copyimage":
            others = [
                t
                for t in self.alive("image", context=image.context)
                if t is not image and t.form == image.form and t.count == image.count and not self.is_mapped(t)
            ]
            other = self.choose("other", others)
            if other is None or self.shape_of(other) != self.shape_of(image):
                return
            self.effects.append(("copy", *all_of, other.root, 0, image.count))
            touched = [self.touch(image, False), self.touch(other, True)]
            return self.command(thread, queue, f"copyimage {{q}} {image.id} {other.id}", touched, None, [image, other])
        # Not a part of one: PoCL 3.1 crashes there.
        buffer = self.memory_for("buffer", "buffer", context=image.context)
        if buffer is None or buffer.count < image.count:
            return
        at = self.chance.randrange(buffer.count - image.count + 1)
        words = f"{what} {{q}} {image.id} {buffer.id} {at}"
        if what == "imagetobuffer":
            self.effects.append(("copy", *all_of, buffer.root, buffer.first + at, image.count))
            touched = [self.touch(image, False), self.touch(buffer, True, at, image.count)]
        else:
            self.effects.append(("copy", buffer.root, buffer.first + at, *all_of, image.count))
            touched = [self.touch(image, True), self.touch(buffer, False, at, image.count)]
        self.command(thread, queue, words, touched, None, [image, buffer])

    def shape_of(self, image):
        return next(s.split()[4:6] for s in self.steps if s.split()[1:3] == ["image", str(image.id)])

    # --- maps

    def map(self, thread):
        memory = self.memory_for("memory", "buffer", "buffer", "part", "image", "shared")
        queue = memory and self.queue_for(memory.context)
        if not queue or memory.kind == "shared" and memory.fine:
            return
        flags = self.chance.choice(("r", "w", "i", "rw"))
        if memory.kind in ("image", "shared"):
            first, count = 0, memory.count
        else:
            first, count = self.span(memory)
        slot = self.slot()
        verb = "mapshared" if memory.kind == "shared" else "map"
        touched = [self.touch(memory, flags != "r", first, count)]
        words = f"{verb} {{q}} {memory.id} {first} {count} {flags} {slot}"
        node, _ = self.command(thread, queue, words, touched, self.blocking(), [memory])
        mapped = self.thing(
            "map",
            thread,
            root=memory.root,
            first=memory.first + first,
            count=count,
            flags=flags,
            slot=slot,
            node=node,
            memory=memory,
            users={thread},
            context=memory.context,
            touched=touched,
        )
        self.live_maps.append(mapped)
        if flags != "r" and (flags != "rw" or self.chance.random() < 0.7):
            self.poke(thread, mapped)
        if flags in ("r", "rw") and self.chance.random() < 0.7:
            self.peek(thread, mapped)

    def poke(self, thread, mapped):
        self.wait_by_host(thread, mapped.node, self.chance, self.plan.ways)
        seed = self.seed_number()
        first, count = 0, mapped.count
        # What is mapped for writing only has undefined bytes where nobody wrote, if it was invalidated.
        if mapped.flags in ("rw", "w") and self.chance.random() < 0.5:
            first = self.chance.randrange(mapped.count)
            count = self.chance.randrange(1, mapped.count - first + 1)
        self.step(thread, f"poke {mapped.slot} {first} {count} seed={seed}")
        self.effects.append(("write", mapped.root, mapped.first + first, count, seed))
        mapped.users.add(thread)

    def peek(self, thread, mapped):
        self.wait_by_host(thread, mapped.node, self.chance, self.plan.ways)
        step = self.step(thread, f"peek {mapped.slot} 0 {mapped.count}")
        self.effects.append(("keep", ("peek", step), mapped.root, mapped.first, mapped.count))
        self.effects.append(("show", step, ("peek", step)))
        mapped.users.add(thread)

    def unmap(self, thread, mapped=None):
        mapped = mapped or self.choose("map", self.live_maps)
        queue = mapped and self.queue_for(mapped.context)
        if not queue:
            return
        for user in sorted(mapped.users):
            self.hand_over(user, thread)
        self.wait_by_host(thread, mapped.node, self.chance, self.plan.ways)
        self.command(
            thread, queue, f"unmap {{q}} {mapped.slot}", mapped.touched, None, [mapped.memory], needs=mapped.node.bit
        )
        self.live_maps.remove(mapped)
        mapped.alive = False

    # --- shared memory

    def shared(self, thread):
        memory = self.memory_for("shared", "shared")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        seed = self.seed_number()
        what = self.chance.choice(("fill", "copy", "poke", "peek", "peek"))
        first = self.chance.randrange(memory.count)
        count = self.chance.randrange(1, memory.count - first + 1)
        if what == "fill":
            self.effects.append(("fill", memory.root, first, count, seed, 1))
            words = f"sharedfill {{q}} {memory.id} {first} {count} seed={seed}"
            self.command(thread, queue, words, [self.touch(memory, True, first, count)], None, [memory])
        elif what == "copy":
            others = [t for t in self.alive("shared", context=memory.context) if t is not memory and not self.is_mapped(t)]
            other = self.choose("other", others)
            if other is None:
                return
            count = min(count, other.count)
            self.effects.append(("copy", other.root, 0, memory.root, first, count))
            words = f"sharedcopy {{q}} {memory.id} {first} {other.id} 0 {count}"
            touched = [self.touch(memory, True, first, count), self.touch(other, False, 0, count)]
            self.command(thread, queue, words, touched, self.blocking(), [memory, other])
        elif memory.fine:
            self.meet(thread, memory)
            self.host_access(thread, memory, what == "poke")
            step = self.step(thread, f"{what}shared {memory.id} {first} {count} seed={seed}")
            if what == "poke":
                self.effects.append(("write", memory.root, first, count, seed))
            else:
                self.effects.append(("keep", ("peek", step), memory.root, first, count))
                self.effects.append(("show", step, ("peek", step)))

    # --- kernels

    def kernel_choice(self):
        """A kernel, its memory and its words, or None."""
        context = self.choose("context", self.alive("context"))
        program = next(t for t in self.things if t.kind == "program" and t.context is context)
        chance = self.chance
        name = chance.choice(list(kernels.SOURCES))
        if not self.plan.traits.get(name, True):
            return None
        uses = kernels.uses(name, program.variant)
        memories, number, extra = [], chance.randrange(100), None
        for position, use in enumerate(uses):
            is_image = name == "pixels" or (name == "flatten" and position == 0)
            kinds = ("image",) if is_image else ("buffer", "buffer", "part", "shared")
            options = [
                t
                for t in self.alive(*kinds, context=context)
                if not self.is_mapped(t) and all(t.root != m.root for m in memories)
            ]
            if name == "flatten" and position == 0:
                options = [t for t in options if t.form == "r32"]
            if name == "pixels" and position == 1:
                options = [t for t in options if t.form == memories[0].form and self.shape_of(t) == self.shape_of(memories[0])]
            memory = self.choose(f"argument{position}", options)
            if memory is None:
                return None
            memories.append(memory)
        items = min(m.count for m in memories)
        if not is_image and name != "flatten" and chance.random() < 0.3:
            items = max(32, items // 2)
        words = [f"{'s' if m.kind == 'shared' else 'b'}{m.id}" for m in memories]
        group = ""
        if name in ("scale", "advance", "slow", "rotate", "some"):
            words.append(f"v{number}")
        if name == "groups":
            extra = chance.choice((8, 16, 32))
            items = items // extra * extra
            words.append(f"l{extra * 4}")
            group = f" group={extra}"
        if name == "pixels":
            extra = memories[0].form
            words += [f"v{number}", f"v{0xFFFFFFFF if extra == 'r32' else 255}"]
        if name == "flatten":
            items = memories[0].count
            if memories[1].count < items:
                return None
        touched = [self.touch(m, use != "r") for m, use in zip(memories, uses)]
        effect = (
            "run",
            program.which,
            program.variant,
            name,
            [(m.root, m.first, m.count) for m in memories],
            items,
            number,
            extra,
        )
        return program, name, memories, f"{program.slot} {kernels.ENTRY[name]} {items} {' '.join(words)}", touched, effect, group

    def run(self, thread):
        chosen = self.kernel_choice()
        if not chosen:
            return
        program, name, memories, words, touched, effect, group = chosen
        queue = self.queue_for(program.context)
        if not queue:
            return
        self.effects.append(effect)
        fresh = " fresh=1" if self.chance.random() < 0.15 else ""
        self.command(thread, queue, f"run {{q}} {words}{group}{fresh}", touched, None, [program, *memories])
        self.kernels_run.append((program.which, name))

    def native(self, thread):
        memory = self.memory_for("memory", "buffer")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        self.effects.append(("native", memory.root, memory.first, memory.count))
        words = f"native {{q}} {memory.id} {memory.count}"
        self.command(thread, queue, words, [self.touch(memory, True)], None, [memory])
        self.causes.add("native kernel")

    # --- command buffers

    def commands(self, thread):
        queue = self.queue_for()
        if not queue:
            return
        slot = sum(t.kind == "commands" for t in self.things)
        effects, lines, touched, also = [], [], [], []
        for _ in range(self.chance.randrange(1, 5)):
            what = self.chance.choice(("run", "run", "copy", "fill"))
            self.seed += "+"
            if what == "run":
                chosen = self.kernel_choice()
                if not chosen or chosen[0].context is not queue.context or chosen[6]:
                    continue
                program, name, memories, words, touches, effect, _ = chosen
                if any(m.kind in ("shared", "part") for m in memories):
                    continue  # PoCL 3.1 takes a part of a buffer for all of it here
                lines.append(f"addrun {slot} {words}")
                also += [program, *memories]
                touched += touches
                effects.append(effect)
            elif what == "copy":
                chosen = self.two_spans()
                if not chosen or chosen[0].context is not queue.context or "part" in (chosen[0].kind, chosen[2].kind):
                    continue
                source, first, to, at, count = chosen
                lines.append(f"addcopy {slot} {source.id} {first} {to.id} {at} {count}")
                touched += [self.touch(source, False, first, count), self.touch(to, True, at, count)]
                effects.append(("copy", source.root, source.first + first, to.root, to.first + at, count))
                also += [source, to]
            else:
                memory = self.memory_for("memory", "buffer", context=queue.context)
                if not memory:
                    continue
                seed = self.seed_number()
                lines.append(f"addfill {slot} {memory.id} 0 {memory.count} seed={seed}")
                touched.append(self.touch(memory, True))
                effects.append(("fill", memory.root, memory.first, memory.count, seed, 1))
                also.append(memory)
        if not lines:
            return
        for thing in [queue, *also]:
            self.meet(thread, thing)
        self.step(thread, f"commands {slot} {queue.slot}")
        for line in lines:
            self.step(thread, line)
        self.step(thread, f"finalize {slot}")
        self.thing(
            "commands",
            thread,
            slot=slot,
            queue=queue,
            context=queue.context,
            effects=effects,
            touched=touched,
            also=also,
            roots={t[0] for t in touched},
            last=None,
        )

    def enqueue(self, thread):
        commands = self.choose("commands", self.alive("commands"))
        if not commands or any(not m.alive or (hasattr(m, "root") and self.is_mapped(m)) for m in commands.also):
            return
        if commands.last is not None:  # it may not be under way twice
            self.wait_by_host(thread, commands.last, self.chance, self.plan.ways)
        self.effects += commands.effects
        commands.last, _ = self.command(
            thread,
            commands.queue,
            f"enqueue {commands.slot}",
            commands.touched,
            None,
            [commands, *commands.also],
            loose=True,  # PoCL 3.1 lets others of an in-order queue pass
        )
        self.kernels_run += [(e[1], e[3]) for e in commands.effects if e[0] == "run"]

    # --- order for its own sake

    def user_event(self, thread):
        # With several threads, one that waits could wait for a queue that another one stopped in the meantime.
        if self.plan.threads > 1:
            return
        context = self.choose("context", self.alive("context"))
        slot = self.slot()
        user = self.thing("user", thread, slot=slot, context=context)
        self.meet(thread, context)
        self.step(thread, f"userevent {slot} {context.slot}")
        self.pending.add(user)
        self.causes.add("user event")

    def complete_one(self, thread):
        user = self.choose("user", list(self.pending))
        if user:
            self.complete(thread, {user})

    def marker(self, thread, verb="marker"):
        queue = self.queue_for()
        if queue:
            # Without a list it waits for all before it; with one, a marker waits for those alone.
            before = len(self.steps)
            self.command(thread, queue, f"{verb} {{q}}", [], None, (), barrier=verb == "barrier")
            if verb == "marker" and "wait=" not in self.steps[-1] and len(self.steps) > before:
                node = self.nodes[-1]
                for other in self.nodes[:-1]:
                    if other.queue is queue and self.threads[thread].given & other.bit:
                        node.before |= other.done
                        node.users |= other.users

    def barrier(self, thread):
        self.marker(thread, "barrier")

    def wait(self, thread):
        nodes = [n for n in self.nodes if n.queue]
        if nodes:
            self.wait_by_host(thread, self.chance.choice(nodes[-8:]), self.chance, self.plan.ways)

    def finish(self, thread):
        queue = self.queue_for()
        nodes = [n for n in self.nodes if n.queue is queue]
        if nodes:
            self.wait_by_host(thread, nodes[-1], self.chance, {"finish": 1})

    def flush(self, thread):
        queue = self.queue_for()
        if queue:
            self.meet(thread, queue)
            self.step(thread, f"flush {queue.slot}")

    def wrong(self, thread):
        memory = self.memory_for("memory", "buffer")
        queue = memory and self.queue_for(memory.context)
        if not queue:
            return
        what = self.chance.choice(
            ("read", "write", "copy", "fill", "wait", "map", "buffer", "release", "build")
        )
        for thing in (memory, queue, memory.context):
            self.meet(thread, thing)
        self.step(thread, f"wrong {what} {queue.slot} {memory.id} {memory.context.slot}")

    # --- the end

    def end(self):
        self.chance, self.seed = chance_of("end", self.plan.seed), f"{self.plan.seed}.end"
        traits = self.plan.traits
        working = traits["leaves_working"]
        for thread in range(1, self.plan.threads):
            self.hand_over(thread, 0)
        self.complete(0, set(self.pending))
        if not working:
            for mapped in list(self.live_maps):
                self.unmap(0, mapped)
            while self.shows:
                self.show(0)
            for memory in self.alive("buffer", "image"):
                queue = self.queue_for(memory.context)
                if queue and self.chance.random() < 0.6:
                    verb = "readimage {q} " + str(memory.id) if memory.kind == "image" else f"read {{q}} {memory.id} 0 {memory.count}"
                    self.reading(
                        0, queue, verb, [self.touch(memory, False)], [memory], ("keep", memory.root, 0, memory.count)
                    )
            while self.shows:
                self.show(0)
            for queue in self.alive("queue"):
                if any(n.queue is queue for n in self.nodes):
                    self.step(0, f"finish {queue.slot}")
            if not traits["leaks"]:
                self.release_all()
        else:
            self.causes.add("leaves with work under way")
        if traits["quick"]:
            self.causes.add("_exit")
        code = self.chance.choice((0, 0, 0, 3))
        self.step(0, f"leave {'quick' if traits['quick'] else 'return'} {code}")
        self.code = code

    def release_all(self):
        words = [f"release memory {m.id}" for m in self.alive("buffer", "part", "image")]
        words += [f"release event {n.event}" for n in self.nodes if n.event is not None]
        words += [f"release event {t.slot}" for t in self.things if t.kind == "user"]
        words += [f"release commands {t.slot}" for t in self.alive("commands")]
        words += [f"release queue {t.slot}" for t in self.alive("queue")]
        words += [f"release program {t.slot}" for t in self.alive("program")]
        words += [f"release shared {t.id} context={t.context.slot}" for t in self.alive("shared")]
        words += ["release kernels 0"]
        self.chance.shuffle(words)
        # Memory that is shared is freed by hand, when nobody uses it, and its context with it comes last.
        words += [f"release context {t.slot}" for t in self.alive("context")]
        for one in words:
            self.step(0, one)

    @property
    def text(self):
        return "\n".join(self.steps) + "\n"
