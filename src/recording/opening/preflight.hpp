// preflight.hpp - what can be told before a capture begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reel/capture_report.hpp"

namespace reel::capture {

struct Preflight {
  std::uint64_t estimate_bytes = 0;         // contents at most, before compression
  std::optional<std::uint64_t> free_bytes;  // where the document goes
  std::string warning;                      // empty: nothing to say
};

// `limit_bytes`: of the document; 0: none. `live_bytes`: of the buffers there are now.
Preflight preflight(const std::string& path, Contents contents, std::uint64_t limit_bytes,
                    std::uint64_t live_bytes);

// Who may read a document, from REEL_CAPTURE_MODE: 0600 where nothing else is asked for. Throws
// invalid_argument for what is no mode of a document.
unsigned document_mode();

std::string in_units(std::uint64_t bytes);  // "1.5 MB"

}  // namespace reel::capture
