// facts.hpp - what a document says of the process it is about.
#pragma once

#include "document/document_writer.hpp"
#include "reel/capture.hpp"

namespace reel::capture {

document::Facts process_facts(const CaptureOptions& options);

}  // namespace reel::capture
