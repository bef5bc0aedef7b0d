// written_pages_macos.cpp - macOS doesn't tell which pages were written: whoever asks looks at the
// bytes.
#include "recording/contents/written_pages.hpp"

namespace reel::capture {

WrittenPages::WrittenPages() = default;
WrittenPages::~WrittenPages() = default;

bool WrittenPages::watch(const std::byte*, std::uint64_t) { return false; }
void WrittenPages::unwatch(const std::byte*, std::uint64_t) noexcept {}
void WrittenPages::let_write(const std::byte*, std::uint64_t) noexcept {}
std::optional<WrittenPages::Date> WrittenPages::scan(const std::byte*, std::uint64_t,
                                                     std::vector<Date>&) {
  return std::nullopt;
}

}  // namespace reel::capture
