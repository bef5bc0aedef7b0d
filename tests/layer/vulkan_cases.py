"""vulkan_cases.py - the same of Vulkan: which programs of vulkan/programs run in which group."""

import vulkan_hazards
from cases import Case

# Order is missing between dispatches, or between a copy and the host; one asks for what it can't get.
INVALID = ("missing_barrier", "racing_host", "refused")


# Layers of Vulkan beside ours: one that is as bad as a driver may be, and one that sees what is wrong with calls.
FAULT, VALIDATION = "VK_LAYER_REEL_TEST_fault", "VK_LAYER_KHRONOS_validation"
CHECKS = {"VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"}

GIVEN = "select count(*) from commands where kind = 'dispatch'"
# Calls that may take the host long: without them a pipeline that is built is a host that did nothing.
SLOW_CALLS = {
    f"select count(*) > 0, min(end_ns >= begin_ns) from calls where name = '{name}'": [[1, 1]]
    for name in ("vkCreateComputePipelines", "vkAllocateMemory")
}
# The host wrote what was being read, where only the one program with that mistake does.
EARLY = "select count(*) from notes where kind = 'host_changed'"


def vulkan(command, **expected):
    """Where it says how many dispatches it gives, and all of it is captured, there are no others in the document."""
    rows = expected.pop("rows", {})
    if expected.get("dispatches") and expected.get("complete", True):
        rows = {GIVEN: [[expected["dispatches"]]], EARLY: [[0]], **rows}
    return Case(command, rows=rows, **{"tally": False, "may_crash": False, **expected})


def ffmpeg(filters, **expected):
    """Five frames through filters; prints the hash of each."""
    return vulkan(
        "ffmpeg -hide_banner -loglevel error -bitexact -init_hw_device vulkan=device:0 -filter_hw_device device"
        f" -f lavfi -i testsrc=size=160x120:rate=25:duration=0.2 -vf format=yuv420p,hwupload,{filters},hwdownload,format=yuv420p"
        " -f framemd5 -",
        title=f"ffmpeg {filters}",
        **expected,
    )


def hazards(letters, **expected):
    """What is wrong is found as often as it is there, and nothing else; the host's bytes may be others in each run."""
    return vulkan(f"hazards {letters}", replay=None, rows=vulkan_hazards.questions(letters), **expected)


def layered(command):
    """With the validation layer above ours, and below it, where it sees what ours does: nothing to say, and the same verdict."""
    named = {"VK_INSTANCE_LAYERS": VALIDATION, **CHECKS}
    yield vulkan(command, title=f"{command} below validation", environment=named, options="--contents all")
    yield vulkan(command, title=f"{command} above validation", below=VALIDATION, environment=CHECKS, options="--contents all")


def leaving(way, **expected):
    return vulkan(f"leaving {way}", **expected)


def window(options, **expected):
    return vulkan("windows", title=f"windows {options}", options=options, replay="partly", **expected)


# What the program's own timestamps say of its work, beside what was recorded of it: times of the first dispatch, and of the
# two behind the barrier together. lavapipe's clock is the host's, so they can be compared as they are.
OWN_TIMES = """
with own(first, before, after, behind, last) as (
    select cast(substr(scope, 5, 6) as integer), cast(substr(scope, 12, 20) as integer),
        cast(substr(scope, 33, 20) as integer), cast(substr(scope, 54, 20) as integer), cast(substr(scope, 75, 20) as integer)
    from commands where scope like 'own %' and kind = 'dispatch'),
error(ns) as (select max(clock_error_ns) from devices)
"""
CUT = (
    OWN_TIMES
    + """
select count(*), sum(c.started_ns <= own.before + ns), sum(own.after <= c.ended_ns + ns), sum(c.ended_ns <= own.behind + ns),
    sum(i.count), sum(i.begin_ns = c.ended_ns), sum(own.last <= i.end_ns + ns)
from own, error join commands c on c.id = own.first join intervals i on i.first = own.first + 2"""
)
EACH = (
    OWN_TIMES
    + """
select count(*), sum(c.started_ns + ns >= own.before), sum(c.ended_ns <= own.after + ns),
    sum(d.started_ns + ns >= own.behind), sum(e.ended_ns <= own.last + ns), (select count(*) from intervals)
from own, error join commands c on c.id = own.first join commands d on d.id = own.first + 2 join commands e on e.id = own.first + 3"""
)
WHOLE = (
    OWN_TIMES
    + """
select count(*), sum(i.count), sum(i.begin_ns <= own.before + ns), sum(own.last <= i.end_ns + ns)
from own, error join intervals i on i.first = own.first"""
)
ALONE = "select count(*) from commands where kind = 'dispatch' and run_ns is not null and scope = ''"
TOGETHER = "select count(*), sum(count) from intervals"


def timed(way, rows, options=""):
    return vulkan(f"timed {way}", options=options, rows=rows)


CUT_ROWS = {CUT: [[3, 3, 3, 3, 6, 3, 3]], ALONE: [[3]]}
# Each dispatch has a time, of its own or within one; and whether those behind the first submissions have far fewer than dispatches.
UNTIMED = """
select count(*) from commands c where kind = 'dispatch' and run_ns is null
    and not exists (select 1 from intervals i where i.first <= c.id and c.id < i.first + i.count)"""
TINY_TIMES = """
with cut(id) as (select first from submissions order by first limit 1 offset 2)
select (select count(*) from commands, cut where kind = 'dispatch' and run_ns is not null and commands.id >= cut.id)
    + (select count(*) from intervals, cut where first >= cut.id) between 2 and 1000"""
TIMES = [
    *[timed(way, CUT_ROWS, "--stamps barriers") for way in ("once", "again", "secondary", "batches", "buffers", "flagged_buffers")],
    # By default kernels that take long are timed as those, and a thousand tiny ones in a few pieces.
    timed("once", {CUT: [[3, 3, 3, 3, 6, 3, 3]], UNTIMED: [[0]]}),
    vulkan("tiny", dispatches=4000, environment={"LP_NUM_THREADS": "0"}, rows={UNTIMED: [[0]], TINY_TIMES: [[1]]}),
    vulkan("tiny", dispatches=4000, options="--stamps barriers", rows={UNTIMED: [[0]], TINY_TIMES: [[0]], TOGETHER: [[0, None]]}),
    # Where it may be under way twice nobody knows which of the two a time within it is of.
    timed("simultaneous", {TOGETHER: [[3, 12]], ALONE: [[0]]}),
    timed("once", {EACH: [[3, 3, 3, 3, 3, 0]]}, "--stamps dispatches"),
    timed("batches", {EACH: [[3, 3, 3, 3, 3, 0]]}, "--stamps dispatches"),
    timed("once", {WHOLE: [[3, 12, 3, 3]], ALONE: [[0]]}, "--stamps submits"),
    timed("batches", {WHOLE: [[3, 12, 3, 3]], ALONE: [[0]]}, "--stamps submits"),
    timed(
        "once",
        {TOGETHER: [[0, None]], ALONE: [[0]], "select text from notes where kind = 'no_stamps'": [["No timestamps were asked for."]]},
        "--stamps none",
    ),
]
MEMORY = [
    vulkan(
        "flush_invalidate",
        dispatches=4,
        rows={"select count(*), sum(count), call from submissions": [[4, 8, "vkQueueSubmit"]]},
    ),
    vulkan("resubmitted", dispatches=123),
    vulkan("secondary", dispatches=15),
    vulkan("one_block", dispatches=23),
    vulkan("allocations", dispatches=4, rows=SLOW_CALLS),
    vulkan("aliased", dispatches=9),
    vulkan("imported_memory", dispatches=6),
    vulkan("transfers", dispatches=4),
    vulkan("handle_reuse", dispatches=60),
    vulkan("many", dispatches=12000),
    vulkan("scribbler", dispatches=80),
    vulkan("incoherent", dispatches=5),
    vulkan("incoherent", title="incoherent memory", dispatches=5, below=FAULT, environment={"FAULT_INCOHERENT": "1"}),
]
DESCRIPTORS = [
    vulkan("network", dispatches=24),
    vulkan("tokens", dispatches=240),
    vulkan("update_templates", dispatches=3),
    vulkan("descriptor_arrays", dispatches=7),
    vulkan("inline_blocks", dispatches=3),
    vulkan("update_after_bind", dispatches=4),
    vulkan("push_constants", dispatches=5),
    vulkan("texel_buffers", dispatches=1),
    vulkan("robust", dispatches=1),
    vulkan("addresses asked", dispatches=1),
    vulkan("addresses used", dispatches=1, checked_bytes=4096),
    vulkan("follows middle", dispatches=2, checked_bytes=6144),
    vulkan("follows steps", dispatches=2, checked_bytes=6144),
    vulkan("follows uniform", dispatches=1, checked_bytes=2048),
    vulkan("follows array", dispatches=1, checked_bytes=2048),
    vulkan("follows list", dispatches=2, checked_bytes=2048),
    vulkan("follows staged", dispatches=1, checked_bytes=2048),
    vulkan("follows stored", dispatches=2, checked_bytes=2048),
    vulkan("follows list", dispatches=2, options="--contents all", checked_bytes=2048),
    vulkan("follows stored", dispatches=2, options="--contents all", checked_bytes=2048),
    vulkan("follows flushed", dispatches=2, checked_bytes=4096),
    vulkan("follows flushed", title="follows flushed, incoherent", below=FAULT, environment={"FAULT_INCOHERENT": "1"}, dispatches=2),
    # The first read of addresses fails: the first dispatch is not replayed, and the second one has them again. Were they null
    # to it, its replay would crash.
    vulkan(
        "follows flushed",
        title="follows flushed, unread",
        below=FAULT,
        environment={"FAULT_INCOHERENT": "1", "FAULT_CALL": "vkCreateCommandPool", "FAULT_AT": "2", "FAULT_RESULT": "-1"},
        options="--stamps none",
        dispatches=2,
        replay="partly",
        rows={"select count(*) from notes where kind = 'not_replayable' and text like '%memory that can''t be read%'": [[1]]},
    ),
    vulkan("follows numbers", dispatches=2, replay="partly", because="no type says that its numbers are addresses"),
    vulkan("follows copied", dispatches=2, replay="partly", because="a kernel copied addresses as numbers"),
    vulkan("follows read", dispatches=2, replay="partly", because="results are of addresses, which are others"),
]
# Which dispatches a word may have skipped, and that it was not written within its section.
SKIPPED = "select sum(kind = 'run_if'), sum(kind = 'run_unless') from arguments"
CHANGED = "select count(*) from notes where kind = 'not_replayable' and text like '%since its section began%'"
# Where nothing is wrong with barriers, nothing is said.
SYNC = "select count(*) from findings where rule like 'sync.%'"
KERNELS = [
    vulkan("dispatches", dispatches=14, rows={"select count(*) from barriers": [[14]]}),
    vulkan("conditional", dispatches=57, rows={SKIPPED: [[33, 21]], CHANGED: [[0]], SYNC: [[0]]}),
    vulkan("conditional", title="conditional --contents all", options="--contents all", dispatches=57, rows={SYNC: [[0]]}),
    vulkan("conditional", title="conditional --stamps dispatches", options="--stamps dispatches", dispatches=57),
    vulkan(
        "conditional changed",
        dispatches=2,
        replay="partly",
        because="drivers differ in when they read the word",
        rows={CHANGED: [[1]]},
    ),
    # The library's own: a graph whose branches the device skips.
    vulkan("decides", rows={"select sum(kind = 'run_if') > 0, sum(kind = 'run_unless') > 0 from arguments": [[1, 1]]}),
    vulkan("constants", dispatches=4),
    vulkan("subgroup_size", dispatches=4),
    vulkan("entries", dispatches=5),
    vulkan("generated", dispatches=72),
]
ORDER = [
    vulkan("semaphores", dispatches=10),
    vulkan("fence_polls", dispatches=10),
    vulkan("events", dispatches=13),
    vulkan("submit2", dispatches=12),
    vulkan("queries", dispatches=9, replay="partly", because="times are others in each run"),
    vulkan(
        "labels",
        dispatches=2,
        rows={
            "select label from buffers": [["key cache"]],
            "select name from kernels": [["advance rows"]],
            "select label from streams": [["main queue"]],
        },
    ),
    vulkan("threads", dispatches=168),
    vulkan("missing_barrier not", dispatches=2),
    vulkan("missing_barrier", dispatches=2, replay=None, because="a barrier is missing"),
    vulkan(
        "racing_host",
        dispatches=4,
        replay=None,
        because="the host changes what is being copied",
        rows={
            EARLY: [[4]],
            "select count(*) from findings where rule = 'sync.host' and title like '% before it had waited for c2 %'"
            " and title like '% 4 such cases in all%'": [[1]],
        },
    ),
]
# Each hand-over is recorded by both sides.
HANDED = "select count(*) from barriers where source_family is not null and source_family <> target_family"
ORDER += [
    vulkan("families", dispatches=9, rows={HANDED: [[0]], SYNC: [[0]]}),
    vulkan(
        "families",
        title="families, two",
        below=FAULT,
        environment={"FAULT_FAMILIES": "1"},
        dispatches=9,
        rows={HANDED: [[22]], SYNC: [[0]], "select count(*) from streams": [[2]]},
    ),
]
HAZARDS = [
    *[hazards(letter) for letter in vulkan_hazards.TRUTH],
    hazards("".join(vulkan_hazards.TRUTH)),
    *[hazards(vulkan_hazards.random_letters(seed)) for seed in range(6)],
    *[
        hazards(f"-{letters}", below=FAULT, environment={"FAULT_QUEUES": "1"})
        for letters in (*vulkan_hazards.TWO_QUEUES, "xyXzbnNxySxTX")
    ],
]
IMAGES = [
    vulkan("storage_images", dispatches=4),
    vulkan("samplers", dispatches=2),
    vulkan("frames", dispatches=4),
    vulkan("image_views", dispatches=9),
    # Levels and layers are read in the layouts that they are in.
    vulkan("image_views", title="image_views --submits 1-2", options="--submits 1-2", dispatches=9),
    vulkan("linear_images", dispatches=4),
    vulkan("linear_images apart", dispatches=4, replay="partly", because="what the host may have written is read again"),
    # What kernels and copies use of such results is kept right behind them, in the same command buffer.
    vulkan("blits", dispatches=1, replay="partly", checked_bytes=32 * 32 * 4 + 8 * 8 * 4),
    vulkan("drawn", dispatches=1, replay="partly", checked_bytes=2 * 64 * 64 * 4),
    vulkan("drawn apart", dispatches=1, replay="partly", checked_bytes=2 * 64 * 64 * 4),
]
# What is shown is read before: the pixels of each frame are compared. Each frame waits for the one that had its image before.
SHOWN = "select count(*), sum(kind = 'opaque') from commands where label = 'vkQueuePresentKHR'"
PRESENTING = [
    vulkan("presented", screen=True, dispatches=7, checked_bytes=6 * 64 * 48 * 4, rows={SHOWN: [[6, 6]], SYNC: [[0]]}),
    vulkan("presented blit", screen=True, dispatches=7, replay="partly", rows={SHOWN: [[6, 6]], SYNC: [[0]]}),
    vulkan("presented", title="presented --contents all", options="--contents all", screen=True, dispatches=7),
    vulkan("presented", title="presented, idle", screen=True, idle=True),
    vulkan("presented", title="presented, valid", screen=True, validated=True),
]
LIVES = [
    vulkan("instances", dispatches=11),
    vulkan("functions", dispatches=1),
    vulkan("refused", dispatches=2),
    vulkan("both_apis", dispatches=10),
    leaving("return", dispatches=10),
    leaving("destroyed", dispatches=10),
    leaving("working", dispatches=20, replay=None, ends=5),
    leaving("thread", fails=9, dispatches=10),
    leaving("fork", dispatches=20),
    leaving("fork_exit", dispatches=20),
    leaving("fork_first", dispatches=10),
    leaving("_exit", fails=7, complete=False, replay=None),
    leaving("abort", fails=134, complete=False, replay=None),
    leaving("segv", fails=139, complete=False, replay=None),
    leaving("kill", fails=137, complete=False, replay=None),
]
WINDOWS = [
    window(""),
    window("--contents all"),
    *[window(f"--first {n}") for n in (1, 2, 4, 9)],
    *[window(f"--commands {first}-{first + n}") for first in (1, 3, 6) for n in (0, 4)],
    window("--kernel main"),
]
ALL = MEMORY + DESCRIPTORS + KERNELS + ORDER + IMAGES + LIVES


def validated(case):
    """The program itself, with the validation layer of Khronos, which must have nothing to say of it."""
    return vulkan(case.command, validated=True, fails=case.fails)


LAYERED = [
    case
    # Not "semaphores": what validation says of their values depends on when it learns of them, bare too (see below).
    for command in ("tokens", "dispatches", "conditional", "one_block", "storage_images", "transfers", "events", "hazards bBCSUF")
    for case in layered(command)
]
DIES = ("_exit", "abort", "segv", "kill", "fork_first", "working", "destroyed")
# Named first, ours stands nearer to the program, whatever `reel capture` adds behind.
VALIDATED_BELOW = {"VK_INSTANCE_LAYERS": "VK_LAYER_REEL_capture:VK_LAYER_KHRONOS_validation"}
VULKAN_GROUPS = {
    "vulkan_memory": MEMORY,
    "vulkan_descriptors": DESCRIPTORS,
    "vulkan_kernels": KERNELS,
    "vulkan_order": ORDER,
    "vulkan_hazards": HAZARDS,
    "vulkan_layered": LAYERED,
    "vulkan_images": IMAGES,
    "vulkan_presenting": PRESENTING,
    "vulkan_lives": LIVES,
    "vulkan_windows": WINDOWS,
    "vulkan_times": TIMES,
    # Captured, with the validation layer of Khronos between us and the driver: it must have nothing to say of what we add.
    "vulkan_valid_capture": [
        vulkan(command, options=options, replay=None, environment=VALIDATED_BELOW)
        for options in ("", "--stamps barriers", "--stamps dispatches")
        for command in ("timed again", "timed secondary", "timed batches", "timed buffers", "queries", "secondary", "submit2",
                        "drawn", "blits", "transfers", "storage_images", "conditional", "decides")
    ]
    + [vulkan("presented blit", replay=None, environment=VALIDATED_BELOW, screen=True)],
    "vulkan_ffmpeg": [ffmpeg("avgblur_vulkan=5,gblur_vulkan"), ffmpeg("chromaber_vulkan=dist_x=2,scale_vulkan=w=100:h=80")],
    "vulkan_idle": [
        vulkan(command, idle=True, fails=139 if command == "leaving segv" else 0)
        for command in (
            "functions",
            "imported_memory",
            "instances",
            "labels",
            "leaving fork",
            "leaving segv",
            "one_block",
            "queries",
            "storage_images",
            "threads",
        )
    ],
    "vulkan_valid": [
        validated(case)
        for case in ALL
        # Of values of semaphores the layer learns on a thread of its own, and may be late: then it says what isn't true.
        if case.command not in (*INVALID, "semaphores") and not case.command.endswith(DIES)
    ],
}
