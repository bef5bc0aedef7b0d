// export_documents.hpp - documents that are hard to export.
#pragma once

#include <cstdint>
#include <string>

namespace reel::test {

// Names with markup, quotes, control characters, invalid UTF-8 and zero bytes; commands of one
// stream that overlap, end before they start, take no time or have no stamps; calls that overlap,
// too.
std::string write_hostile(const std::string& path);

std::string write_empty(const std::string& path);  // nothing but what a document begins with
std::string write_bare(const std::string& path);   // one dispatch, and no times at all
// Each with one command of 1 us, all at once.
std::string write_streams(const std::string& path, std::uint32_t streams);

// All that is in a name of write_hostile(), as it is recorded.
extern const std::string hostile_name;

}  // namespace reel::test
