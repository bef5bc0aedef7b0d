// note_lines.hpp - the notes of a document as people read them: a few of each kind.
#pragma once

#include <reel/trace.hpp>
#include <string>
#include <vector>

namespace reel::cli {

// Each text once, at most three of a kind; of kinds that have more, how many there are.
std::vector<std::string> note_lines(const std::vector<TraceNote>& notes);

}  // namespace reel::cli
