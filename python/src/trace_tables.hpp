// trace_tables.hpp - the long lists of a trace as NumPy's structured arrays.
#pragma once

#include "bind.hpp"

namespace reel::python {

// Of "commands", "works", "orders", "contents", "calls", "regions", or "overheads": a
// read-only view, with the trace as its base.
py::array trace_table(const py::object& trace, const std::string& name);

}  // namespace reel::python
