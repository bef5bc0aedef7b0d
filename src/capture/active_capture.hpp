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

// Makes it the one under way, and says its number. Throws invalid_argument when there is one; the
// document is then still the caller's.
std::uint32_t begin_recording(const std::string& path, std::unique_ptr<DocumentThread>& document,
                              const CaptureOptions& options, std::optional<PassRange> passes);
// Ends the one with this number; none when that is not under way any more.
std::optional<CaptureReport> end_recording(std::uint32_t number);
// The same without waiting for the document, which is finished when the program ends at the latest;
// null in place of none.
std::shared_ptr<EndingDocument> end_recording_later(std::uint32_t number);

// Of the one under way: nothing more is in it; its results are read behind `stream`'s work.
void cut_recording_behind(StreamState& stream) noexcept;
// What it was cut from is done.
bool is_recorded_work_done() noexcept;
std::string path_of_recording();  // empty: none is under way

// Documents are closed when the program ends. Where a thread that gave work calls exit(), that is
// before anything of a driver is taken down; otherwise what is registered last runs first, so
// whoever makes a driver load more calls this again.
void close_at_exit() noexcept;
// Once: that, and that a forked child goes on without captures.
void register_handlers();

// A region of the one under way, from `begin_ns` to now.
// Of a library that isn't ours; its name stays until the process ends.
void record_foreign_call(const CallMessage& call) noexcept;
void record_region(TraceRegion::Kind kind, std::uint32_t number, std::string_view name,
                   std::uint64_t begin_ns) noexcept;

bool is_recording() noexcept;

}  // namespace reel::capture
