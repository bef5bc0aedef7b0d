// module.cpp - the extension reel._reel: the library as Python sees it, one file for each noun.
//
// Documents come out as arrays and plain dicts, which the package's own Python turns into objects;
// devices, streams and graphs are classes here.
#include "bind.hpp"

PYBIND11_MODULE(_reel, module) {
  using namespace reel::python;
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
}
