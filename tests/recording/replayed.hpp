// replayed.hpp - runs a trace again, command by command, and compares it with its checks.
//
// The plainest reading of docs/document-format.md: inputs are put in place before the command that
// needs them, work is given in the order of its ids, and every check must hold. What it needs is in
// the document alone, but for kernels of the host device, which have no source.
#pragma once

#include <functional>
#include <string>

#include "reel/device.hpp"
#include "reel/trace.hpp"

namespace reel::test {

struct Replayed {
  std::size_t commands = 0, checks = 0;
  std::string difference;  // the first; empty: none
};

Replayed replay(const Trace& trace, const Device& device,
                const std::function<HostKernel(const std::string& name)>& host_kernel);

}  // namespace reel::test
