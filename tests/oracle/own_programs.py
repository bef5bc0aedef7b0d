"""own_programs.py - random programs for oracle_own: streams, events, graphs, captures of streams, sessions.

What they share with OpenCL's is there; a queue is a stream or the stream of an executor, and an event is recorded
after the command that has one.
"""

from opencl_programs import Plan, Written
from order import chance_of

ACTIONS = {
    "run": 30,
    "write": 8,
    "read": 10,
    "show": 5,
    "copy": 8,
    "fill": 8,
    "call": 3,
    "graph": 4,
    "launch": 10,
    "clone": 2,
    "bind": 3,
    "session": 5,
    "wait": 4,
    "finish": 2,
    "flush": 2,
    "release_event": 3,
    "release_memory": 3,
    "new_memory": 4,
    "part": 4,
    "touch_mapped": 8,
}
WAYS = {"list": 0.6, "waitfor": 3, "finish": 1, "poll": 1, "callback": 1, "relay": 1}
TRAITS = {"several_queues": 0.8, "threads": 0.5, "leaves_working": 0.15, "stays_started": 0.2}

# name: how it uses its memory, and whether it takes a number
KERNELS = {"scale": ("rw", True), "advance": ("u", True), "add": ("rrw", False), "slow": ("u", True)}


class OwnPlan(Plan):
    def __init__(self, seed, without=(), much=()):
        chance = chance_of("own plan", seed)
        self.seed = seed
        self.device = chance.choice(("host", "opencl", "vulkan"))
        self.choose_features(chance, TRAITS, WAYS, without, much)
        self.threads = chance.choice((2, 2, 3)) if self.traits["threads"] else 1
        self.queues = chance.choice((2, 3)) if self.traits["several_queues"] else 1
        weights = self.weights(chance, ACTIONS, without, much)
        count = chance.choice((8, 15, 30, 60))
        self.memories = chance.choice((2, 3, 4, 6))
        self.actions = [("new_memory", 0, f"own{seed}.m{i}") for i in range(self.memories)]
        self.actions += [
            (chance.choices(list(weights), list(weights.values()))[0], chance.randrange(self.threads), f"own{seed}.{i}")
            for i in range(count)
        ]

    def with_actions(self, actions, threads=None):
        other = object.__new__(OwnPlan)
        other.__dict__.update(self.__dict__)
        other.actions = [(kind, thread % (threads or self.threads), seed) for kind, thread, seed in actions]
        other.threads = threads or self.threads
        return other


class OwnWritten(Written):
    part_words = 64

    def begin(self):
        context = self.thing("context", 0, slot=0)
        for i in range(self.plan.queues + 1):
            is_executor = i == self.plan.queues
            self.step(0, f"queue {i}" + (" executor" if is_executor else ""))
            queue = self.thing("queue", 0, slot=i, context=context, out_of_order=False, profiling=False)
            queue.is_executor = is_executor
        if not self.captures:
            self.step(0, "capture start")

    def new_memory(self, thread):
        number = len(self.things)
        count = self.chance.choice((64, 64, 256, 1024))
        seed = self.seed_number()
        context = self.things[0]
        is_mapped = self.chance.random() < 0.3
        memory = self.thing("buffer", thread, root=number, first=0, count=count, context=context, mapped=is_mapped)
        mapped = " mapped" if is_mapped else ""
        if self.chance.random() < 0.5:
            self.step(thread, f"buffer {number} {count}{mapped} seed={seed}")
            self.effects.append(("init", number, seed, count))
        else:
            self.step(thread, f"buffer {number} {count}{mapped}")
            self.effects.append(("blank", number, count))
        self.host_access(thread, memory)

    def touch_mapped(self, thread):
        """The host itself reads or writes memory that it sees."""
        memory = self.choose("mapped", [t for t in self.alive("buffer") if t.mapped])
        if memory is None:
            return
        first, count = self.span(memory)
        seed = self.seed_number()
        self.meet(thread, memory)
        if self.chance.random() < 0.6:
            self.host_access(thread, memory)
            self.step(thread, f"poke {memory.id} {first} {count} seed={seed}")
            self.effects.append(("write", memory.root, first, count, seed))
        else:
            self.host_access(thread, memory, False)
            step = self.step(thread, f"peek {memory.id} {first} {count}")
            self.effects.append(("keep", ("peek", step), memory.root, first, count))
            self.effects.append(("show", step, ("peek", step)))

    def alive_commands_of(self, memory):
        return False  # a graph keeps what it uses

    # --- operations: words, what they touch, their effect

    def an_operation(self, kinds=("run", "run", "run", "copy", "fill", "write")):
        what = self.chance.choice(kinds)
        self.seed += "+"
        if what == "run":
            return self.a_run()
        if what == "copy":
            chosen = self.two_spans()
            if not chosen:
                return None
            source, first, to, at, count = chosen
            words = f"copy {source.id} {first} {to.id} {at} {count}"
            touched = [self.touch(source, False, first, count), self.touch(to, True, at, count)]
            return words, touched, ("copy", source.root, source.first + first, to.root, to.first + at, count), [source, to]
        memory = self.memory_for("memory", "buffer", "part")
        if memory is None:
            return None
        first, count = self.span(memory)
        touched = [self.touch(memory, True, first, count)]
        if what == "fill":
            byte = self.chance.randrange(256)
            effect = ("bytes", memory.root, memory.first + first, count, byte)
            return f"fill {memory.id} {first} {count} {byte}", touched, effect, [memory]
        seed = self.seed_number()
        effect = ("write", memory.root, memory.first + first, count, seed)
        return f"write {memory.id} {first} {count} {seed}", touched, effect, [memory]

    def a_run(self):
        name = self.chance.choice(list(KERNELS))
        uses, takes_number = KERNELS[name]
        memories = []
        for position in range(len(uses)):
            options = [t for t in self.alive("buffer", "buffer", "part") if all(t.root != m.root for m in memories)]
            memory = self.choose(f"argument{position}", options)
            if memory is None:
                return None
            memories.append(memory)
        items = min(m.count for m in memories)
        if self.chance.random() < 0.3:
            items = max(32, items // 2)
        number = self.chance.randrange(100)
        words = " ".join(f"{use}{m.id}" for m, use in zip(memories, uses))
        words = f"run {name} {items} {words}" + (f" v{number}" if takes_number else "")
        # It may write a part of what it declares to write; the rest of it must stay.
        if items < max(m.count for m in memories):
            words = words.replace(" w", " u")
        touched = [self.touch(m, use != "r") for m, use in zip(memories, uses)]
        places = [(m.root, m.first, m.count) for m in memories]
        return words, touched, ("own_run", name, places, items, number), memories

    def give(self, thread, operation):
        queue = self.stream_for()
        words, touched, effect, memories = operation
        verb, _, rest = words.partition(" ")
        self.effects.append(effect)
        self.command(thread, queue, f"{verb} {{q}} {rest}", touched, self.chance.random() < 0.15, memories)
        if effect[0] == "own_run":
            self.kernels_run.append((0, effect[1]))

    def stream_for(self):
        return self.choose("queue", [q for q in self.alive("queue") if not q.is_executor])

    def queue_for(self, context=None):
        return self.stream_for()

    def one(self, thread, kind):
        operation = self.an_operation((kind,))
        if operation:
            self.give(thread, operation)

    def run(self, thread):
        self.one(thread, "run")

    def write(self, thread):
        self.one(thread, "write")

    def copy(self, thread):
        self.one(thread, "copy")

    def fill(self, thread):
        self.one(thread, "fill")

    def call(self, thread):
        self.command(thread, self.stream_for(), "call {q}", [])

    def several(self):
        return [one for one in (self.an_operation() for _ in range(self.chance.randrange(1, 6))) if one]

    def session(self, thread):
        operations = self.several()
        queue = next(q for q in self.alive("queue") if q.is_executor)
        if not operations:
            return
        # Sessions of an executor are given by one thread at a time.
        for other in range(self.plan.threads):
            self.hand_over(other, thread)
        touched = [t for one in operations for t in one[1]]
        memories = [m for one in operations for m in one[3]]
        how = self.chance.choice(("direct", "recorded"))
        end = self.chance.choice(("finish", "finish", "commit"))
        node, step = self.command(thread, queue, f"session {{q}} {how} {end}", touched, None, memories)
        self.steps[step] += "".join(f"\n|{one[0]}" for one in operations)
        self.effects += [one[2] for one in operations]
        self.kernels_run += [(0, one[2][1]) for one in operations if one[2][0] == "own_run"]
        if end == "finish":
            self.learn(thread, node.done)

    # --- graphs

    def graph(self, thread):
        operations = self.several()
        if not operations:
            return
        memories = [m for one in operations for m in one[3]]
        for memory in memories:
            self.meet(thread, memory)
        number = len(self.things)
        how = self.chance.choice(("added", "captured"))
        self.step(thread, f"graph {number} {how}", "\n".join(one[0] for one in operations))
        self.thing("exec", thread, operations=operations, bound={}, last=thread)

    def use_exec(self, thread):
        """One of them, used by one thread at a time."""
        one = self.choose("exec", self.alive("exec"))
        if one is not None:
            self.meet(thread, one)
            self.hand_over(one.last, thread)
            one.last = thread
        return one

    def clone(self, thread):
        one = self.use_exec(thread)
        if one is None:
            return
        number = len(self.things)
        self.step(thread, f"clone {number} {one.id}")
        self.thing("exec", thread, operations=one.operations, bound=dict(one.bound), last=thread)

    def roots_of(self, one):
        return sorted({m.root for operation in one.operations for m in operation[3]})

    def bind(self, thread):
        """Another buffer of the same size, which the graph doesn't use, in place of one that it does."""
        one = self.use_exec(thread)
        if one is None:
            return
        used = self.roots_of(one)
        old = self.chance.choice(used)
        taken = {one.bound.get(root, root) for root in used} | set(used)
        count = self.things[old].count
        others = [t for t in self.alive("buffer") if t.count == count and t.root not in taken]
        other = self.choose("other", others)
        if other is None:
            return
        self.meet(thread, other)
        # By the name that the graph was made with.
        self.step(thread, f"bind {one.id} {old} {other.id}")
        one.bound[old] = other.root

    def launch(self, thread):
        one = self.use_exec(thread)
        if one is None:
            return
        bound = one.bound
        touched = [(bound.get(t[0], t[0]), *t[1:]) for operation in one.operations for t in operation[1]]
        self.command(thread, self.stream_for(), f"launch {{q}} {one.id}", touched, None, ())
        for _, _, effect, _ in one.operations:
            if effect[0] == "own_run":
                places = [(bound.get(root, root), first, count) for root, first, count in effect[2]]
                self.effects.append(("own_run", effect[1], places, *effect[3:]))
                self.kernels_run.append((0, effect[1]))
            elif effect[0] == "copy":
                _, source, first, root, at, count = effect
                self.effects.append(("copy", bound.get(source, source), first, bound.get(root, root), at, count))
            else:
                self.effects.append((effect[0], bound.get(effect[1], effect[1]), *effect[2:]))

    # --- the end

    def end(self):
        self.chance, self.seed = chance_of("own end", self.plan.seed), f"own{self.plan.seed}.end"
        for thread in range(1, self.plan.threads):
            self.hand_over(thread, 0)
        if not self.plan.traits["leaves_working"]:
            while self.shows:
                self.show(0)
            for memory in self.alive("buffer"):
                if self.chance.random() < 0.6:
                    words = f"read {{q}} {memory.id} 0 {memory.count}"
                    keep = ("keep", memory.root, 0, memory.count)
                    self.reading(0, self.stream_for(), words, [self.touch(memory, False)], [memory], keep)
            while self.shows:
                self.show(0)
        if not self.captures and not self.plan.traits["stays_started"]:
            self.step(0, "capture stop")
        self.code = self.chance.choice((0, 0, 0, 3))
        self.step(0, f"leave return {self.code}")
