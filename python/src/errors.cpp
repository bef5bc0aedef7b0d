// errors.cpp - reel::Error becomes reel.Error, which the package defines in Python.
#include "bind.hpp"
#include "kept.hpp"
#include "raised.hpp"
#include "reel/error.hpp"

namespace reel::python {

void bind_errors(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object type = py::module_::import("reel._errors").attr("Error");
      const py::object value = type(to_text(error.what()), static_cast<int>(error.code()));
      if (error.code() == Code::host_call_failed)
        if (const py::object cause = raised_as(error.what()))
          PyException_SetCause(value.ptr(), cause.inc_ref().ptr());  // takes it
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
  // Before the interpreter takes down what functions need.
  py::module_::import("atexit").attr("register")(py::cpp_function([] { PythonCall::forbid(); }));
  module.attr("__version__") = REEL_VERSION;
}

}  // namespace reel::python
