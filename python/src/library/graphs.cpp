#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "reel/graph.hpp"

namespace reel::python {
namespace {

NodeId to_node(std::uint32_t number) { return NodeId{number}; }
std::uint32_t number_of(NodeId id) { return static_cast<std::uint32_t>(id); }

// What every add_…() takes beside its work.
NodeOptions to_options(const std::string& label, const std::vector<std::uint32_t>& after) {
  NodeOptions options{.label = label, .scope = thread_scope()};
  for (const std::uint32_t number : after) options.after.push_back(to_node(number));
  return options;
}

std::uint32_t add_dispatch(PyGraph& self, const Kernel& kernel, const py::handle& groups,
                           const py::args& values, const py::object& group_size,
                           const std::string& label, const std::vector<std::uint32_t>& after,
                           const py::object& items, const py::object& offset, bool guarded) {
  const Launch launch = to_launch(groups, group_size, label, items, offset, guarded);
  const auto arguments = to_arguments(kernel, values);
  return number_of(
      self.graph.add_dispatch(kernel, launch, std::span(arguments), to_options(label, after)));
}

std::uint32_t add_read(PyGraph& self, const py::handle& source, const py::handle& target,
                       const std::string& label, const std::vector<std::uint32_t>& after) {
  BytesToFill into(target);
  const NodeId node = self.graph.add_read(to_range(source), into.bytes, to_options(label, after));
  self.reads.push_back(std::move(into.owner));
  return number_of(node);
}

std::uint32_t add_child(PyGraph& self, const PyGraph& child, const std::string& label,
                        const std::vector<std::uint32_t>& after) {
  const NodeId node = self.graph.add_child(child.graph, to_options(label, after));
  self.reads.insert(self.reads.end(), child.reads.begin(), child.reads.end());
  return number_of(node);
}

// A buffer, the range of a uint32, or a function.
Condition to_condition(const py::object& value, const std::string& label) {
  const bool is_buffer = py::isinstance<Buffer>(value);
  if (!is_buffer && PyCallable_Check(value.ptr()))
    return to_predicate(py::reinterpret_borrow<py::function>(value), label);
  const Range range = to_range(value);
  // Its bits would be taken for a whole number: 1.0 is 1065353216, and that is a branch nobody has.
  const char kind = is_buffer ? value.attr("dtype").attr("kind").cast<char>() : range.kind;
  if (kind == 'f' || kind == 'c')
    throw py::type_error("A condition is a uint32 in device memory, and '" + range.buffer.label() +
                         "' has floating-point elements" +
                         (is_buffer ? " (" + str_of(value.attr("dtype")) + ")" : "") + ".");
  if (is_buffer) return value.cast<Buffer>();
  return BufferRange(range);
}

std::uint32_t add_decision(PyGraph& self, DecisionKind kind, const Condition& condition,
                           const std::vector<const PyGraph*>& branches, const std::string& label,
                           const std::vector<std::uint32_t>& after, std::uint64_t count = 0,
                           const LoopLimits& limits = {}) {
  Decision decision{kind, condition.predicate, count, limits, {}};
  for (const PyGraph* branch : branches)
    decision.branches.push_back(std::make_shared<const Graph>(branch->graph));
  const NodeId node = self.graph.add_decision(decision, condition.range, to_options(label, after));
  for (const PyGraph* branch : branches) {
    const std::vector<Kept> reads = branch->reads;  // a graph may hold itself
    self.reads.insert(self.reads.end(), reads.begin(), reads.end());
  }
  return number_of(node);
}

LoopLimits to_limits(std::uint64_t iterations, double seconds) {
  if (!(seconds >= 0) || seconds > 1e9)
    throw Error(Code::invalid_argument, "add_while(): most_seconds is " + std::to_string(seconds) +
                                            "; allowed are 0 (no limit) to 1e9.");
  return {iterations, std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))};
}

void bind_decisions(py::class_<PyGraph, Holder<PyGraph>>& graph) {
  const auto label = py::arg("label") = "";
  const auto after = py::arg("after") = std::vector<std::uint32_t>();
  graph
      .def(
          "add_if",
          [](PyGraph& self, const py::object& condition, const PyGraph& then,
             const PyGraph* otherwise, const std::string& name,
             const std::vector<std::uint32_t>& nodes) {
            std::vector<const PyGraph*> branches{&then};
            if (otherwise) branches.push_back(otherwise);
            return add_decision(self, DecisionKind::if_else, to_condition(condition, name),
                                branches, name, nodes);
          },
          py::arg("condition"), py::arg("then"), py::arg("otherwise") = nullptr, label, after,
          R"doc(add_if($self, condition, then, otherwise=None, label='', after=[])
--

Runs `then` where the condition isn't 0, a uint32 in a buffer or what a function returns.

>>> node = graph.add_if(flag, then, otherwise)
)doc")
      .def(
          "add_while",
          [](PyGraph& self, const py::object& condition, const PyGraph& body,
             const std::string& name, const std::vector<std::uint32_t>& nodes,
             std::uint64_t most_iterations, double most_seconds) {
            return add_decision(self, DecisionKind::while_loop, to_condition(condition, name),
                                {&body}, name, nodes, 0, to_limits(most_iterations, most_seconds));
          },
          py::arg("condition"), py::arg("body"), label, after,
          py::arg("most_iterations") = LoopLimits{}.iterations, py::arg("most_seconds") = 60.0,
          "A node that runs a graph as long as its condition isn't 0.")
      .def(
          "add_switch",
          [](PyGraph& self, const py::object& condition,
             const std::vector<const PyGraph*>& branches, const std::string& name,
             const std::vector<std::uint32_t>& nodes) {
            return add_decision(self, DecisionKind::switch_case, to_condition(condition, name),
                                branches, name, nodes);
          },
          py::arg("condition"), py::arg("branches"), label, after,
          "A node that runs one of several graphs, by number.")
      .def(
          "add_repeat",
          [](PyGraph& self, std::uint64_t count, const PyGraph& body, const std::string& name,
             const std::vector<std::uint32_t>& nodes) {
            return add_decision(self, DecisionKind::repeat, Condition(), {&body}, name, nodes,
                                count);
          },
          py::arg("count"), py::arg("body"), label, after,
          "A node that runs a graph so many times.")
      .def_static(
          "temporary",
          [](std::uint64_t size_bytes, const std::string& name) {
            return bytes_of_shape(Graph::temporary(size_bytes, name));
          },
          py::arg("size_bytes"), label,
          "temporary(size_bytes, label='')\n--\n\nMemory that nodes share by when they need it.");
}

py::list to_edges(const std::vector<Edge>& edges) {
  py::list result;
  for (const Edge& edge : edges)
    result.append(py::make_tuple(number_of(edge.from), number_of(edge.to), to_string(edge.kind)));
  return result;
}

py::list list_buffers(const PyGraph& self) {
  py::list result;
  for (const GraphBuffer& buffer : self.graph.buffers()) {
    py::dict row;
    row["name"] = to_text(buffer.name);
    row["size_bytes"] = buffer.size_bytes;
    row["is_input"] = buffer.is_input;
    row["is_output"] = buffer.is_output;
    result.append(record("GraphBuffer", row));
  }
  return result;
}

PyGraph load(const py::object& file) {
  if (py::isinstance<py::str>(file) || py::hasattr(file, "__fspath__")) {
    const auto path = py::module_::import("os").attr("fspath")(file).cast<std::string>();
    const GilReleased released;
    return {Graph::load(path)};
  }
  const BytesToRead bytes(file);
  const GilReleased released;
  return {Graph::load(bytes.bytes())};
}

PyGraphExec instantiate(const PyGraph& self, const Device& device, bool relax_order, bool reorder,
                        const std::map<std::string, Buffer>& buffers) {
  InstantiateOptions options{.relax_order = relax_order, .reorder = reorder};
  options.buffers.assign(buffers.begin(), buffers.end());
  return {self.graph.instantiate(device, options), self.reads};
}

}  // namespace

void bind_graphs(py::module_& module) {
  const auto label = py::arg("label") = "";
  const auto after = py::arg("after") = std::vector<std::uint32_t>();
  py::class_<PyGraphExec, Holder<PyGraphExec>>(module, "GraphExec",
                                               "A graph made ready for one device.");
  py::class_<PyGraph, Holder<PyGraph>> graph(module, "Graph",
                                             "Commands, and what must come before what.");
  bind_decisions(graph);
  graph.def(py::init<>([] { return PyGraph{}; }))
      .def(
          "add_dispatch", &add_dispatch, py::arg("kernel"), py::arg("groups"), py::kw_only(),
          py::arg("group_size") = py::none(), label, after, py::arg("items") = py::none(),
          py::arg("offset") = py::none(), py::arg("guarded") = false,
          R"doc(add_dispatch($self, kernel, groups, *arguments, group_size=None, label='', after=[], items=None, offset=None, guarded=False)
--

A node that runs a kernel, after these nodes and after what its buffers demand; its number.

>>> node = graph.add_dispatch(scale, 16, reel.inout(x), 2.0)
)doc")
      .def(
          "add_copy",
          [](PyGraph& self, const py::handle& target, const py::handle& source,
             const std::string& name, const std::vector<std::uint32_t>& nodes) {
            return number_of(
                self.graph.add_copy(to_range(target), to_range(source), to_options(name, nodes)));
          },
          py::arg("target"), py::arg("source"), label, after,
          "A node that copies from one range to another.")
      .def(
          "add_fill",
          [](PyGraph& self, const py::handle& target, const py::handle& value,
             const std::string& name, const std::vector<std::uint32_t>& nodes) {
            const Range range = to_range(target);
            const Pattern pattern = to_pattern(value);
            const NodeOptions options = to_options(name, nodes);
            return number_of(self.graph.add(
                {Fill{range, pattern.bits, pattern.size_bytes}, options.label}, options.after));
          },
          py::arg("target"), py::arg("value"), label, after,
          "A node that fills a range with a value.")
      .def(
          "add_write",
          [](PyGraph& self, const py::handle& target, const py::handle& data,
             const std::string& name, const std::vector<std::uint32_t>& nodes) {
            const BytesToRead source(data);
            return number_of(
                self.graph.add_write(to_range(target), source.bytes(), to_options(name, nodes)));
          },
          py::arg("target"), py::arg("data"), label, after,
          "A node that writes bytes of the host, as they are now.")
      .def("add_read", &add_read, py::arg("source"), py::arg("into"), label, after,
           "A node that reads into memory of the host.")
      .def(
          "add_host_call",
          [](PyGraph& self, const py::function& function, const std::string& name,
             const std::vector<std::uint32_t>& nodes) {
            return number_of(
                self.graph.add_host_call(to_host_call(function, name), to_options(name, nodes)));
          },
          py::arg("function"), label, after, "A node that calls a function.")
      .def(
          "add_barrier",
          [](PyGraph& self, const std::string& name, const std::vector<std::uint32_t>& nodes) {
            return number_of(self.graph.add_barrier(to_options(name, nodes)));
          },
          label, after, "A node that all before it come before.")
      .def("add_child", &add_child, py::arg("child"), label, after, "A node that is a graph.")
      .def(
          "add_dependency",
          [](PyGraph& self, std::uint32_t from, std::uint32_t to) {
            self.graph.add_dependency(to_node(from), to_node(to));
          },
          py::arg("before"), py::arg("after"), "One node before another, whatever they touch.")
      .def("__len__", [](const PyGraph& self) { return self.graph.node_count(); })
      .def(
          "describe",
          [](const PyGraph& self, std::uint32_t node) {
            return to_text(self.graph.describe(to_node(node)));
          },
          py::arg("node"), "A node in words.")
      .def(
          "edges", [](const PyGraph& self) { return to_edges(self.graph.edges()); },
          "(from, to, kind) of every pair that is in order: \"asked\", \"stream\" or \"hazard\".")
      .def(
          "hazards", [](const PyGraph& self) { return to_edges(self.graph.hazards()); },
          "Edges that follow from the bytes that nodes read and write.")
      .def(
          "topological_order",
          [](const PyGraph& self) {
            std::vector<std::uint32_t> result;
            for (const NodeId node : self.graph.topological_order())
              result.push_back(number_of(node));
            return result;
          },
          "Nodes, each behind what it waits for.")
      .def("buffers", &list_buffers, "What the graph uses: a list of GraphBuffer.")
      .def(
          "save",
          [](const PyGraph& self, const std::string& path, bool overwrite) {
            self.graph.save(path, {.overwrite = overwrite});
          },
          py::arg("path"), py::arg("overwrite") = false, WithoutGil(),
          "As a document, which Graph.load() reads.")
      .def_static("load", &load, py::arg("file"),
                  "load(file)\n--\n\nFrom a path, or from the bytes of such a file.")
      .def(
          "to_dot", [](const PyGraph& self) { return to_text(self.graph.to_dot()); },
          "For Graphviz.")
      .def(
          "to_json", [](const PyGraph& self) { return to_text(self.graph.to_json()); },
          "All of it, to look at.")
      .def("instantiate", &instantiate, py::arg("device"), py::arg("relax_order") = true,
           py::arg("reorder") = true, py::arg("buffers") = std::map<std::string, Buffer>(),
           WithoutGil(),
           R"doc(instantiate($self, device, relax_order=True, reorder=True, buffers={})
--

Makes the graph ready for a device; `buffers` gives others for those it names.

>>> exec = graph.instantiate(device, buffers={"x": other})
)doc")
      .def("__eq__", [](const PyGraph& a, const PyGraph& b) { return a.graph == b.graph; })
      .def("__eq__", [](const PyGraph&, const py::object&) { return false; })
      .def("__repr__", [](const PyGraph& self) { return "<reel." + to_string(self.graph) + ">"; });
}

}  // namespace reel::python
