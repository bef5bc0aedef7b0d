// buffer.hpp - memory of the host device.
#pragma once

#include <cstddef>

#include "graph/commands/resource.hpp"

namespace reel::host {

struct Buffer : BufferResource {
  // Of the first page. Of 600 pages on an AMD EPYC, 44 were slow in their first 256 bytes where a
  // kernel reads what the one before it wrote: 19 ns a link of a chain in place of 6, and 12 in
  // place of 5 in a loop of calls without this library. None was beyond that (bench/graph_launch).
  static constexpr std::size_t skipped_bytes = 256;

  std::byte* data = nullptr;  // begins there
  ~Buffer() override;
};

inline std::byte* data_of(const BufferRange& range) {
  return static_cast<Buffer*>(range.buffer)->data + range.offset_bytes;
}

}  // namespace reel::host
