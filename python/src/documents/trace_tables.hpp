// trace_tables.hpp - the lists of a trace, by the columns that reel/trace_columns.hpp describes.
#pragma once

#include "python/src/bind.hpp"
#include "reel/trace.hpp"

namespace reel::python {

// Of "commands", "works", "orders", "edges", "contents", "calls", "regions", or "overheads": a
// read-only structured array, with the trace as its base.
py::array trace_table(const py::object& trace, const std::string& name);

// The columns of one of these, or of a short list: name, what the numbers stand for, the words of
// enumerators, meaning.
py::list trace_columns(const Trace& trace, const std::string& name);

// Of each work: the bytes of all ranges of buffers that it was given.
py::array trace_work_bytes(const Trace& trace);
// Of each command: how long it ran itself; 0 of a launch whose nodes have times.
py::array trace_own_ns(const Trace& trace);
// Of each command, as analysis::regions_of_commands() has them.
py::array trace_command_regions(const Trace& trace);

// A row of a short list: a device, stream, buffer, kernel or note.
template <class Row>
py::dict row_dict(const Row& row);

}  // namespace reel::python
