// host_bytes.hpp - memory of a Python object, by the buffer protocol: arrays, bytes, memoryviews.
#pragma once

#include <span>

#include "python/src/kept.hpp"

namespace reel::python {

// To read from. What isn't contiguous is copied, in C order.
class BytesToRead {
 public:
  explicit BytesToRead(const py::handle& object);
  ~BytesToRead();
  BytesToRead(const BytesToRead&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Py_buffer view_{};
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

// To write into, later on: the object stays and can't be resized as long as `owner` lives.
struct BytesToFill {
  explicit BytesToFill(const py::handle& object);
  std::span<std::byte> bytes;
  Kept owner;
};

}  // namespace reel::python
