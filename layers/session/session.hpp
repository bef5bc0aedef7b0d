// session.hpp - the captures of this process: at most one is under way.
//
// Any thread. Nothing here throws: what goes wrong is one line on standard error, and the program
// goes on without it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "layers/control/settings.hpp"
#include "recording/writing/messages.hpp"
#include "reel/capture_report.hpp"

namespace reel::capture {
class ApiAdapter;
}

namespace reel::layer::session {

// The process calls this API, too. For the rest of its life.
void add(capture::ApiAdapter& api) noexcept;

// Whether the hooks have to do more than to keep track of objects. Bits of mode().
inline constexpr std::uint32_t recording = 1;  // a capture is under way
inline constexpr std::uint32_t attention = 2;  // control::before_command() wants to be asked
inline constexpr std::uint32_t ending = 4;     // a capture reads its last results
namespace detail {
inline std::atomic<std::uint32_t> mode_bits{0};
}
inline std::uint32_t mode() noexcept { return detail::mode_bits.load(std::memory_order_relaxed); }
void set_attention(bool on) noexcept;  // async-signal-safe
// A command is given while a capture is ending: it isn't recorded, and its results are not those
// of the recorded ones.
void stray_command() noexcept;
std::uint32_t stray_commands() noexcept;

// False, with the reason in `why`, when it could not be begun. `pattern`: what became the path.
bool begin(const std::string& path, const std::string& pattern, const Settings& settings,
           std::string& why) noexcept;
// Of a library that no layer is about; its name stays until the process ends.
void foreign_call(const capture::CallMessage& call) noexcept;
// Waits for the work recorded so far as long as it moves, and closes the document. False: none was
// under way.
bool end(CaptureReport& report) noexcept;
// What was recorded is done then, or doesn't get done.
void wait_for_work() noexcept;
// The process exits and nobody knows what of the driver still works: end() waits for nothing.
void hurry() noexcept;
bool is_capturing() noexcept;
std::uint64_t recorded_commands() noexcept;  // of the capture under way

void push_scope(std::string_view name) noexcept;  // of this thread
void pop_scope() noexcept;
// A handle of any API that was seen being made; false: it was not.
bool label(const void* handle, std::string_view name) noexcept;

// In a child after fork: nothing is under way here, and the parent's document is the parent's.
void prepare_fork() noexcept;
void after_fork_in_parent() noexcept;
void after_fork_in_child() noexcept;

}  // namespace reel::layer::session
