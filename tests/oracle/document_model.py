"""document_model.py - a document run on a CPU that nobody doubts: what its checks must be, as they are and after a change.

It knows the kernels of random programs by name, and nothing of the program but what the document says.
"""

import struct

import kernels
from model import OWN_CONSTANTS


class Unknown(Exception):
    """The document has something that can't be run here, as a function of the program."""


class Command:
    def __init__(self, kind, kernel, items, group, pattern, pattern_bytes):
        self.kind, self.kernel = kind, kernel
        self.items, self.group = int(items), int(group)
        self.pattern = struct.pack("<Q", int(pattern))[: int(pattern_bytes)]
        self.ranges = []  # (access, buffer, first byte, end)
        self.values = []  # (place among all values, number)
        self.indirect = None  # (buffer, first byte) of its size, where that lies in memory
        self.word = None  # (buffer, first byte, must be 0) of what it is skipped by


class Row:
    """Contents: `page` is the name of its bytes, None where there are several."""

    def __init__(self, role, command, buffer, offset, size, page, data):
        self.role, self.command, self.buffer = role, int(command), int(buffer)
        self.first, self.end = int(offset), int(offset) + int(size)
        self.page = None if page == "-" else page
        self.data = None if data == "-" else bytes.fromhex(data)


class Document:
    """From the lines of `oracle_document tell`. `programs`: (which, variant) of the kernels; None: those of oracle_own."""

    def __init__(self, lines, program):
        self.program = program
        self.sizes, self.addresses, self.commands, self.rows = [], [], [], []
        for line in lines:
            word, *rest = line.split()
            if word == "buffer":
                self.sizes.append(int(rest[0]))
                self.addresses.append(int(rest[1]))
            elif word == "command":
                self.commands.append(Command(*rest))
            elif word == "range":
                access, buffer, offset, size = rest
                self.commands[-1].ranges.append((access, int(buffer), int(offset), int(offset) + int(size)))
            elif word == "indirect":
                self.commands[-1].indirect = int(rest[0]), int(rest[1])
            elif word in ("run_if", "run_unless"):
                self.commands[-1].word = int(rest[0]), int(rest[1]), word == "run_unless"
            elif word == "value":
                self.commands[-1].values.append((int(rest[0]), int.from_bytes(bytes.fromhex(rest[1]), "little")))
            else:
                self.rows.append(Row(*rest))
        self.by_command = {}
        for row in self.rows:
            self.by_command.setdefault(row.command, []).append(row)

    # --- changes, as oracle_document makes them: one bit of a page or of a value

    def pages(self):
        """Pages that were given, are no result anywhere, and don't say how large a dispatch is or what it uses."""
        sizes = {command.indirect[0] for command in self.commands if command.indirect}
        # What is changed in a table of addresses leads a kernel anywhere.
        sizes |= {r[1] for c in self.commands if c.kernel.startswith("scale_by") for r in c.ranges if r[0] == "in"}
        results = {row.page for row in self.rows if row.role == "check" or row.buffer in sizes}
        return sorted({row.page for row in self.rows if row.page and row.data and row.role != "check"} - results)

    def values(self):
        """The first number of each dispatch that has one."""
        return sorted({c.values[0][0] for c in self.commands if c.kind == "dispatch" and c.values})

    def blamed(self, before, after):
        """Of what differs, the command that wrote it and the one whose check shows it, the earliest writer first; None
        where no check changes. A writer past all commands: nobody but the host wrote it."""
        first = None
        for (row, one), (_, other) in zip(before, after):
            if one == other:
                continue
            spans = [(row.first, row.end)]  # of a hash nobody knows which bytes differ
            if row.data is not None:
                places = [i for i in range(0, len(one), 4) if one[i : i + 4] != other[i : i + 4]]
                spans = [(row.first + i, row.first + i + 4) for i in places]
            for begin, end in spans:
                found = self.last_writer(row, begin, end), row.command
                first = found if first is None else min(first, found)
        return first

    def last_writer(self, row, begin, end):
        for number in range(row.command, -1, -1):
            for access, buffer, first, last in self.commands[number].ranges:
                if access != "in" and buffer == row.buffer and first < end and begin < last:
                    return number
        return len(self.commands)

    # --- running

    def run(self, page=None, byte=0, value=None, kernel=None):
        """The bytes of each check, in order, with a page, a value or the constant of a kernel changed."""
        self.changed_value, self.changed_kernel = value, kernel
        self.memory = [bytearray(size) for size in self.sizes]
        found = []

        def put(row):
            if row.data is None:
                raise Unknown("bytes that are not there")
            data = bytearray(row.data)
            if page is not None and row.page == page:
                data[byte] ^= 0x10
            self.memory[row.buffer][row.first : row.end] = data

        for row in self.by_command.get(-1, ()):
            put(row)
        for number, command in enumerate(self.commands):
            rows = self.by_command.get(number, ())
            for row in (r for r in rows if r.role == "input"):
                put(row)
            for row in (r for r in rows if r.role == "written"):
                put(row)
            self.perform(command)
            for row in (r for r in rows if r.role == "check"):
                found.append((row, bytes(self.memory[row.buffer][row.first : row.end])))
        return found

    def perform(self, command):
        memory = self.memory
        if command.kind == "copy":
            for source, target in zip(command.ranges[::2], command.ranges[1::2]):
                memory[target[1]][target[2] : target[3]] = memory[source[1]][source[2] : source[3]]
        elif command.kind == "fill":
            for _, buffer, first, end in command.ranges:
                times = (end - first) // len(command.pattern)
                memory[buffer][first:end] = command.pattern * times
        elif command.kind == "dispatch":
            self.dispatch(command)
        elif command.kind == "opaque":
            raise Unknown("work that nobody replays")
        elif command.kind == "host_call" and command.ranges:
            raise Unknown("a function of the program")

    def is_skipped(self, command):
        if command.word is None:
            return False
        buffer, first, must_be_zero = command.word
        return (self.memory[buffer][first : first + 4] == bytes(4)) != must_be_zero

    def dispatch(self, command):
        if self.is_skipped(command):
            return
        values = [number ^ 0x10 if place == self.changed_value else number for place, number in command.values]
        parts = []
        places = [range_[1:] for range_ in command.ranges]
        entry = command.kernel.split(":")[0]
        if entry.endswith("_at") or entry == "scale_by":
            places = self.places(command, values)
            values = [values[0] & 0xFFFFFFFF]
        for buffer, first, end in places:
            bytes_now = self.memory[buffer][first:end]
            parts.append(list(struct.unpack(f"<{len(bytes_now) // 4}I", bytes_now)))
        items = command.items
        if command.indirect:
            buffer, first = command.indirect
            x, y, z = struct.unpack("<3I", self.memory[buffer][first : first + 12])
            items = x * y * z * command.group
        if self.program is None:
            name, variant = command.kernel.removeprefix("oracle_"), 1
            constant = OWN_CONSTANTS[name]
            items = min(items, values[-1])
            extra = None
        else:
            which, variant = self.program
            # Of Vulkan, kernels that differ in their constants are told apart by a hash: scale:9037e73f.
            entry = "scale" if entry == "scale_by" else entry.removesuffix("_at")
            name = {entry: name for name, entry in kernels.ENTRY.items()}[entry]
            constant = kernels.constant(which, name)
            extra = command.group
            if name == "pixels":
                extra = "r32" if len(values) < 2 or values[1] == 0xFFFFFFFF else "rgba8"
        if name == self.changed_kernel:
            constant ^= 0x10
        kernels.compute(name, constant, variant, parts, items, values[0] if values else 0, extra)
        for (buffer, first, end), numbers, use in zip(places, parts, kernels.uses(name, variant)):
            if use != "r":
                self.memory[buffer][first:end] = struct.pack(f"<{len(numbers)}I", *numbers)

    def places(self, command, values):
        """Where the addresses that a kernel is given lead, each as far as memory goes that the command has."""
        if command.kernel.startswith("scale_by"):
            table, first = command.ranges[0][1:3]
            a, b = struct.unpack("<2Q", self.memory[table][first : first + 16])
            buffer, at, _ = self.place(command, b)
            return [self.place(command, a), self.place(command, struct.unpack("<Q", self.memory[buffer][at : at + 8])[0])]
        count = len(kernels.uses(command.kernel.split(":")[0].removesuffix("_at"), 1))
        return [self.place(command, values[0] >> (64 * (i + 1)) & (1 << 64) - 1) for i in range(count)]

    def place(self, command, address):
        for _, buffer, first, end in command.ranges:
            begin = self.addresses[buffer]
            if begin and begin + first <= address < begin + end:
                # Ranges side by side are one piece of memory.
                ends = sorted((f, e) for _, b, f, e in command.ranges if b == buffer and f >= first)
                for other, last in ends:
                    end = max(end, last) if other <= end else end
                return buffer, address - begin, end
        raise Unknown("an address that leads nowhere")
