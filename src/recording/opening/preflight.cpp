#include "recording/opening/preflight.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "base/fail.hpp"
#include "base/process/environment_variable.hpp"

namespace reel::capture {

std::string in_units(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

unsigned document_mode() {
  constexpr unsigned own = 0600;
  const std::string_view digits = environment_variable("REEL_CAPTURE_MODE");
  if (digits.empty()) return own;
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mode, 8);
  if (error != std::errc{} || end != digits.data() + digits.size() || (mode & own) != own ||
      (mode & ~0666u) != 0)
    fail(Code::invalid_argument,
         "REEL_CAPTURE_MODE is '{}'; the mode of a document is an octal number from 0600 to 0666 "
         "that lets its owner read and write, such as 0640.",
         digits);
  return mode;
}

Preflight preflight(const std::string& path, Contents contents, std::uint64_t limit_bytes,
                    std::uint64_t live_bytes) {
  Preflight result;
  const bool keeps_bytes = contents == Contents::inputs || contents == Contents::all;
  result.estimate_bytes = keeps_bytes ? live_bytes : 0;
  if (limit_bytes && result.estimate_bytes > limit_bytes) result.estimate_bytes = limit_bytes;
  auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) == 0)
    result.free_bytes = std::uint64_t{system.f_bavail} * system.f_frsize;
  if (result.free_bytes && *result.free_bytes < result.estimate_bytes)
    result.warning = fmt::format(
        "{}: buffers hold {} and {} are free there; if the disk fills up, recording stops and the "
        "document ends early. REEL_CAPTURE_CONTENTS=hashes or a limit keeps it small.",
        path, in_units(result.estimate_bytes), in_units(*result.free_bytes));
  return result;
}

}  // namespace reel::capture
