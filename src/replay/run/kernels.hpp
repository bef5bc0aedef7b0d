// kernels.hpp - the kernels of a document, built again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reel/device.hpp"
#include "reel/replay.hpp"
#include "replay/script/script.hpp"

namespace reel::rerun {

// The source as recorded, with another text where `replacement` gives one.
KernelSource source_of(const Trace& trace, std::uint32_t index, const Replacement* replacement);

// By index in trace.kernels(); empty where `wanted` doesn't name it. Those that can't be built come
// into `obstacles`. Without it, or where none can be, throws one Error that names all which have no
// form that the device takes, or what the compiler says; of a replaced kernel always.
std::vector<Kernel> build_kernels(const Trace& trace, const std::vector<std::uint32_t>& wanted,
                                  const std::vector<Device>& device_of,
                                  const std::map<std::uint32_t, Replacement>& replacements,
                                  Obstacles* obstacles);

}  // namespace reel::rerun
