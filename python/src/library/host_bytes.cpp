#include "python/src/library/host_bytes.hpp"

#include <cstring>

namespace reel::python {
namespace {

void refuse_objects(const Py_buffer& view) {
  if (view.format && std::strchr(view.format, 'O'))
    throw py::type_error("The array holds Python objects; a device takes numbers only.");
}

}  // namespace

BytesToRead::BytesToRead(const py::handle& object) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    throw py::type_error(
        "Bytes come from an array, bytes or another object with the buffer protocol, not from a " +
        type_of(object) + ".");
  }
  try {
    refuse_objects(view_);
    const auto size = static_cast<std::size_t>(view_.len);
    if (PyBuffer_IsContiguous(&view_, 'C')) {
      bytes_ = {static_cast<const std::byte*>(view_.buf), size};
      return;
    }
    copy_.resize(size);
    if (PyBuffer_ToContiguous(copy_.data(), &view_, view_.len, 'C') != 0)
      throw py::error_already_set();
    bytes_ = copy_;
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

BytesToRead::~BytesToRead() { PyBuffer_Release(&view_); }

BytesToFill::BytesToFill(const py::handle& object) {
  const auto memory = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(object.ptr()));
  if (!memory) {
    PyErr_Clear();
    throw py::type_error(
        "Bytes are read into an array or another object with the buffer protocol, not into a " +
        type_of(object) + ".");
  }
  const Py_buffer& view = *PyMemoryView_GET_BUFFER(memory.ptr());
  refuse_objects(view);
  if (view.readonly)
    throw py::value_error("The " + type_of(object) + " to read into can't be written.");
  if (!PyBuffer_IsContiguous(&view, 'C'))
    throw py::value_error(
        "The array to read into isn't contiguous; read into a contiguous one and copy from there.");
  bytes = {static_cast<std::byte*>(view.buf), static_cast<std::size_t>(view.len)};
  owner = keep(memory);
}

}  // namespace reel::python
