// control.hpp - when to begin and to end: windows of work, triggers, the program's own wish.
//
// The hooks call these; session.hpp is what it acts on. Any thread. Nothing leaves as an exception,
// and nothing here is ever destroyed: it works inside exit handlers and after them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "layers/control/controller.hpp"

namespace reel::layer::control {

// A loader has loaded the layer.
void layer_loaded() noexcept;
// The first call of the process: reads the settings, and begins what is to begin at once.
void first_call() noexcept;
// Only while session::attention is set: a command is about to be given. May begin or end a capture.
// Counts commands.
void before_command() noexcept;
// The same of commands that are given together, as vkQueueSubmit does.
void before_submission(std::uint64_t commands) noexcept;
// Whether a capture under way wants this dispatch. No kernel name: some other command.
namespace detail {
inline std::atomic<bool> selects_all{false};  // once the settings are read
}
bool selects_by_name(std::string_view kernel) noexcept;
inline bool selects(std::string_view kernel) noexcept {
  return detail::selects_all.load(std::memory_order_relaxed) || selects_by_name(kernel);
}
// Queues should be made so that they can stamp times: somebody may capture.
bool is_armed() noexcept;
// Where a capture writes timestamps.
StampDetail stamps() noexcept;
// At exit, while drivers still work: ends what is under way and says where it is.
void process_ends() noexcept;
// In a child after fork: nothing is under way here. Its next first_call() makes it a process of its
// own, with a document of its own.
void process_forked() noexcept;

// What the program asks for through reel_app.h. An empty path: as set.
Outcome start(const std::string& path) noexcept;
Outcome stop() noexcept;
Outcome trigger() noexcept;
void set_path(const std::string& path) noexcept;

}  // namespace reel::layer::control
