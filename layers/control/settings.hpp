// settings.hpp - what the environment asks of the layer: where to, what, and when.
//
// `reel capture` sets these variables; docs/environment.md lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reel/capture_report.hpp"

namespace reel::layer {

struct CommandSpan {
  std::uint64_t first = 0, last = 0;  // inclusive; all commands of the process count, from 0
  friend bool operator==(const CommandSpan&, const CommandSpan&) = default;
};

// Where a capture writes timestamps of Vulkan: more of them take more of the device's time.
enum class StampDetail : std::uint8_t {
  none,
  submits,    // around what is submitted
  enough,     // and at barriers that enough work lies before
  barriers,   // and at all barriers
  dispatches  // and around each command
};

struct Settings {
  std::string path;  // a pattern (%p, %n, …); empty: nothing is captured before somebody asks
  Contents contents = Contents::inputs;
  std::uint64_t limit_bytes = 0;  // 0: none
  bool overwrite = false;
  StampDetail stamps = StampDetail::enough;

  std::uint64_t first = 0;              // stop after so many recorded commands; 0: no such stop
  std::optional<CommandSpan> commands;  // only these
  std::optional<CommandSpan> submits;   // only these submissions of Vulkan
  std::string kernel;                   // only dispatches of kernels this matches; empty: all
  double after_s = 0;                   // begin so long after the first call of OpenCL or Vulkan
  double for_s = 0;                     // end so long after the beginning; 0: no such end
  double last_s = 0;                    // keep only the end of the run; 0: keep all
  bool trigger = false;                 // begin when told to

  bool refused = false;  // a capture was asked for in a way that makes no sense

  std::string launcher;  // where `reel capture` listens; empty: nobody does
};

// The value of a variable; empty: unset.
using Variables = std::function<std::string_view(const char* name)>;

// What `variables` ask for; the path as it is. Where one makes no sense, `problem` is the sentence
// about it, and the path is empty.
Settings read_settings(const Variables& variables, std::string& problem);

// Of this process; the path counts from where the process is now. Never throws. What is wrong with
// a variable is said in one line on standard error, or to the launcher, and then nothing is
// captured: `path` is empty.
Settings settings_from_environment() noexcept;

}  // namespace reel::layer
