// capture_report.hpp - what a capture is asked to keep, and what it says when it ends.
#pragma once

#include <cstdint>
#include <string>

namespace reel {

// Which bytes of buffers a document holds.
enum class Contents : std::uint8_t {
  none,    // none
  hashes,  // hashes of inputs and results
  inputs,  // what the work needs to run again, and hashes of its results
  all,     // results of every command too, as bytes
};
const char* to_string(Contents contents) noexcept;

struct CaptureReport {
  std::string path;
  std::uint64_t commands = 0;
  std::uint64_t document_bytes = 0;
  std::uint64_t contents_bytes = 0;  // looked at, before equal pages were stored once
  std::string lost;                  // what is missing from the document, and why; empty: nothing
};

}  // namespace reel
