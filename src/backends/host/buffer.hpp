// buffer.hpp - memory of the host device.
#pragma once

#include <cstddef>

#include "graph/commands/resource.hpp"

namespace reel::host {

struct Buffer : BufferResource {
  std::byte* data = nullptr;
  ~Buffer() override;
};

inline std::byte* data_of(const BufferRange& range) {
  return static_cast<Buffer*>(range.buffer)->data + range.offset_bytes;
}

}  // namespace reel::host
