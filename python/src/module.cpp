// module.cpp - the extension reel._reel: the library as Python sees it, one file for each noun.
//
// Documents come out as arrays and plain dicts, which the package's own Python turns into objects;
// devices, streams and graphs are classes here.
#include "bind.hpp"

namespace {

using namespace reel::python;

// What Python's cls.__new__(cls) makes has no object of C++ behind it, and methods would follow a
// null pointer: it is refused. cls() itself doesn't ask for the attribute, so it goes on as before;
// classes of Python that derive from ours do ask.
void refuse_bare_objects(py::handle cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  const newfunc original = type->tp_new;
  const py::cpp_function refuse(
      [cls, original](const py::handle& asked, const py::args&, const py::kwargs&) {
        if (asked.ptr() == cls.ptr() || !PyType_Check(asked.ptr()))
          throw py::type_error("A " + str_of(cls.attr("__name__")) +
                               " can't be made by __new__ alone; functions of reel return it.");
        PyObject* made =
            original(reinterpret_cast<PyTypeObject*>(asked.ptr()), py::tuple().ptr(), nullptr);
        if (!made) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(made);
      },
      py::name("__new__"));
  cls.attr("__new__") = py::reinterpret_steal<py::object>(PyStaticMethod_New(refuse.ptr()));
  type->tp_new = original;
  PyType_Modified(type);
}

// What pickle and copy do by default ends in an abort of pybind11's.
void refuse_pickling(py::handle cls) {
  cls.attr("__reduce__") = py::cpp_function(
      [](const py::object& self) -> py::object {
        throw py::type_error("A " + type_of(self) + " can't be copied or pickled.");
      },
      py::name("__reduce__"), py::is_method(cls));
}

void refuse_misuse(const py::module_& module) {
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr()) ||
        !py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
      continue;
    refuse_bare_objects(value);
    refuse_pickling(value);
  }
}

}  // namespace

PYBIND11_MODULE(_reel, module) {
  // Docs begin with a signature of their own: the one made up here names C++ types.
  py::options options;
  options.disable_function_signatures();
  module.doc() = "The library Reel, as the package reel uses it.";
  bind_errors(module);
  bind_buffers(module);
  bind_devices(module);
  bind_kernels(module);
  bind_streams(module);
  bind_graphs(module);
  bind_graph_execs(module);
  bind_stream_captures(module);
  bind_executors(module);
  bind_captures(module);
  bind_layer(module);
  bind_traces(module);
  bind_replays(module);
  bind_findings(module);
  bind_exports(module);
  refuse_misuse(module);
}
