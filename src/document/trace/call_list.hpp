// call_list.hpp - the calls of a trace: those that were recorded, and those that gave commands.
#pragma once

#include <vector>

#include "reel/trace.hpp"

namespace reel::document {

// `others`: by begin. `first_kind_name`: the text that names a call which gives the first WorkKind;
// those of the other kinds follow. Of calls that begin together the others come first, then
// commands.
// Commands that were submitted together have one call, which is named as in `submissions`, and is
// that of the first of them.
TraceCalls list_calls(const TraceCommands& commands, const std::vector<TraceWork>& works,
                      const std::vector<TraceSubmission>& submissions,
                      std::uint32_t first_kind_name, std::vector<TraceCall> others);

}  // namespace reel::document
