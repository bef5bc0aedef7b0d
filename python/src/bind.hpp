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

// While it lives, other threads of Python run. Taking the GIL back while the interpreter is ending
// would end the thread in the middle of C++, and with it the process: such a thread, which Python
// calls a daemon, stays where it is.
class GilReleased {
 public:
  GilReleased();
  ~GilReleased();
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

using WithoutGil = py::call_guard<GilReleased>;

template <class T>
struct DeleteWithoutGil {
  void operator()(T* object) const {
    const GilReleased released;
    delete object;
  }
};

// Of a class with py::dynamic_attr(): a collection that another thread begins while the GIL is
// released by DeleteWithoutGil must not find the object, of which nobody holds a reference any
// more.
inline py::custom_type_setup hidden_while_freed() {
  return py::custom_type_setup([](PyHeapTypeObject* type) {
    type->ht_type.tp_dealloc = [](PyObject* self) {
      PyObject_GC_UnTrack(self);
      py::detail::pybind11_object_dealloc(self);
    };
  });
}
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
