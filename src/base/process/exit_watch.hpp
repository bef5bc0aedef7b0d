// exit_watch.hpp - tells when exit() begins, while all of a driver still works.
//
// exit() runs handlers in the reverse order of their registration, and a driver's may be registered
// late: when it first compiles, on a thread of its own, after the program's last call. But before
// any handler exit() destroys the variables of the thread that called it: there a thread that is
// watched registers a handler, which is the first to run. Where exit() comes from a thread that
// isn't, nobody is told; other handlers then run as they were registered, and don't know what still
// works.
#pragma once

namespace reel {

// In this order: what ends a capture may give work to devices.
enum class ExitStep { end_captures, wait_for_devices };

// `function` is called when a watched thread calls exit(), in that thread. `others`: there are
// other watched threads, which may go on giving work. One for each step, set before threads are
// watched.
void on_exit_begin(ExitStep step, void (*function)(bool others)) noexcept;

// The thread that calls is watched from now on. Cheap.
void watch_exit() noexcept;

}  // namespace reel
