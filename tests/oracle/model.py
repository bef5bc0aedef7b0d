"""model.py - what a program's memory holds after each effect, and so what every read of it must give."""

import struct

import kernels

OWN_CONSTANTS = {"scale": 5, "advance": 7, "add": 3, "slow": 1664525}


def digest(numbers):
    """FNV-1a, as steps.cpp has it."""
    value = 14695981039346656037
    for byte in struct.pack(f"<{len(numbers)}I", *numbers):
        value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


class Model:
    """Runs a list of effects, in the order that the program keeps.

    `changed` names a kernel of a set of constants whose constant is another one: what a replay of a tampered
    document must come to.
    """

    def __init__(self, effects, changed=None):
        self.memory = {}
        self.said = {}  # by step: what the program prints of it
        self.kept = {}
        self.changed = changed
        for effect in effects:
            getattr(self, effect[0])(*effect[1:])

    def init(self, root, seed, count):
        self.memory[root] = list(kernels.pattern(seed, count))

    def blank(self, root, count):
        self.memory[root] = [0] * count

    def write(self, root, first, count, seed):
        self.memory[root][first : first + count] = kernels.pattern(seed, count)

    def fill(self, root, first, count, seed, width):
        numbers = kernels.pattern(seed, width)
        self.memory[root][first : first + count] = [numbers[i % width] for i in range(count)]

    def copy(self, source, first, root, at, count):
        self.memory[root][at : at + count] = self.memory[source][first : first + count]

    def blit(self, source, width, height, root, columns, rows, flips):
        """From the nearest pixel; bit 0 of `flips` turns columns, bit 1 rows."""
        for y in range(rows):
            for x in range(columns):
                across, down = x * width // columns, y * height // rows
                across = width - 1 - across if flips & 1 else across
                down = height - 1 - down if flips & 2 else down
                self.memory[root][y * columns + x] = self.memory[source][down * width + across]

    def write_rectangle(self, root, start, pitch, columns, rows, seed):
        numbers = kernels.pattern(seed, columns * rows)
        for row in range(rows):
            at = start + row * pitch
            self.memory[root][at : at + columns] = numbers[row * columns : (row + 1) * columns]

    def keep_rectangle(self, key, root, start, pitch, columns, rows):
        self.kept[key] = [self.memory[root][start + r * pitch + c] for r in range(rows) for c in range(columns)]

    def run(self, which, variant, name, places, items, number, extra):
        memory = [self.memory[root][first : first + count] for root, first, count in places]
        c = kernels.constant(which, name) ^ (0x10 if self.changed == (which, name) else 0)
        kernels.compute(name, c, variant, memory, items, number, extra)
        for (root, first, count), numbers, use in zip(places, memory, kernels.uses(name, variant)):
            if use != "r":
                self.memory[root][first : first + count] = numbers

    def numbers(self, root, first, numbers):
        self.memory[root][first : first + len(numbers)] = numbers

    def indirect_run(self, which, name, places, size_root, size_at, number, group):
        """The size of the dispatch is what its memory says when it runs."""
        items = self.memory[size_root][size_at] * group
        self.run(which, 1, name, places, items, number, group)

    def run_if(self, root, place, inverted, effect):
        """What a word of memory skips where it is 0, or, inverted, where it isn't."""
        if (self.memory[root][place] == 0) == inverted:
            getattr(self, effect[0])(*effect[1:])

    def bytes(self, root, first, count, byte):
        self.memory[root][first : first + count] = [byte * 0x01010101] * count

    def own_run(self, name, places, items, number):
        """A kernel of oracle_own, whose constants are always the same."""
        memory = [self.memory[root][first : first + count] for root, first, count in places]
        c = OWN_CONSTANTS[name] ^ (0x10 if self.changed == (0, name) else 0)
        kernels.compute(name, c, 1, memory, items, number, None)
        for (root, first, count), numbers, use in zip(places, memory, kernels.uses(name, 1)):
            if use != "r":
                self.memory[root][first : first + count] = numbers

    def native(self, root, first, count):
        part = self.memory[root][first : first + count]
        self.memory[root][first : first + count] = [(x * 3 + 7) & kernels.WORD for x in part]

    def keep(self, key, root, first, count):
        self.kept[key] = self.memory[root][first : first + count]

    def show(self, step, key):
        self.said[step] = digest(self.kept[key])

    def says(self, step, line):
        self.said[step] = line
