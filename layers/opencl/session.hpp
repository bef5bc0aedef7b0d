// session.hpp - the captures of this process: at most one is under way.
//
// Any thread. Nothing here throws: what goes wrong is one line on standard error, and the program
// goes on without it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "layers/opencl/settings.hpp"
#include "reel/capture.hpp"

namespace reel::layer::session {

// Whether the hooks have to do more than to keep track of objects. Bits of `mode`.
inline constexpr std::uint32_t recording = 1;  // a capture is under way
inline constexpr std::uint32_t attention = 2;  // before_command() wants to be asked
std::uint32_t mode() noexcept;
void set_attention(bool on) noexcept;

// False, with the reason in `why`, when it could not be begun.
bool begin(const std::string& path, const Settings& settings, std::string& why) noexcept;
// Waits for the work recorded so far as long as it moves, and closes the document. False: none was
// under way.
bool end(CaptureReport& report) noexcept;
bool is_capturing() noexcept;
// Takes the document that was last closed away again.
std::uint64_t recorded_commands() noexcept;  // of the capture under way

void push_scope(std::string_view name) noexcept;  // of this thread
void pop_scope() noexcept;
// A handle of OpenCL that the layer has seen; false: it has not.
bool label(const void* object, std::string_view name) noexcept;

}  // namespace reel::layer::session
