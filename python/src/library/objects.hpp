// objects.hpp - what stands behind Python's Stream, Graph and the like: an object of the library,
// and what it must keep alive that the library doesn't know of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/kept.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"
#include "reel/stream.hpp"

namespace reel::python {

// Bytes of a buffer. Unlike a BufferRange it keeps the buffer.
struct Range {
  Buffer buffer;
  std::uint64_t offset_bytes = 0, size_bytes = 0;
  char kind = 0;  // of the elements, as NumPy says it ('f'), where the range was made of elements

  operator BufferRange() const { return {buffer, offset_bytes, size_bytes}; }
};

struct Binding {
  Range range;
  Access access = Access::read_write;
};

struct PyStream {
  Stream stream;
  std::shared_ptr<KeptList> reads = std::make_shared<KeptList>();
};

struct PyGraph {
  Graph graph;
  std::vector<Kept> reads = {};
};

struct PyGraphExec {
  PyGraphExec(GraphExec made, std::vector<Kept> kept)
      : PyGraphExec(std::make_shared<GraphExec>(std::move(made)), std::move(kept)) {}
  // A branch shares its owner with the exec that it is in.
  PyGraphExec(std::shared_ptr<GraphExec> shared, std::vector<Kept> kept)
      : owner(std::move(shared)), exec(*owner), reads(std::move(kept)) {}

  std::shared_ptr<GraphExec> owner;
  GraphExec& exec;
  std::vector<Kept> reads;
};

// A Buffer as Python sees it: what its bytes are is Python's to know.
py::object with_shape(Buffer buffer, const py::object& dtype, const py::object& shape);
py::object bytes_of_shape(Buffer buffer);  // so many uint8

// A Buffer or a Range.
Range to_range(const py::handle& value);

// Arguments of a kernel. Numbers take the type that the kernel has for them, where that is known;
// docs/python.md has the rules. They refer to buffers of `values`, which must outlive them.
std::vector<Argument> to_arguments(const Kernel& kernel, const py::args& values);
Argument to_argument(const Kernel& kernel, std::size_t index, const py::handle& value);

// Opens the scopes of reel.scope() that this thread is in, for the length of one call.
std::optional<ScopeGuard> open_thread_scope(const Stream& stream);
Scope thread_scope();

// A Python function as a host call.
std::function<std::uint32_t()> to_predicate(const py::function& function, const std::string& label);
std::function<void()> to_host_call(const py::function& function, const std::string& label);

// The pattern of a fill: one byte of an int, else the bytes of a NumPy scalar.
struct Pattern {
  std::uint32_t bits = 0, size_bytes = 1;
};
Pattern to_pattern(const py::handle& value);

// What dispatch() takes beside its arguments: groups, or items with group_size, offset and guarded.
Launch to_launch(const py::handle& groups, const py::handle& group_size, const std::string& label,
                 const py::handle& items = py::none(), const py::handle& offset = py::none(),
                 bool guarded = false);

// The function and parameters of a @reel.host_kernel.
HostKernel to_host_kernel(const py::handle& function);

}  // namespace reel::python
