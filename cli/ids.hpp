// ids.hpp - commands, buffers, kernels and streams of a document as they are typed: by id or name.
//
// An id ("k4") comes first. A name must be that of one thing: all of it, or where nothing has that
// whole name, a part of it. Error for what isn't in the document, and for a name of several things,
// with the ids to choose from.
#pragma once

#include <cstdint>
#include <string>

#include "reel/trace.hpp"

namespace reel::cli {

// Indices. A command is named by its label, by its kernel or by its scope.
std::uint32_t parse_command(const Trace& trace, const std::string& word);
std::uint32_t parse_buffer(const Trace& trace, const std::string& word);
std::uint32_t parse_kernel(const Trace& trace, const std::string& word);
std::uint32_t parse_stream(const Trace& trace, const std::string& word);

struct CommandRange {
  std::uint32_t first = 0, last = no_index;  // both within
};
// "c10-c90", "c10-" to the end, or one command. Throws Misuse where it ends before it begins.
CommandRange parse_command_range(const Trace& trace, const std::string& text);

// The label, or for a dispatch without one the name of its kernel.
std::string title_of(const Trace& trace, const TraceWork& work);

}  // namespace reel::cli
