// raised.hpp - exceptions of Python functions that the library calls.
//
// Their words go through the library as those of an Error, which knows nothing of Python. When that
// comes back to Python, the exception is found by them and is its __cause__. With the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace reel::python {

namespace py = pybind11;

// As describe() says it; keeps the exception.
std::string describe_raised(const py::error_already_set& error);
// The exception whose description is in these words; none: an empty object. Once each.
py::object raised_as(const std::string& words);

}  // namespace reel::python
