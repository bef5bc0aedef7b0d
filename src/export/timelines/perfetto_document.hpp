// perfetto_document.hpp - one document's packets, in a file of its own or among those of its run.
#pragma once

#include <string>
#include <vector>

#include "export/timelines/perfetto_packets.hpp"
#include "reel/analysis.hpp"

namespace reel::perfetto {

// A device, and what its name begins with.
struct MachineDevice {
  TraceDevice device;
  std::string prefix;
};
// All of a machine, once: events refer to them by their place.
void write_devices(const std::vector<MachineDevice>& devices, Packets& packets);

// Everything else, where packets.place() is. Returns how many slices had to be cut.
std::uint64_t write_document(const Trace& trace, const analysis::Activity& activity,
                             Packets& packets);

}  // namespace reel::perfetto
