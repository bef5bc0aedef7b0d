// announce.hpp - the lines on standard error that say where a document goes, and that it is there.
//
// For captures that the person who runs the program asked for: the library's, from the environment,
// and those of the layers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reel/capture_report.hpp"

namespace reel::capture {

// `estimate_bytes`: of contents, at most; 0 where nobody knows.
void announce_begin(const std::string& path, Contents contents,
                    std::uint64_t estimate_bytes) noexcept;
// `scope`: the only one that was wanted; empty: any.
void announce_end(const CaptureReport& report, bool begun, std::string_view scope = {}) noexcept;

}  // namespace reel::capture
