// bind.hpp - what the files of the extension share.
//
// The GIL is let go in everything that waits, builds, loads or may run a kernel: a kernel or host
// call of Python's own takes it on another thread. For the same reason objects of the library are
// destroyed without it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reel/buffer.hpp"
#include "reel/dim3.hpp"

namespace reel::python {

namespace py = pybind11;

using WithoutGil = py::call_guard<py::gil_scoped_release>;

template <class T>
struct DeleteWithoutGil {
  void operator()(T* object) const {
    const py::gil_scoped_release released;
    delete object;
  }
};
template <class T>
using Holder = std::unique_ptr<T, DeleteWithoutGil<T>>;

// Each makes its part of the module.
void bind_errors(py::module_& module);
void bind_buffers(py::module_& module);
void bind_kernels(py::module_& module);
void bind_devices(py::module_& module);
void bind_streams(py::module_& module);
void bind_graphs(py::module_& module);
void bind_graph_execs(py::module_& module);
void bind_stream_captures(py::module_& module);
void bind_executors(py::module_& module);
void bind_captures(py::module_& module);
void bind_layer(py::module_& module);
void bind_traces(py::module_& module);
void bind_replays(py::module_& module);
void bind_findings(py::module_& module);
void bind_exports(py::module_& module);

// An int, or up to three of them.
Dim3 to_dim3(const py::handle& value, const char* what);
py::tuple to_tuple(const Dim3& dim);

// As the library and documents have them: bytes that are no UTF-8 are replaced.
py::str to_text(std::string_view text);
py::list to_texts(const std::vector<std::string>& texts);

// str(object), repr(object), type(object).__name__, for sentences.
std::string str_of(const py::handle& object);
std::string repr_of(const py::handle& object);
std::string type_of(const py::handle& object);

// An object of a class of reel/_records.py.
py::object record(const char* name, const py::dict& fields);

// A new array of one dimension, for so many bytes.
py::array new_array(const py::dtype& type, std::uint64_t size_bytes);

}  // namespace reel::python
