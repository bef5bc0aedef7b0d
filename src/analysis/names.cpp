#include <array>

#include "reel/diff.hpp"

namespace reel::analysis {

namespace {

template <std::size_t count, class Enum>
const char* name_in(const std::array<const char*, count>& names, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < count ? names[index] : "unknown";
}

}  // namespace

const char* to_string(IdleCause cause) noexcept {
  constexpr std::array<const char*, idle_causes> names{
      "host",       "sync",     "wakeup", "dependency", "build",
      "allocation", "transfer", "launch", "capture",    "unknown"};
  return name_in(names, cause);
}

const char* to_string(Bottleneck bottleneck) noexcept {
  constexpr std::array names{"device", "host", "copies", "waits", "unknown"};
  return name_in(names, bottleneck);
}

const char* to_string(DependencyKind kind) noexcept {
  constexpr std::array names{"data", "order", "missing", "redundant"};
  return name_in(names, kind);
}

const char* to_string(PeakUse use) noexcept {
  constexpr std::array names{"not allocated", "needed", "not yet used", "no longer used",
                             "not used at all"};
  return name_in(names, use);
}

const char* to_string(Pass::Kind kind) noexcept {
  constexpr std::array names{"session", "launch", "scope", "repetition"};
  return name_in(names, kind);
}

const char* to_string(Severity severity) noexcept {
  constexpr std::array names{"info", "warning", "error"};
  return name_in(names, severity);
}

const char* to_string(Confidence confidence) noexcept {
  constexpr std::array names{"possible", "likely", "certain"};
  return name_in(names, confidence);
}

const char* to_string(Change change) noexcept {
  constexpr std::array names{"same",       "slower", "faster", "more runs",
                             "fewer runs", "added",  "removed"};
  return name_in(names, change);
}

}  // namespace reel::analysis
