// command_details.hpp - everything about one command.
#pragma once

#include <vector>

#include "cli/trace_input.hpp"

namespace reel::cli {

// From queued to started; 0 for what is not known.
// In a saved graph, what its documents keep as opaque is a decision: if, while, switch or repeat.
std::string kind_text(const Trace& trace, const TraceWork& work);
std::uint64_t queue_delay_ns(const TraceCommand& command);

// "buffer", "svm", "2d RGBA8 unorm 640 x 480".
std::string memory_text(const TraceBuffer& buffer);
Json image_json(const TraceBuffer& buffer);  // null where it is none
// "16 x 16 groups of 8 x 8 items", and what else is to be said of it.
std::string launch_text(const TraceWork& work);
// " if b3", " unless b3", of what may have been skipped; else nothing.
std::string predicate_mark(const Trace& trace, const TraceWork& work);

Json command_json(const Trace& trace, std::uint32_t index, bool all);
void print_command(const Trace& trace, std::uint32_t index, const TraceOptions& options);

}  // namespace reel::cli
