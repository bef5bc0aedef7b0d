"""vulkan_programs.py - random programs for oracle_vulkan, right by construction.

A plan is a list of actions, each with a seed of its own, as OpenCL's. Memory of the model is a VkDeviceMemory; buffers are
parts of it, alone or many in one, and may overlap. Work is recorded into command buffers, with a barrier between any two
commands that conflict, and given as often as its kind allows; its effects are the model's when it is given. The host
touches memory once it knows that what conflicts is done, and no other work.
"""

import kernels
from order import chance_of, pick
from opencl_programs import Plan, Thing

ACTIONS = {
    "record": 14,
    "submit": 26,
    "rerecord": 3,
    "poke": 14,
    "peek": 12,
    "size": 2,
    "wait": 5,
    "new_memory": 3,
    "new_buffer": 4,
    "release_buffer": 2,
    "new_image": 2,
    "release_image": 0.5,
}
WAYS = {"waitfence": 2, "pollfence": 1, "waitvalue": 2, "pollvalue": 1, "idle": 1, "deviceidle": 0.5}
TRAITS = {  # chances of a program
    "mapped": 0.7,  # memory stays mapped
    "imported": 0.25,
    "overlapping": 0.3,
    "named_sets": 0.4,
    "push": 0.5,
    "dynamic": 0.5,
    "templates": 0.4,
    "indirect": 0.4,
    "conditional": 0.4,  # dispatches that a word of memory skips
    "secondary": 0.3,
    "narrow": 0.6,  # barriers of stages and ranges
    "submit2": 0.5,
    "patient": 0.25,  # the host waits for each submit
    "leaves_working": 0.15,
    "leaks": 0.3,
    "quick": 0.03,
    "slow": 1,
    "images": 0.4,
    "linear": 0.3,
    "parts": 0.5,  # of images: levels and layers
    "blits": 0.4,
    "texels": 0.5,
    "late": 0.3,  # sets are written once they are bound
    "addresses": 0.5,
}
GRAIN = 64  # numbers: offsets of descriptors are multiples of 256 bytes
KERNELS = ("scale", "advance", "add", "slow", "rotate", "some", "count", "casts", "groups", "weigh", "pixels", "flatten", "texels")
BY_ADDRESS = ("scale", "advance", "add")
WITH_NUMBER = ("scale", "advance", "slow", "rotate", "some", "pixels", "texels")


class VulkanPlan(Plan):
    def __init__(self, seed, without=(), much=()):
        chance = chance_of("vulkan plan", seed)
        self.seed, self.threads = seed, 1
        self.choose_features(chance, TRAITS, WAYS, without, much)
        self.ways.pop("list", None)
        self.missing = "missing" in much  # leaves out a barrier now and then
        self.which = chance.randrange(kernels.SETS)
        weights = self.weights(chance, ACTIONS, without, much)
        count = chance.choice((8, 15, 30, 60))
        self.actions = [("new_memory", 0, f"v{seed}.m{i}") for i in range(chance.choice((1, 2, 3)))]
        self.actions += [("new_buffer", 0, f"v{seed}.b{i}") for i in range(chance.choice((2, 3, 5)))]
        self.actions += [
            (chance.choices(list(weights), list(weights.values()))[0], 0, f"v{seed}.{i}") for i in range(count)
        ]

    def with_actions(self, actions, threads=None):
        other = object.__new__(VulkanPlan)
        other.__dict__.update(self.__dict__)
        other.actions = [(kind, 0, seed) for kind, _, seed in actions]
        return other


class Command:
    """A line of a command buffer: which ranges it touches (root, first, end, writes, buffer), and what it does."""

    def __init__(self, words, stage, touched, effect=None, name=None):
        self.words, self.stage, self.touched, self.effect, self.name = words, stage, touched, effect, name


def conflict(one, other):
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2] and (one[3] or other[3])


class VulkanWritten:
    """A plan written as steps; `effects` are what the model runs."""

    def __init__(self, plan, captures=None):
        self.plan, self.effects, self.steps, self.things = plan, [], [], []
        self.kernels_run, self.causes = [], set()
        self.nodes = []  # commands that were given
        self.captures = dict(captures or {})
        self.submits = []  # what each touches
        self.fences = {}  # submit: its fence
        self.done = 0  # so many submits are known to be
        self.slots = 0
        self.missing = 0
        for place, (kind, _, seed) in enumerate(plan.actions):
            self.chance, self.seed = chance_of(seed), seed
            if place in self.captures:
                self.step(f"capture {self.captures[place][0]}")
            getattr(self, kind)()
        self.end()

    # --- things

    def step(self, words, text=()):
        self.steps.append(f"0 {words}" + "".join(f"\n|{line}" for line in text))
        return len(self.steps) - 1

    def slot(self):
        self.slots += 1
        return self.slots

    def thing(self, kind, **more):
        self.things.append(Thing(kind, len(self.things), 0, **more))
        return self.things[-1]

    def alive(self, kind):
        return [t for t in self.things if t.alive and t.kind == kind]

    def choose(self, label, things):
        return pick(self.seed, label, things)

    def has(self, trait, often=0.5):
        return self.plan.traits[trait] and self.chance.random() < often

    def new_memory(self):
        count = self.chance.choice((1024, 1024, 4096, 16384))
        imported, mapped = self.has("imported", 0.4), self.has("mapped", 0.8)
        memory = self.thing("memory", count=count, buffers=[], mapped=mapped or imported, imported=imported)
        memory.root = memory.id
        words = f"memory {memory.id} {count}" + (" imported=1" if imported else " mapped=1" if mapped else "")
        memory.addressed = not imported and self.has("addresses", 0.8)
        words += " addressed=1" if memory.addressed else ""
        self.step(words)
        self.effects.append(("blank", memory.id, count))
        self.write_host(memory, 0, count)
        self.new_buffer(memory)

    def new_buffer(self, memory=None):
        memory = memory or self.choose("memory", self.alive("memory"))
        if memory is None:
            return
        grains = memory.count // GRAIN
        first = self.chance.choice((0, self.chance.randrange(grains)))
        count = self.chance.randrange(1, min(grains - first, 64) + 1)
        first, count = first * GRAIN, count * GRAIN
        beside = [b for b in memory.buffers if b.alive and b.first < first + count and first < b.first + b.count]
        if beside and not self.plan.traits["overlapping"]:
            return
        if beside:
            self.causes.add("overlapping")
        usage = self.chance.choice(("s", "st", "stu", "sui", "stui", "stui"))
        usage += "x" if self.has("texels", 0.7) else ""
        usage += "p" if self.has("conditional", 0.7) else ""
        # Of two that overlap an address doesn't tell which one is meant, and so how far it goes.
        if memory.addressed and not any("a" in b.usage for b in beside):
            usage += "a"
        buffer = self.thing("buffer", memory=memory, root=memory.id, first=first, count=count, usage=usage)
        memory.buffers.append(buffer)
        self.step(f"buffer {buffer.id} {memory.id} {first} {count} usage={usage}")

    def new_image(self):
        """Its contents come from a buffer or a color, in a command buffer that also makes its layout."""
        if not self.plan.traits["images"]:
            return
        if self.has("parts", 0.6):
            width, levels = self.chance.choice(((16, 2), (32, 2), (32, 3)))
            layers = self.chance.choice((1, 2, 3))
            parts = [(level, layer) for level in range(levels) for layer in range(layers)]
            self.chance.shuffle(parts)
            whole = None
            for level, layer in [(0, 0)] + [p for p in parts if p != (0, 0)][: self.chance.choice((1, 2, 4))]:
                self.seed += "+"
                words = f"levels={levels} layers={layers}" if whole is None else f"{whole.id} {level} {layer}"
                image = self.an_image(width >> level, width >> level, words, whole)
                whole = whole or image
            return
        width, height = self.chance.choice(((8, 8), (16, 4), (32, 5), (16, 16)))
        self.an_image(width, height, "linear=1" if self.has("linear") else "")

    def an_image(self, width, height, words, whole=None):
        """Alone, or a layer of a level of `whole`."""
        image = self.thing("image", first=0, count=width * height, width=width, parts=[])
        image.root = image.id
        if whole:
            whole.parts.append(image)
            self.step(f"imagepart {image.id} {words}")
        else:
            self.step(f"image {image.id} {width} {height} {words}".rstrip())
        self.effects.append(("blank", image.id, image.count))
        first = self.image_command(image, ("clear", "toimage"))
        first = first or self.image_command(image, ("clear",))
        made = Command(f"transition {image.id}", "a", [self.touch(image, True, 0, image.count)])
        self.put_down("once", None, [made, first], [])
        return image

    def release_image(self):
        image = self.choose("image", self.alive("image"))
        if image is None:
            return
        self.know(len(self.submits))
        for one in [part for part in image.parts if part.alive] + [image]:
            for commands in self.alive("commands"):
                if one in commands.buffers:
                    self.drop(commands)
            self.step(f"release image {one.id}")
            one.alive = False
        self.causes.add("released")

    def image_command(self, image, kinds=("clear", "toimage", "fromimage", "copyimage", "blitimage")):
        what = self.chance.choice(kinds)
        writes = what in ("clear", "toimage")
        mine = self.touch(image, writes, 0, image.count)
        if what == "clear":
            seed = self.chance.randrange(1, 1000)
            return Command(f"clear {image.id} seed={seed}", "t", [mine], ("fill", image.root, 0, image.count, seed, 1))
        if what == "copyimage":
            others = [o for o in self.alive("image") if o is not image and (o.count, o.width) == (image.count, image.width)]
            other = self.choose("other", others)
            if other is None:
                return None
            touched = [mine, self.touch(other, True, 0, other.count)]
            return Command(f"copyimage {image.id} {other.id}", "t", touched, ("copy", image.root, 0, other.root, 0, image.count))
        if what == "blitimage":
            return self.blit(image, mine)
        buffer = self.choose("beside", [b for b in self.alive("buffer") if "t" in b.usage and b.count >= image.count])
        if buffer is None:
            return None
        at = self.chance.randrange(buffer.count - image.count + 1)
        place = buffer.root, buffer.first + at
        touched = [mine, self.touch(buffer, not writes, at, image.count)]
        effect = ("copy", *place, image.root, 0, image.count) if writes else ("copy", image.root, 0, *place, image.count)
        return Command(f"{what} {image.id} {buffer.id} {at}", "t", touched, effect)

    def blit(self, image, mine):
        """To an image as large, or so many times as large that the middle of no pixel lies between two; turned or not."""
        if not self.plan.traits["blits"]:
            return None
        height = image.count // image.width

        def fits(other):
            return other.width % image.width == 0 and other.count // other.width % height == 0

        other = self.choose("other", [o for o in self.alive("image") if o is not image and fits(o)])
        if other is None:
            return None
        flips = self.chance.randrange(4)
        is_copy = flips == 0 and (other.count, other.width) == (image.count, image.width)
        if not is_copy:
            self.causes.add("blits")
        touched = [mine, self.touch(other, True, 0, other.count)]
        effect = ("blit", image.root, image.width, height, other.root, other.width, other.count // other.width, flips)
        return Command(f"blitimage {image.id} {other.id} flips={flips}", "t", touched, effect)

    def release_buffer(self):
        buffer = self.choose("release", self.alive("buffer"))
        if buffer is None or len(self.alive("buffer")) < 3:
            return
        self.know(len(self.submits))
        for commands in self.alive("commands"):
            if buffer in commands.buffers:
                self.drop(commands)
        self.step(f"release buffer {buffer.id}")
        buffer.alive = False
        memory = buffer.memory
        if not any(b.alive for b in memory.buffers) and self.chance.random() < 0.5 and len(self.alive("memory")) > 1:
            self.step(f"release memory {memory.id}")
            memory.alive = False
        self.causes.add("released")

    def drop(self, commands):
        commands.alive = False
        for other in self.alive("commands"):
            if commands in other.inner:
                other.alive = False

    # --- the host

    def know(self, submits):
        """The host knows that the first so many submits are done."""
        if submits <= self.done:
            return
        possible = {w: o for w, o in self.plan.ways.items() if not w.endswith("fence") or submits - 1 in self.fences}
        possible = possible or {"idle": 1}
        way = self.chance.choices(list(possible), list(possible.values()))[0]
        if way.endswith("fence"):
            self.step(f"{way} {self.fences[submits - 1]}")
        elif way.endswith("value"):
            self.step(f"{way} {submits}")
        else:
            self.step(way)
            submits = len(self.submits)
        self.done = submits

    def know_touched(self, root, first, end, writes):
        mine = (root, first, end, writes)
        last = max((n for n, all_of in enumerate(self.submits) if any(conflict(mine, t) for t in all_of)), default=-1)
        self.know(last + 1)

    def span(self, count):
        if self.chance.random() < 0.3:
            return 0, count
        first = self.chance.randrange(count)
        return first, self.chance.randrange(1, min(count - first, self.chance.choice((8, 64, 2000))) + 1)

    def write_host(self, memory, first, count):
        seed = self.chance.randrange(1, 1000)
        self.know_touched(memory.root, first, first + count, True)
        # Flushes are of whole pieces.
        flush = " flush=1" if memory.mapped and first % GRAIN == 0 and count % GRAIN == 0 else ""
        part = " part=1" if not memory.mapped and self.chance.random() < 0.4 else ""
        self.step(f"poke {memory.id} {first} {count} seed={seed}{flush}{part}")
        self.effects.append(("write", memory.root, first, count, seed))

    def poke(self):
        memory = self.choose("memory", self.alive("memory"))
        if memory:
            self.write_host(memory, *self.span(memory.count))

    def peek(self):
        memory = self.choose("memory", self.alive("memory"))
        if memory:
            self.look(memory, *self.span(memory.count))

    def look(self, memory, first, count):
        self.know_touched(memory.root, first, first + count, False)
        part = " part=1" if not memory.mapped and self.chance.random() < 0.4 else ""
        step = self.step(f"peek {memory.id} {first} {count}{part}")
        self.effects.append(("keep", ("peek", step), memory.root, first, count))
        self.effects.append(("show", step, ("peek", step)))

    def wait(self):
        if self.submits:
            self.know(self.chance.randrange(1, len(self.submits) + 1))

    # --- sizes of dispatches, in memory of their own that nothing else writes

    def size(self):
        if not self.plan.traits["indirect"]:
            return
        sizes = next(iter(self.alive("sizes")), None)
        if sizes is None:
            sizes = self.thing("sizes", count=64)
            sizes.root = sizes.id
            self.step(f"memory {sizes.id} 64 mapped=1")
            self.effects.append(("blank", sizes.id, 64))
            sizes.buffer = self.thing("size_buffer", root=sizes.id, first=0, count=64)
            self.step(f"buffer {sizes.buffer.id} {sizes.id} 0 64 usage=si")
            sizes.set = set()
        place = self.chance.randrange(4) * 4
        groups = self.chance.choice((0, 1, 1, 2))
        self.know_touched(sizes.root, place, place + 3, True)
        self.step(f"pokesize {sizes.id} {place} 3 {groups}")
        self.effects.append(("numbers", sizes.root, place, [groups, 1, 1]))
        sizes.set.add(place)

    # --- command buffers

    def record(self, slot=None):
        kind = self.chance.choice(("once", "once", "many", "simultaneous"))
        commands, inner = [], []
        if slot is None and self.has("secondary", 0.3):
            secondary = self.choose("inner", [c for c in self.alive("commands") if c.what == "secondary"])
            if secondary is None:
                kind = "secondary"
            elif kind != "once":
                inner.append(secondary)
        for _ in range(self.chance.choice((1, 2, 3, 6))):
            self.seed += "+"
            made = self.a_command()
            if made:
                commands.append(made)
        if commands:
            self.put_down(kind, slot, self.with_sections(commands), inner)

    # --- words of memory that skip dispatches

    def with_sections(self, commands):
        """Some of them, one behind the other, within conditional rendering; then some of the rest."""
        if not self.has("conditional", 0.6):
            return commands
        first = self.chance.randrange(len(commands))
        end = self.chance.randrange(first + 1, len(commands) + 1)
        word = self.a_word(commands[:first])
        if word is None:
            return commands
        buffer, place = word
        mine = self.touch(buffer, False, place, 1)
        within = commands[first:end]
        # Drivers read it when the section begins, or before each dispatch: nothing in it may write it.
        for number, command in enumerate(within):
            if any(conflict(mine, other) for other in command.touched):
                within = within[:number]
                break
        if not within:
            return commands
        inverted = self.chance.random() < 0.4
        begin = Command(f"begin {buffer.id} {place}" + (" inverted=1" if inverted else ""), "p", [mine])
        made = [self.skippable(command, mine, inverted) for command in within]
        rest = commands[first + len(within) :]
        return commands[:first] + [begin, *made, Command("end", "p", [])] + (self.with_sections(rest) if rest else [])

    def a_word(self, before):
        """One that a command before it writes, one that was ever set, or any."""
        self.words_set = [(b, p) for b, p in getattr(self, "words_set", []) if b.alive]
        set_here = [(c.word, c.place) for c in before if hasattr(c, "word") and c.word.alive]
        roll = self.chance.random()
        if set_here and roll < 0.5:
            return self.chance.choice(set_here)
        if self.words_set and roll < 0.8:
            return self.chance.choice(self.words_set)
        written = [t for c in before for t in c.touched if t[3] and "p" in getattr(t[4], "usage", "")]
        if written and roll < 0.9:
            root, first, end, _, buffer = written[-1][:5]
            return buffer, self.chance.randrange(first, end) - buffer.first
        buffer = self.choose("word", [b for b in self.alive("buffer") if "p" in b.usage])
        return (buffer, self.chance.randrange(buffer.count)) if buffer else None

    @staticmethod
    def skippable(command, word, inverted):
        """Of commands only dispatches are skipped."""
        if command.stage != "c":
            return command
        effect = ("run_if", word[0], word[1], inverted, command.effect)
        return Command(command.words, command.stage, command.touched + [(*word, "p")], effect, command.name)

    def set_word(self):
        """A word that skips what comes later, or doesn't."""
        buffer = self.choose("flag", [b for b in self.alive("buffer") if "p" in b.usage and "t" in b.usage])
        if buffer is None:
            return None
        self.words_set = getattr(self, "words_set", [])
        known = [(b, p) for b, p in self.words_set if b is buffer]
        place = known[-1][1] if known and self.chance.random() < 0.5 else self.chance.randrange(buffer.count)
        value = self.chance.choice((0, 0, 0, 1, 0x10, 0x80000000))
        self.words_set.append((buffer, place))
        effect = ("numbers", buffer.root, buffer.first + place, [value])
        made = Command(f"word {buffer.id} {place} value={value}", "t", [self.touch(buffer, True, place, 1)], effect)
        made.word, made.place = buffer, place
        return made

    def put_down(self, kind, slot, commands, inner):
        """Writes a command buffer, and mostly gives it at once."""
        lines, since = ["barrier a a"], []
        for command in commands:
            lines += self.barriers(since, command)
            lines.append(command.words)
            since.append(command)
        if inner:
            lines += ["barrier a a", f"execute {inner[0].slot}"]
            commands = commands + inner[0].commands
        lines.append("barrier a ah" if kind != "secondary" else "barrier a a")
        named = slot is not None
        slot = self.slot() if slot is None else slot
        self.step(f"commands {slot} {kind}", lines)
        buffers = [b for c in commands for b in (t[4] for t in c.touched)]
        made = self.thing("commands", slot=slot, what=kind, commands=commands, buffers=buffers, inner=inner, last=-1)
        made.sets = {c.words.split("set=")[1].split()[0] for c in commands if " set=" in c.words}
        if kind == "once" and commands[0].effect is None or (
            not named and kind != "secondary" and self.chance.random() < 0.7
        ):
            self.give([made])

    def rerecord(self):
        """The same handle, with other commands."""
        old = self.choose("again", [c for c in self.things if c.kind == "commands" and c.what != "secondary"])
        if old is None:
            return
        newer = [c for c in self.things if c.kind == "commands" and c.slot == old.slot]
        old = newer[-1]
        self.know(old.last + 1)
        self.drop(old)
        self.record(old.slot)

    def barriers(self, since, command):
        """What must come between; `since` are those that no barrier has followed yet, and is emptied by one."""
        needed = [(b, m, t) for b in since for m in command.touched for t in b.touched if conflict(m, t)]
        if not needed:
            return []
        if self.plan.missing and self.chance.random() < 0.5:
            self.missing += 1
            return []
        how = " how=2" if self.chance.random() < 0.4 else ""
        if not self.plan.traits["narrow"] or self.chance.random() < 0.4:
            since.clear()
            return [f"barrier a a{how}"]
        # An indirect size is read before the kernel runs, and so is what skips it.
        before = "".join(sorted({"p" if t[5:] == ("p",) else b.stage for b, _, t in needed}))
        after = "".join(sorted({m[5] if m[5:] else command.stage for _, m, _ in needed}))
        if self.chance.random() < 0.5 and all(m[4] is t[4] and m[4].kind != "image" for _, m, t in needed):
            # Only the bytes of the conflict; where two buffers share them, a range of one says nothing of the other.
            ranges = {
                f"{m[4].id}:{max(m[1], t[1]) - m[4].first}:{min(m[2], t[2]) - max(m[1], t[1])}" for _, m, t in needed
            }
            # Two barriers of ranges follow each other: what was ordered once may be needed again.
            return [f"barrier {before} {after} ranges={','.join(sorted(ranges))}{how}"]
        return [f"barrier {before} {after}{how}"]

    def touch(self, buffer, writes, first, count):
        at = buffer.first + first
        return (buffer.root, at, at + count, writes, buffer)

    def a_command(self):
        what = self.chance.choice(("run", "run", "run", "run", "copy", "fill", "update", "image"))
        if self.has("conditional", 0.2):
            return self.set_word()
        if what == "run":
            return self.a_run()
        if what == "image":
            image = self.choose("image", self.alive("image"))
            return self.image_command(image) if image else None
        options = [b for b in self.alive("buffer") if "t" in b.usage]
        to = self.choose("to", options)
        if to is None:
            return None
        first, count = self.span(to.count)
        if what == "copy":
            source = self.choose("source", options)
            count = min(count, source.count)
            at = self.chance.randrange(source.count - count + 1)
            here, there = self.touch(source, False, at, count), self.touch(to, True, first, count)
            if conflict(here, there):
                return None
            effect = ("copy", source.root, source.first + at, to.root, to.first + first, count)
            return Command(f"copy {source.id} {at} {to.id} {first} {count}", "t", [here, there], effect)
        seed = self.chance.randrange(1, 1000)
        count = min(count, 4096)
        touched = [self.touch(to, True, first, count)]
        if what == "fill":
            effect = ("fill", to.root, to.first + first, count, seed, 1)
        else:
            effect = ("write", to.root, to.first + first, count, seed)
        return Command(f"{what} {to.id} {first} {count} seed={seed}", "t", touched, effect)

    def a_run(self):
        chance = self.chance
        name = chance.choice(KERNELS)
        if name == "slow" and not self.plan.traits["slow"]:
            return None
        if name in BY_ADDRESS and self.has("addresses"):
            return self.a_run_by_address(name)
        uses = kernels.uses(name, 1)
        touched, words = [], []
        for position, use in enumerate(uses):
            is_uniform = name == "weigh" and position == 1
            if name == "pixels" or (name == "flatten" and position == 0):
                shape = words[0][0] if words else None
                image = self.choose(
                    f"image{position}",
                    [o for o in self.alive("image") if shape is None or (o is not shape and (o.count, o.width) == (shape.count, shape.width))],
                )
                if image is None:
                    return None
                touched.append(self.touch(image, use != "r", 0, image.count))
                words.append((image, 0, image.count))
                continue
            needed = "u" if is_uniform else "x" if name == "texels" else ""
            options = [b for b in self.alive("buffer") if needed in b.usage]
            buffer = self.choose(f"argument{position}", options)
            if buffer is None:
                return None
            first = chance.randrange(buffer.count // GRAIN) * GRAIN if chance.random() < 0.5 else 0
            count = 4 if is_uniform else buffer.count - first
            if not is_uniform and chance.random() < 0.3:
                count = chance.randrange(1, count // GRAIN + 1) * GRAIN
            mine = self.touch(buffer, use != "r", first, count)
            if any(conflict(mine, other) for other in touched):
                return None
            touched.append(mine)
            words.append((buffer, first, count))
        group = chance.choice((8, 16, 32))
        wide = [count for position, (_, _, count) in enumerate(words) if not (name == "weigh" and position == 1)]
        items = min(wide)
        if name == "flatten" and items < words[0][2]:
            return None
        if chance.random() < 0.3 and name not in ("pixels", "flatten"):
            items = max(32, items // 2 // 32 * 32)
        number = chance.randrange(100) if name in WITH_NUMBER else 0
        how = "set"
        if self.has("push"):
            how = chance.choice(("push", "pushtemplate")) if self.plan.traits["templates"] else "push"
        elif self.has("dynamic") and name != "texels":
            how = "dynamic"
        elif self.has("late"):
            how = "late"
        elif self.has("templates"):
            how = "template"
        arguments = []
        for buffer, first, count in words:
            if buffer.kind == "image":
                arguments.append(f"i{buffer.id}")
                continue
            whole = count == buffer.count - first and how != "dynamic" and chance.random() < 0.5
            arguments.append(f"{buffer.id}:{first}:{0 if whole else count}")
        more = ""
        if how in ("set", "late") and self.has("named_sets"):
            more += f" set={self.named_set()}"
        place = None
        sizes = next(iter(self.alive("sizes")), None)
        if sizes and sizes.set and name not in ("pixels", "flatten") and self.has("indirect", 0.4):
            place = chance.choice(sorted(sizes.set))
            more += f" indirect={sizes.buffer.id}:{place}"
            if min(wide) < 2 * group:
                return None
        if name in WITH_NUMBER:
            more += f" value={number}"
        constant = kernels.constant(self.plan.which, name)
        line = f"run {kernels.ENTRY[name]} {items} {how} {' '.join(arguments)} constant={constant} group={group}{more}"
        places = [(b.root, b.first + first, count) for b, first, count in words]
        extra = "r32" if name == "pixels" else group
        effect = ("run", self.plan.which, 1, name, places, items, number, extra)
        if place is not None:
            touched.append((sizes.root, place, place + 3, False, sizes.buffer, "i"))
            effect = ("indirect_run", self.plan.which, name, places, sizes.root, place, number, group)
        return Command(line, "c", touched, effect, name)

    def a_run_by_address(self, name):
        """Buffers that the kernel finds by addresses, from where it is given them to their ends."""
        chance = self.chance
        by_table = name == "scale" and chance.random() < 0.4
        touched, words = [], []
        for position, use in enumerate(kernels.uses(name, 1)):
            buffer = self.choose(f"addressed{position}", [b for b in self.alive("buffer") if "a" in b.usage])
            if buffer is None:
                return None
            first = chance.randrange(buffer.count) if chance.random() < 0.5 else 0
            mine = self.touch(buffer, use != "r", first, buffer.count - first)
            if any(conflict(mine, other) for other in touched):
                return None
            touched.append(mine)
            words.append((buffer, first))
        wide = min(b.count - first for b, first in words)
        group = chance.choice((8, 16, 32))
        items = wide // 32 * 32
        if items == 0:
            return None
        number = chance.randrange(100) if name in WITH_NUMBER else 0
        places = [(b.root, b.first + first, b.count - first) for b, first in words]
        pointed = [f"{b.id}:{first}" for b, first in words]
        constant = kernels.constant(self.plan.which, name)
        more = f"constant={constant} group={group} value={number}"
        line = f"run {name}_at {items} address {' '.join(pointed)} {more}"
        if by_table:
            table, at = self.table(pointed)
            line = f"run {name}_by {items} set {table.buffer.id}:{at}:4 {more}"
            touched.append(self.touch(table.buffer, False, at, 8))
        effect = ("run", self.plan.which, 1, name, places, items, number, group)
        return Command(line, "c", touched, effect, name)

    def table(self, pointed):
        """Addresses in memory of their own, which nothing else writes; each place is written once."""
        table = next((t for t in self.alive("table") if t.used < t.count), None)
        if table is None:
            table = self.thing("table", count=1024, used=0)
            table.root = table.id
            self.step(f"memory {table.id} 1024 mapped=1 addressed=1")
            self.effects.append(("blank", table.id, 1024))
            table.buffer = self.thing("table_buffer", root=table.id, first=0, count=1024)
            self.step(f"buffer {table.buffer.id} {table.id} 0 1024 usage=sta")
        at = table.used
        table.used += GRAIN
        # The first two as the shader has them: one leads to the numbers, one to where the other address is.
        self.step(f"poketable {table.id} {at} 6 {pointed[0]} {table.buffer.id}:{at + 4} {pointed[1]}")
        return table, at

    def named_set(self):
        """A set that is written again: what used it is done, and is not given any more."""
        name = str(self.chance.randrange(3))
        self.names = getattr(self, "names", 0) + 1
        name = f"{name}x{self.names % 2}"
        for commands in [t for t in self.things if t.kind == "commands" and name in t.sets]:
            self.know(commands.last + 1)
            self.drop(commands)
        # Within the commands that are being recorded a set is written once.
        self.recent = getattr(self, "recent", (None, set()))
        if self.recent[0] != self.seed.rstrip("+"):
            self.recent = (self.seed.rstrip("+"), set())
        if name in self.recent[1]:
            return f"own{self.slot()}"
        self.recent[1].add(name)
        return name

    # --- giving them

    def submit(self):
        ready = [c for c in self.alive("commands") if c.what != "secondary"]
        first = self.choose("commands", ready)
        if first is None:
            return self.record()
        given = [first]
        patient = self.plan.traits["patient"]
        if not patient and self.chance.random() < 0.3:
            other = self.choose("also", [c for c in ready if c is not first])
            if other is not None:
                given.append(other)
        if not patient and first.what == "simultaneous" and self.chance.random() < 0.3:
            given.append(first)
        self.give(given)

    def give(self, given):
        for commands in given:
            simultaneous = commands.what == "simultaneous"
            if not simultaneous:
                self.know(commands.last + 1)
        touched = [t for commands in given for c in commands.commands for t in c.touched]
        self.submits.append([t[:4] for t in touched])
        words = f"submit {' '.join(str(c.slot) for c in given)} value={len(self.submits)}"
        if self.chance.random() < 0.5:
            self.fences[len(self.submits) - 1] = slot = self.slot()
            words += f" fence={slot}"
        if self.has("submit2"):
            words += " how=2"
        if len(given) > 1 and self.chance.random() < 0.5:
            words += " apart=1"
        self.step(words)
        for commands in given:
            commands.last = len(self.submits) - 1
            for inner in commands.inner:
                inner.last = commands.last
            for command in [c for c in commands.commands if c.effect]:
                self.nodes.append(command)
                self.effects.append(command.effect)
                if command.name:
                    self.kernels_run.append((self.plan.which, command.name))
            if commands.what == "once":
                commands.alive = False
        if self.plan.traits["patient"]:
            self.know(len(self.submits))

    # --- the end

    def end(self):
        self.chance, self.seed = chance_of("vulkan end", self.plan.seed), f"v{self.plan.seed}.end"
        traits = self.plan.traits
        if traits["leaves_working"]:
            self.causes.add("leaves with work under way")
        else:
            self.know(len(self.submits))
            for memory in self.alive("memory"):
                if self.chance.random() < 0.7:
                    self.look(memory, 0, memory.count)
            if not traits["leaks"]:
                for buffer in self.alive("buffer") + self.alive("size_buffer") + self.alive("table_buffer"):
                    self.step(f"release buffer {buffer.id}")
                for image in reversed(self.alive("image")):  # parts before what they are of
                    self.step(f"release image {image.id}")
                for memory in self.alive("memory") + self.alive("sizes") + self.alive("table"):
                    self.step(f"release memory {memory.id}")
                for fence in self.fences.values():
                    self.step(f"release fence {fence}")
                self.step("close")
        if traits["quick"]:
            self.causes.add("_exit")
        self.code = self.chance.choice((0, 0, 0, 3))
        self.step(f"leave {'quick' if traits['quick'] else 'return'} {self.code}")

    @property
    def text(self):
        return "\n".join(self.steps) + "\n"
