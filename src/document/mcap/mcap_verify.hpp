// mcap_verify.hpp - does the index of an MCAP file tell what is in it?
//
// Checksums find what was changed by accident. This finds what was never right: message indexes,
// chunk times, statistics and the summary are made anew from the records, and compared byte by
// byte.
#pragma once

#include "document/mcap/mcap_records.hpp"

namespace reel::mcap {

// For a complete file of our own writer whose chunks can be read. The first place that differs.
std::optional<Damage> check_summary(std::span<const std::byte> file);

}  // namespace reel::mcap
