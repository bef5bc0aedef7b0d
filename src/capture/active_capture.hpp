// active_capture.hpp - the capture of this process that is under way, if one is.
#pragma once

#include <memory>
#include <string>

#include "capture/recording.hpp"
#include "reel/capture.hpp"

namespace reel::capture {

// Opens the document for a capture: throws what keeps it from being written.
std::unique_ptr<DocumentThread> open_document(const std::string& path,
                                              const CaptureOptions& options);

// Makes it the one under way. Throws invalid_argument when there is one.
void begin_recording(const std::string& path, std::unique_ptr<DocumentThread> document,
                     const CaptureOptions& options);
// Ends it, whoever began it; none when there is none.
std::optional<CaptureReport> end_recording();

// A region of the one under way, from `begin_ns` to now.
void record_region(TraceRegion::Kind kind, std::uint32_t number, std::string_view name,
                   std::uint64_t begin_ns) noexcept;

bool is_recording() noexcept;

}  // namespace reel::capture
