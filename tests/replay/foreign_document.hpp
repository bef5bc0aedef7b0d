// foreign_document.hpp - documents of programs that nobody can change, written row by row.
//
// What an OpenCL layer records and our own API has no words for: images, samplers, pointers into
// shared virtual memory, free grids, lists of ranges. Contents are the test's own arithmetic, so a
// replay that finds them equal has really done the work.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "document/document_writer.hpp"
#include "reel/device.hpp"
#include "reel/trace.hpp"

namespace reel::test {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of_all(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// One argument, with its bytes where it is a value.
struct Given {
  TraceArgument row;
  Bytes value = {};
};
Given in(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
Given out(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
Given both(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
Given as_image(Given range, std::uint32_t view);
Given bytes_value(Bytes bytes);
Given sampler(std::uint32_t normalized, std::uint32_t addressing, std::uint32_t filter);
Given null_pointer();
Given opaque();
template <class T>
Given value(const T& v) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &v, sizeof(T));
  return bytes_value(std::move(bytes));
}

struct Grid {
  Dim3 groups{1, 1, 1}, group_size{1, 1, 1};
  Dim3 offset{0, 0, 0}, items{0, 0, 0};
};

class ForeignDocument {
 public:
  ForeignDocument(std::string path, const DeviceInfo& device, std::uint32_t devices = 1,
                  document::Facts facts = {{"program", "foreign"}});

  std::uint32_t stream(std::uint32_t device);  // s0 is on device 0
  // With contents at the start where `bytes` are given; allocated in the capture where they are
  // not.
  std::uint32_t buffer(std::uint64_t size, Bytes bytes = {}, BufferKind kind = BufferKind::buffer,
                       std::uint32_t device = 0);
  std::uint32_t undefined_buffer(std::uint64_t size);
  std::uint32_t image(const ImageShape& shape, Bytes bytes = {});
  std::uint32_t view(const ImageShape& shape);
  std::uint32_t kernel(const std::string& name, const std::string& source,
                       KernelForm form = KernelForm::opencl_c, const std::string& options = {});

  // Each returns the number of the command.
  std::uint32_t dispatch(std::uint32_t kernel, const Grid& grid, std::vector<Given> arguments,
                         std::uint32_t stream = 0);
  std::uint32_t work(WorkKind kind, std::vector<Given> ranges, std::uint32_t pattern = 0,
                     std::uint32_t pattern_bytes = 0);

  void contents(ContentRole role, std::uint32_t command, std::uint32_t buffer, std::uint64_t offset,
                const Bytes& bytes, bool stored = true, CheckMoment moment = CheckMoment::unknown);
  void check(std::uint32_t command, std::uint32_t buffer, const Bytes& bytes,
             std::uint64_t offset = 0) {
    contents(ContentRole::check, command, buffer, offset, bytes, false);
  }
  void stamp(std::uint32_t command, std::uint64_t started_ns, std::uint64_t ended_ns);
  void note(const std::string& kind, const std::string& text);

  Trace load();  // closes it; fails the test where the loader left anything out
  const std::string& path() const { return path_; }

 private:
  std::uint32_t add(document::BufferRow row, const Bytes& bytes);
  std::uint32_t add(document::WorkRow row, const std::vector<Given>& arguments,
                    std::uint32_t stream);

  std::string path_;
  std::unique_ptr<document::DocumentWriter> writer_;
  std::uint32_t buffers_ = 0, kernels_ = 0, commands_ = 0, streams_ = 1;
  bool has_clock_ = false;
};

}  // namespace reel::test
