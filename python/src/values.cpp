#include "bind.hpp"

namespace reel::python {

Dim3 to_dim3(const py::handle& value, const char* what) {
  const auto refuse = [&]() -> py::type_error {
    return py::type_error(std::string(what) + " is an int or up to three of them, not " +
                          repr_of(value) + ".");
  };
  const auto whole = [&](const py::handle& item) {
    if (PyBool_Check(item.ptr()) || !PyIndex_Check(item.ptr())) throw refuse();
    const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(item.ptr()));
    const long long result = PyLong_AsLongLong(number.ptr());
    if (result == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      throw py::value_error(std::string(what) + " holds " + str_of(item) +
                            "; a size is at most 4294967295.");
    }
    return result;
  };
  if (PyIndex_Check(value.ptr())) return Dim3(whole(value));
  if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) throw refuse();
  const auto items = py::reinterpret_borrow<py::sequence>(value);
  if (items.empty() || items.size() > 3) throw refuse();
  return Dim3(whole(items[0]), items.size() > 1 ? whole(items[1]) : 1LL,
              items.size() > 2 ? whole(items[2]) : 1LL);
}

py::tuple to_tuple(const Dim3& dim) { return py::make_tuple(dim.x, dim.y, dim.z); }

py::str to_text(std::string_view text) {
  PyObject* result =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!result) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(result);
}

py::list to_texts(const std::vector<std::string>& texts) {
  py::list result;
  for (const std::string& text : texts) result.append(to_text(text));
  return result;
}

std::string str_of(const py::handle& object) { return py::str(object); }
std::string repr_of(const py::handle& object) { return py::str(py::repr(object)); }
std::string type_of(const py::handle& object) {
  return py::str(py::type::handle_of(object).attr("__name__"));
}

py::object record(const char* name, const py::dict& fields) {
  return py::module_::import("reel._records").attr(name)(**fields);
}

py::array new_array(const py::dtype& type, std::uint64_t size_bytes) {
  const auto element = static_cast<std::uint64_t>(type.itemsize());
  if (type.kind() == 'O' || element == 0)
    throw py::type_error("A buffer can't be read as " + str_of(type) + ".");
  if (size_bytes % element != 0)
    throw py::value_error(std::to_string(size_bytes) + " bytes are no whole number of " +
                          str_of(type) + " elements, which have " + std::to_string(element) +
                          " bytes each.");
  return {type, std::vector<py::ssize_t>{static_cast<py::ssize_t>(size_bytes / element)}};
}

}  // namespace reel::python
