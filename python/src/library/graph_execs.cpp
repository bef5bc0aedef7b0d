#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "reel/graph_exec.hpp"

namespace reel::python {
namespace {

NodeId to_node(std::uint32_t number) { return NodeId{number}; }

py::list to_times(const std::vector<NodeTime>& times) {
  py::list result;
  for (const NodeTime& time : times)
    result.append(
        py::make_tuple(static_cast<std::uint32_t>(time.node), time.begin_ns, time.end_ns));
  return result;
}

void launch(const PyGraphExec& self, const PyStream& stream) {
  const auto scope = open_thread_scope(stream.stream);
  const bool captured = stream.stream.is_in_stream_capture();
  self.exec.launch(stream.stream);
  if (!captured) {
    stream.reads->add(self.reads);
    return;
  }
  for (const Kept& read : self.reads) CapturedReads::all().add(read);
}

void set_argument(PyGraphExec& self, std::uint32_t node, std::size_t index,
                  const py::handle& value) {
  const Kernel kernel = self.exec.graph().node(to_node(node)).kernel();
  // A node that is no dispatch is refused by the library, in its own words.
  const Argument argument = kernel ? to_argument(kernel, index, value) : Argument(std::uint32_t{0});
  const GilReleased released;
  self.exec.set_argument(to_node(node), index, argument);
}

// None, or the first difference that can't be taken over.
py::object update(PyGraphExec& self, const PyGraph& graph) {
  std::optional<GraphDifference> difference;
  {
    const GilReleased released;
    difference = self.exec.update(graph.graph);
  }
  if (!difference) {
    self.reads.insert(self.reads.end(), graph.reads.begin(), graph.reads.end());
    return py::none();
  }
  py::dict row;
  row["node"] = difference->node ? py::object(py::int_(static_cast<int>(*difference->node)))
                                 : py::object(py::none());
  row["field"] = to_text(difference->field);
  row["before"] = to_text(difference->before);
  row["after"] = to_text(difference->after);
  return row;
}

}  // namespace

void bind_graph_execs(py::module_& module) {
  py::class_<TimedLaunch, Holder<TimedLaunch>>(module, "TimedLaunch", "Times of one launch.")
      .def(
          "wait",
          [](const TimedLaunch& self) {
            std::vector<NodeTime> times;
            {
              const GilReleased released;
              times = self.wait();
            }
            return to_times(times);
          },
          "Waits for the launch: (node, begin_ns, end_ns) for each node, in the order they ran.");

  auto exec = py::class_<PyGraphExec, Holder<PyGraphExec>>(module.attr("GraphExec"));
  exec.def("launch", &launch, py::arg("stream"), WithoutGil(),
           "launch($self, stream)\n--\n\nRuns it all, again and again.")
      .def(
          "launch_timed",
          [](const PyGraphExec& self, const PyStream& stream) {
            auto launched = self.exec.launch_timed(stream.stream);
            stream.reads->add(self.reads);
            return launched;
          },
          py::arg("stream"), WithoutGil(), "As launch(); its wait() gives the times of nodes.")
      .def("set_argument", &set_argument, py::arg("node"), py::arg("index"), py::arg("value"),
           R"doc(set_argument($self, node, index, value)
--

For later launches; nothing is built again.

>>> exec.set_argument(node, 1, 0.5)
)doc")
      .def(
          "set_grid",
          [](PyGraphExec& self, std::uint32_t node, const py::handle& groups) {
            self.exec.set_grid(to_node(node), to_dim3(groups, "groups"));
          },
          py::arg("node"), py::arg("groups"), "Other groups for a dispatch, in later launches.")
      .def(
          "set_data",
          [](PyGraphExec& self, std::uint32_t node, const py::handle& data) {
            self.exec.set_data(to_node(node), BytesToRead(data).bytes());
          },
          py::arg("node"), py::arg("data"), "Other bytes for a write; as many.")
      .def(
          "set_enabled",
          [](PyGraphExec& self, std::uint32_t node, bool enabled) {
            self.exec.set_enabled(to_node(node), enabled);
          },
          py::arg("node"), py::arg("enabled"), "Whether later launches run a node.")
      .def(
          "enabled",
          [](const PyGraphExec& self, std::uint32_t node) {
            return self.exec.enabled(to_node(node));
          },
          py::arg("node"), "Whether launches run a node.")
      .def(
          "bind",
          [](PyGraphExec& self, const std::string& name, const Buffer& buffer) {
            self.exec.bind(name, buffer);
          },
          py::arg("name"), py::arg("buffer"), WithoutGil(),
          "bind($self, name, buffer)\n--\n\nAnother buffer for every use of the one with this "
          "label.")
      .def("update", &update, py::arg("graph"),
           "Takes over all parameters of a graph of the same shape; else says what differs.")
      .def(
          "branch",
          [](PyGraphExec& self, std::uint32_t node, std::size_t index) {
            return PyGraphExec(
                std::shared_ptr<GraphExec>(self.owner, &self.exec.branch(to_node(node), index)),
                self.reads);
          },
          py::arg("node"), py::arg("index") = 0,
          R"doc(branch($self, node, index=0)
--

A branch of a node that decides, to be changed as the whole is.

>>> exec.branch(node).set_argument(0, 1, 0.5)
)doc")
      .def_property_readonly(
          "footprint",
          [](const PyGraphExec& self) {
            const Footprint footprint = self.exec.footprint();
            py::dict row;
            row["host_bytes"] = footprint.host_bytes;
            row["device_bytes"] = footprint.device_bytes;
            row["temporary_bytes"] = footprint.temporary_bytes;
            row["packed_bytes"] = footprint.packed_bytes;
            return row;
          },
          "Bytes that it holds, by name.")
      .def(
          "clone",
          [](const PyGraphExec& self) {
            return PyGraphExec{self.exec.clone(), self.reads};
          },
          WithoutGil(), "One that is changed on its own.")
      .def(
          "graph",
          [](const PyGraphExec& self) {
            return PyGraph{self.exec.graph(), self.reads};
          },
          "With all changes made so far.")
      .def_property_readonly(
          "device", [](const PyGraphExec& self) { return self.exec.device(); }, "For which it is.")
      .def("__len__", [](const PyGraphExec& self) { return self.exec.node_count(); })
      .def_property_readonly(
          "barrier_count", [](const PyGraphExec& self) { return self.exec.barrier_count(); },
          "Barriers of a launch.")
      .def_property_readonly(
          "lowering", [](const PyGraphExec& self) { return to_text(self.exec.lowering()); },
          "How the device runs it: \"inline\", \"command buffer\", ...")
      .def("__repr__", [](const PyGraphExec& self) {
        return "<reel.GraphExec, " + std::to_string(self.exec.node_count()) + " nodes on " +
               self.exec.device().info().id + ", " + self.exec.lowering() + ">";
      });
}

}  // namespace reel::python
