"""cases.py - which programs run in which group, and what is special about some of them."""

import re
from dataclasses import dataclass, field


@dataclass
class Case:
    """A program with its arguments, and what is expected of its document.

    `replay` says how its replay ends: "equal", every byte compared and right; "partly", where some of
    the work can't be given again, which the document must say, and nothing differs; None, not replayed.
    """

    command: str
    replay: str | None = "equal"
    # False: the program gives no OpenCL work, or dies before anything could be written.
    document: bool = True
    # False: it ends in a way that leaves the document to be repaired by its readers.
    complete: bool = True
    # So many dispatches must be in it at least, where the program can't tell how many it gave.
    dispatches: int = 0
    # So many bytes of results must be compared by its replay at least.
    checked_bytes: int = 0
    # False: kernels reach the driver on ways that the tally doesn't see, or from several processes.
    tally: bool = True
    # What it is called where the command is long.
    title: str = ""
    # None: all of it. Else a function that keeps what is the same in each run of the program.
    keep: object = None
    environment: dict = field(default_factory=dict)
    # The layer is loaded, and nobody captures: nothing may differ, and no document appear.
    idle: bool = False
    # Options of `reel capture`.
    options: str = ""
    # How it ends where the driver doesn't crash by itself, as some do when a program leaves them at work.
    ends: int | None = None
    # How it ends where it is meant to fail.
    fails: int = 0
    # A kind of note that must be in the document.
    note: str = ""
    # The document says how long giving its commands took, and the times of the calls bear it out.
    giving_time: bool = False
    # The validation layer of Vulkan is loaded in place of ours: it must have nothing to say of the program.
    validated: bool = False
    # A layer of Vulkan that stands between ours and the driver, in the bare run as well.
    below: str = ""
    # False: where a replay can't be made it says so before a driver crashes.
    may_crash: bool = True
    # It shows images on a screen of X, which the case has for itself.
    screen: bool = False
    # Questions in SQL about the document, and the rows that they must give.
    rows: dict = field(default_factory=dict)
    # Why it is as it is; printed with a failure.
    because: str = ""

    @property
    def name(self):
        words = " ".join([self.title or self.command, self.options, *self.environment.values()])
        return re.sub(r"[^A-Za-z0-9_]+", "-", words)[-100:]


def without_numbers(words):
    """Of a program that prints times: everything else it prints."""
    return re.sub(r" *[0-9]+([.][0-9]+)?", " #", words)


def python(program, **expected):
    return Case(f"/usr/bin/python3 {{source}}/real/{program}.py", title=f"{program}.py", **expected)


def ffmpeg(filters, **expected):
    """Five frames through filters; prints the hash of each."""
    return Case(
        "ffmpeg -hide_banner -loglevel error -bitexact -init_hw_device opencl=device:0.0 -filter_hw_device device"
        f" -f lavfi -i testsrc=size=160x120:rate=25:duration=0.2 -vf {filters} -f framemd5 -",
        title=f"ffmpeg {filters}",
        **expected,
    )


def bad_driver(behaviour, seed=0, **expected):
    return Case(
        "fake_calls",
        title=f"fake_calls {behaviour} {seed}",
        environment={"FAKE_DRIVER": behaviour, "FAKE_SEED": str(seed), "OCL_ICD_VENDORS": "{build}/fake"},
        replay=None,
        **expected,
    )


def window(options, **expected):
    """A part of a run: nothing may differ, and what can't be proved has a reason."""
    return Case("windows", title=f"windows {options}", options=options, replay="partly", tally=False, **expected)


def overwriting(way, contents, **expected):
    return Case(f"overwriting {way}", title=f"overwriting {way} {contents}", options=f"--contents {contents}", **expected)


def ending(way, **expected):
    return Case(f"ending {way}", **expected)


def leaving(way, **expected):
    """Leaves with work under way. Without its cache PoCL compiles kernels when they first run."""
    return Case(
        f"leaving {way}",
        environment={"POCL_KERNEL_CACHE": "0"},
        tally=False,
        because="what is under way when a program leaves is recorded as far as the device got",
        **expected,
    )


GROUPS = {
    "memory": [
        Case("vector_add"),
        Case("launches", giving_time=True),
        Case("changing_arguments"),
        Case("sub_buffers"),
        Case("host_pointers"),
        Case("host_changes", replay="partly", because="a page that the host changed is an input: what the device had left in it is not compared"),
        Case("host_changes", options="--contents all"),
        Case("mapping"),
        Case("same_again"),
        Case("same_again", options="--contents all"),
        Case("never_unmapped"),
        Case("rectangles"),
        Case("fill_patterns"),
        Case("nonblocking"),
        Case("migration"),
        Case("volume"),
    ],
    "images": [
        Case("image_kinds"),
        Case("image_formats"),
        Case("samplers"),
        Case("image_copies"),
        Case("image_mapping"),
        Case("image_from_buffer"),
    ],
    "svm": [
        Case("svm_coarse"),
        Case("svm_fine", replay="partly", because="a page that the host changed is an input: what the device had left in it is not compared"),
        Case("svm_fine", options="--contents all"),
        Case("svm_fresh", options="--contents all"),
        Case("svm_pointers", replay="partly", because="addresses are others in a replay"),
        Case("svm_pointers hidden", replay="partly", because="addresses are others in a replay"),
    ],
    "order": [
        Case("out_of_order"),
        *[
            overwriting(way, contents)
            for way in ("ping_pong", "reads", "out_of_order", "host_memory")
            for contents in ("inputs", "all")
        ],
        # A capture that waited for memory here would wait for the program: seconds for each command.
        Case("held_queue", options="--contents all", replay="partly", because="results beyond its memory are missing"),
        overwriting("held", "inputs", replay=None, because="the program lets two queues write the same bytes"),
        overwriting("held", "all", replay=None, because="the program lets two queues write the same bytes"),
        Case("user_events"),
        Case("callbacks", replay="partly", because="memory released by a callback may be gone before it was read"),
        Case("polling status", note="polled_order"),
        Case("polling times", note="polled_order"),
        Case("polling callback", note="polled_order"),
        Case("failing", replay="partly", note="failed", because="nobody knows what a failed command wrote"),
        Case("many_queues"),
        Case("sub_devices"),
        Case("two_devices"),
        Case("seven_threads"),
        Case("short_threads"),
    ],
    "windows": [
        window(""),
        window("--contents all"),
        *[window(f"--first {n}") for n in range(1, 8)],
        *[window(f"--commands {first}-{first + n}") for first in range(1, 9) for n in (0, 2, 5)],
        window("--commands 2-30 --contents all"),
        window("--kernel first"),
        window("--kernel second"),
        window("--kernel first --contents all"),
    ],
    "programs": [
        Case("program_binary"),
        Case("program_il", replay=None),
        Case("compile_link"),
        Case("build_options"),
        Case("hidden_writes", checked_bytes=3 * 1024, because="a text that says const may not be what is compiled"),
        Case("build_failure"),
        Case("builtin_kernel", replay=None),
        Case("many_kernels"),
        Case("clone_kernel"),
    ],
    "kernels": [
        Case("argument_kinds"),
        Case("other_values"),
        Case("work_sizes", replay="partly", because="what a refused command names is an input of the next: what was there before is not compared"),
        Case("work_sizes", options="--contents all"),
        Case("native_kernel", replay="partly", because="a C function can't be in a document"),
        Case("task"),
        Case("kernel_printf"),
        Case("command_buffer", tally=False, dispatches=6),
    ],
    "queries": [
        Case("profiling"),
        Case("queries"),
        Case("function_addresses"),
        Case("wrong_arguments"),
    ],
    "lifetimes": [
        Case("odd_releases"),
        Case("taken_back"),
        Case("releases"),
        # The capture ends again and again while the program releases what is to be read then.
        Case("releases", title="releases --last 5ms", options="--last 5ms", replay=None, tally=False),
        Case("handle_reuse 30000"),
        Case("many_objects 20000"),
    ],
    "endings": [
        Case("closes_descriptors"),
        ending("return"),
        ending("leak"),
        ending("exit", fails=3),
        ending("_exit", fails=4, complete=False, dispatches=50, replay=None),
        ending("abort", fails=134, complete=False, dispatches=50, replay=None),
        ending("segv", fails=139, complete=False, dispatches=50, replay=None),
        ending("kill", fails=137, complete=False, dispatches=50, replay=None),
        ending("term", fails=143, complete=False, dispatches=50, replay=None),
        ending("exit_in_thread", fails=7),
        ending("atexit"),
        ending("destructor", tally=False, dispatches=50, because="the document is closed before destructors run"),
        ending("fork"),
        ending("fork_exit"),
        ending("fork_exec", tally=False),
        ending("fork_first", tally=False),
        ending("exec", tally=False, complete=False, dispatches=50, replay=None),
        ending("close_descriptors", complete=False, replay=None),
        leaving("return", ends=5),
        leaving("exit_in_thread", ends=7),
        leaving("exit_in_callback", ends=9, replay=None),
        leaving("quick_exit", ends=10, complete=False, replay=None),
        leaving("_exit", ends=11, complete=False, replay=None),
        leaving("pthread_exit", ends=14),
        leaving("held", ends=13, replay=None),
        Case("closes_loader 1", fails=2),
        Case("closes_loader 3", fails=2),
        Case("closes_loader 1 leak", fails=2),
        Case("closes_loader 3 leak", fails=2),
        Case("no_context", fails=3, replay=None, because="its document is closed as that of any other program"),
        Case("no_opencl", document=False),
        Case("no_opencl with words", fails=9, document=False),
        Case("no_opencl_static", document=False),
    ],
    "clpeak": [
        Case("clpeak --kernel-latency", keep=without_numbers),
        Case("clpeak --kernel-latency --use-event-timer", keep=without_numbers),
    ],
    "python": [
        python("arrays"),
        python("arrays", environment={"PYOPENCL_NO_CACHE": "1"}),
        python("raw_calls", environment={"PYOPENCL_NO_CACHE": "1"}),
    ],
    "libraries": [
        Case("blas"),
        Case("fft"),
    ],
    "ffmpeg": [
        ffmpeg("format=yuv420p,hwupload,avgblur_opencl=3,unsharp_opencl,hwdownload,format=yuv420p"),
        ffmpeg("format=yuv420p,hwupload,boxblur_opencl,sobel_opencl,transpose_opencl=clock,hwdownload,format=yuv420p"),
        ffmpeg("format=rgba,hwupload,colorkey_opencl=green:0.3:0.2,hwdownload,format=rgba"),
        ffmpeg("format=yuv420p,hwupload,nlmeans_opencl,erosion_opencl,hwdownload,format=yuv420p"),
    ],
    "idle": [
        *(
            Case(command, idle=True, fails={"closes_loader 3 leak": 2, "ending segv": 139}.get(command, 0))
            for command in (
                "callbacks",
                "closes_loader 3 leak",
                "command_buffer",
                "ending close_descriptors",
                "ending fork",
                "ending segv",
                "function_addresses",
                "handle_reuse 30000",
                "host_pointers",
                "image_mapping",
                "mapping",
                "odd_releases",
                "out_of_order",
                "profiling",
                "queries",
                "seven_threads",
                "short_threads",
                "svm_fine",
                "svm_pointers",
                "wrong_arguments",
            )
        ),
        bad_driver("repeats", idle=True),
        bad_driver("old", idle=True),
    ],
    "bad_drivers": [
        *(
            bad_driver(behaviour)
            for behaviour in (
                "works",
                "nulls",
                "repeats",
                "long_names",
                "old",
                "no_profiling",
                "wild_times",
                "still_times",
                "no_events",
                "bad_maps",
                "no_answers",
            )
        ),
        bad_driver("no_devices", document=False),
        *(bad_driver("errors", seed, document=False) for seed in range(12)),
    ],
}
