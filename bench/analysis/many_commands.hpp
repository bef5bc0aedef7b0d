// many_commands.hpp - a document as a long run of a transformer leaves it, made without a device.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct ManyCommands {
  std::uint32_t commands = 1'000'000;
  std::uint32_t layers = 24;
  double matmul_time = 1;  // how many times as long matrix products take
  std::uint32_t seed = 1;
  // Each pass appends to the cache of every layer, and its attention reads all that is there.
  bool decoder = false;
};

// Passes over layers on one device: thirty kernels on a stream, uploads on a second one that the
// first waits for, norms of a third that runs beside it. Every pass allocates and frees, ends in a
// wait of the host, and every tenth begins late. The same options give the same bytes. An existing
// file is replaced.
void write_many_commands(const std::string& path, const ManyCommands& options = {});

}  // namespace bench
