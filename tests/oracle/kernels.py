"""kernels.py - the kernels of random programs: their OpenCL C, and what they do, on a CPU that nobody doubts.

Every kernel has a constant of its own. Sources come from a few sets of constants, so that a driver's cache of
built programs helps; another set is another program, and a tampered one has a single constant changed.
"""

import functools

WORD = 0xFFFFFFFF
SETS = 4


@functools.lru_cache(maxsize=4096)
def pattern(seed, count):
    numbers = []
    for i in range(count):
        x = (seed * 2654435761 + i * 2246822519 + 374761393) & WORD
        x = ((x ^ (x >> 15)) * 2654435761) & WORD
        numbers.append(x ^ (x >> 13))
    return tuple(numbers)


def constant(which, name):
    """Odd, so that nothing is lost by multiplying with it."""
    return pattern(which * 100 + sum(name.encode()), 1)[0] | 1


ITERATIONS = 30000

# name: the source, with C for its constant. `a` and `b` are buffers, `s` is a number.
SOURCES = {
    "scale": "kernel void scale(global const uint* a, global uint* b, uint s) {\n"
    "  uint i = get_global_id(0); b[i] = a[i] * C + s; }",
    "advance": "kernel void advance(global uint* a, uint s) {\n"
    "  uint i = get_global_id(0); a[i] = a[i] * C ^ (i + s); }",
    "add": "kernel void add(global const uint* a, global const uint* b, global uint* c) {\n"
    "  uint i = get_global_id(0); c[i] = a[i] + b[i] * C; }",
    "slow": "kernel void slow(global uint* a, uint s) {\n"
    f"  uint i = get_global_id(0), x = a[i]; for (uint k = 0; k < {ITERATIONS}; ++k) x = x * C + s; a[i] = x; }}",
    "rotate": "kernel void rotate_by(global const uint* a, global uint* b, uint s) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); b[i] = a[(i + s) % n] ^ C; }",
    "some": "kernel void some(global uint* a, uint s) {\n"
    "  uint i = get_global_id(0); if (i % 3 == 0) a[i] = s * C + i; }",
    "count": "kernel void count(global const uint* a, global uint* b) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); atomic_add(&b[a[i] % n], C); }",
    "casts": "kernel void casts(global uint* a, global uint* b) {\n"
    "  global const uint* from = (global const uint*)a; uint i = get_global_id(0); b[i] = from[i] ^ C; }",
    "groups": "kernel void groups(global uint* a, local uint* tile) {\n"
    "  uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);\n"
    "  tile[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = tile[n - 1 - l] + C; }",
    "choose": "#if VARIANT == 1\n"
    "kernel void choose(global const uint* a, global uint* b) {\n"
    "  uint i = get_global_id(0); b[i] = a[i] * C; }\n"
    "#else\n"
    "kernel void choose(global uint* a, global uint* b) {\n"
    "  uint i = get_global_id(0); a[i] = a[i] + 1; b[i] = a[i] * C; }\n"
    "#endif",
    "pixels": "kernel void pixels(read_only image2d_t a, write_only image2d_t b, uint s, uint mask) {\n"
    "  int i = get_global_id(0), w = get_image_width(a); int2 at = (int2)(i % w, i / w);\n"
    "  write_imageui(b, at, (read_imageui(a, at) + s + C) & mask); }",
    "flatten": "kernel void flatten(read_only image2d_t a, global uint* b) {\n"
    "  int i = get_global_id(0), w = get_image_width(a); b[i] = read_imageui(a, (int2)(i % w, i / w)).x * C; }",
}
ENTRY = {name: "rotate_by" if name == "rotate" else name for name in SOURCES}
ENTRY |= {"weigh": "weigh", "texels": "texels"}  # only Vulkan's programs have them (shaders/)


def one_source(name, which, changed=0):
    return SOURCES[name].replace("C;", f"{constant(which, name) ^ changed}u;").replace(
        "C ", f"{constant(which, name) ^ changed}u "
    ).replace("C)", f"{constant(which, name) ^ changed}u)")


def source(which):
    return "\n".join(one_source(name, which) for name in SOURCES)


def tampered_source(which, name):
    """All of it, with one constant changed."""
    return "\n".join(one_source(one, which, 0x10 if one == name else 0) for one in SOURCES)


# How a kernel uses its memory, by position: r reads, w writes all of its items, u both or a part.
def uses(name, variant):
    return {
        "scale": "rw",
        "advance": "u",
        "add": "rrw",
        "slow": "u",
        "rotate": "rw",
        "some": "u",
        "count": "ru",
        "casts": "rw",
        "groups": "u",
        "choose": "rw" if variant == 1 else "uw",
        "pixels": "rw",
        "flatten": "rw",
        "weigh": "rrw",
        "texels": "rw",
    }[name]


def compute(name, c, variant, memory, items, s, extra):
    """What the kernel does to `memory`, lists of numbers by position. `extra`: group size, or format of images."""
    a = memory[0]
    b = memory[1] if len(memory) > 1 else None
    if name in ("scale", "texels"):
        b[:items] = [(x * c + s) & WORD for x in a[:items]]
    elif name == "advance":
        a[:items] = [(x * c & WORD) ^ ((i + s) & WORD) for i, x in enumerate(a[:items])]
    elif name == "add":
        memory[2][:items] = [(x + y * c) & WORD for x, y in zip(a[:items], b[:items])]
    elif name == "slow":
        m, k = 1, 0  # x -> m x + k, so often
        step_m, step_k, left = c, s, ITERATIONS
        while left:
            if left & 1:
                m, k = m * step_m & WORD, (k * step_m + step_k) & WORD
            step_m, step_k, left = step_m * step_m & WORD, (step_k * step_m + step_k) & WORD, left >> 1
        a[:items] = [(x * m + k) & WORD for x in a[:items]]
    elif name == "rotate":
        b[:items] = [a[((i + s) & WORD) % items] ^ c for i in range(items)]
    elif name == "some":
        a[:items] = [(s * c + i) & WORD if i % 3 == 0 else x for i, x in enumerate(a[:items])]
    elif name == "count":
        for x in list(a[:items]):
            b[x % items] = (b[x % items] + c) & WORD
    elif name == "casts":
        b[:items] = [x ^ c for x in a[:items]]
    elif name == "weigh":
        memory[2][:items] = [(x * c + b[i % 4]) & WORD for i, x in enumerate(a[:items])]
    elif name == "groups":
        old = list(a)
        for i in range(items):
            group = i // extra * extra
            a[i] = (old[group + extra - 1 - (i - group)] + c) & WORD
    elif name == "choose":
        if variant != 1:
            a[:items] = [(x + 1) & WORD for x in a[:items]]
        b[:items] = [x * c & WORD for x in a[:items]]
    elif name == "pixels":
        if extra == "r32":
            b[:items] = [(x + s + c) & WORD for x in a[:items]]
        else:
            b[:items] = [
                sum((((x >> shift) & 255) + s + c & 255) << shift for shift in (0, 8, 16, 24)) for x in a[:items]
            ]
    elif name == "flatten":
        b[:items] = [x * c & WORD for x in a[:items]]
