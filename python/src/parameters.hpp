// parameters.hpp - what a kernel takes, as Python sees it.
#pragma once

#include <vector>

#include "bind.hpp"
#include "reel/parameter.hpp"

namespace reel::python {

inline py::list to_parameters(const std::vector<Parameter>& parameters) {
  py::list result;
  for (const Parameter& parameter : parameters) {
    py::dict row;
    row["name"] = to_text(parameter.name);
    row["kind"] = to_string(parameter.kind);
    row["size_bytes"] = parameter.size_bytes;
    row["access"] = to_string(parameter.access);
    row["element"] = parameter.element ? py::object(py::str(name_of(*parameter.element)))
                                       : py::object(py::none());
    row["descriptor"] = to_string(parameter.descriptor);
    row["descriptor_set"] = parameter.set;
    row["binding"] = parameter.binding;
    row["array_element"] = parameter.array_element;
    result.append(record("Parameter", row));
  }
  return result;
}

}  // namespace reel::python
