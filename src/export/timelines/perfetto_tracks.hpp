// perfetto_tracks.hpp - what isn't work of a device: calls on the host, regions, capture's own
// time, notes, scopes and counters, as tracks of Perfetto.
#pragma once

#include "export/timelines/perfetto_packets.hpp"
#include "reel/analysis.hpp"

namespace reel::perfetto {

// The number of slices that had to be cut.
std::uint64_t write_tracks(const Trace& trace, const analysis::Activity& activity,
                           Packets& packets);

std::uint32_t process_of(const Trace& trace);      // 0: not known
std::uint64_t api_of(const std::string& backend);  // as InternedGraphicsContext has it

}  // namespace reel::perfetto
