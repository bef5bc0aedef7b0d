#include "recording/opening/announce.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "recording/opening/preflight.hpp"

namespace reel::capture {

void announce_begin(const std::string& path, Contents contents,
                    std::uint64_t estimate_bytes) noexcept {
  std::string kept = to_string(contents);
  if (estimate_bytes) kept += fmt::format(", at most {}", in_units(estimate_bytes));
  log(LogLevel::warn, fmt::format("capture: starting, document {} (contents: {})", path, kept));
}

void announce_end(const CaptureReport& report, bool begun, std::string_view scope) noexcept {
  if (!begun) {
    log(LogLevel::warn, fmt::format("capture: never begun, no document at {}", report.path));
  } else if (!report.lost.empty()) {
    log(LogLevel::error, fmt::format("capture: stopped, {} is incomplete ({})", report.path,
                                     in_units(report.document_bytes)));
  } else if (report.commands == 0 && !scope.empty()) {
    log(LogLevel::warn,
        fmt::format("capture: NO command's scope matched '{}'; {} has none.", scope, report.path));
  } else if (report.commands == 0) {
    log(LogLevel::warn,
        fmt::format("capture: NO commands were enqueued during the capture; {} has none. "
                    "Was the work given before it began, or to another device?",
                    report.path));
  } else {
    log(LogLevel::warn, fmt::format("capture: stopped, {} commands in {} ({})", report.commands,
                                    report.path, in_units(report.document_bytes)));
  }
}

}  // namespace reel::capture
