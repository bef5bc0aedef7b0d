// facts.hpp - what a document says of the process it is about.
#pragma once

#include "document/document_writer.hpp"
#include "reel/capture_report.hpp"

namespace reel::capture {

// `selection`: which part of the process's work was wanted, in words; empty: all.
document::Facts process_facts(Contents contents, std::uint64_t limit_bytes, std::string selection);

}  // namespace reel::capture
