#include <algorithm>

#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "reel/executor.hpp"

namespace reel::python {
namespace {

// What sessions read into, until somebody waited for them: an abandoned one may still run.
struct UnfinishedReads {
  std::mutex mutex;
  std::vector<std::shared_ptr<KeptList>> lists;

  std::shared_ptr<KeptList> begin() {
    const std::lock_guard lock(mutex);
    lists.push_back(std::make_shared<KeptList>());
    return lists.back();
  }
  void end(const std::shared_ptr<KeptList>& list) {
    const std::lock_guard lock(mutex);
    std::erase(lists, list);
  }
};

struct PySession {
  GraphSession session;
  std::shared_ptr<UnfinishedReads> unfinished;
  std::shared_ptr<KeptList> reads = unfinished->begin();
};

// with session.scope("layer0"): …; keeps the session alive.
struct SessionScope {
  SessionScope(PySession& of, std::string path) : session(of), name(std::move(path)) {}
  SessionScope(SessionScope&&) = default;
  SessionScope(const SessionScope&) = delete;

  PySession& session;
  std::string name;
  std::vector<ScopeGuard> guards;
};

struct PyPendingPass {
  PendingPass pass;
  std::shared_ptr<UnfinishedReads> unfinished;
  std::shared_ptr<KeptList> reads;
};

struct PyExecutor {
  PyExecutor(const Device& device, const std::string& name) : executor(device, {.name = name}) {}
  std::shared_ptr<UnfinishedReads> unfinished = std::make_shared<UnfinishedReads>();
  GraphExecutor executor;  // goes first, and waits for its work
};

py::object to_report(const PassReport& report) {
  py::dict row;
  row["encode_ns"] = report.encode_ns;
  row["wait_ns"] = report.wait_ns;
  row["gpu_ns"] = report.gpu_ns;
  row["commands"] = report.commands;
  row["dispatches"] = report.dispatches;
  row["barriers"] = report.barriers;
  row["barriers_avoided"] = report.barriers_avoided;
  row["group_sizes"] = report.group_sizes;
  row["reordered"] = report.reordered;
  row["reused"] = report.reused;
  py::list times;
  for (const NodeTime& time : report.node_times)
    times.append(py::make_tuple(static_cast<std::uint32_t>(time.node), time.begin_ns, time.end_ns));
  row["node_times"] = times;
  return record("PassReport", row);
}

// Those of reel.scope(), for one call.
std::optional<ScopeGuard> open_scope(PySession& self) {
  const Scope scope = thread_scope();
  if (!scope.key()) return std::nullopt;
  return self.session.scope(scope.path());
}

void dispatch(PySession& self, const Kernel& kernel, const py::handle& groups,
              const py::args& values, const py::object& group_size, const std::string& label,
              const py::object& items, const py::object& offset, bool guarded) {
  const Launch launch = to_launch(groups, group_size, label, items, offset, guarded);
  const auto arguments = to_arguments(kernel, values);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.dispatch(kernel, launch, std::span(arguments));
}

void copy(PySession& self, const py::handle& target, const py::handle& source,
          const std::string& label) {
  const Range to = to_range(target), from = to_range(source);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.copy(to, from, label);
}

void fill(PySession& self, const py::handle& target, const py::handle& value,
          const std::string& label) {
  const Range range = to_range(target);
  const Pattern pattern = to_pattern(value);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.fill(Fill{range, pattern.bits, pattern.size_bytes}, label);
}

void write(PySession& self, const py::handle& target, const py::handle& data,
           const std::string& label) {
  const Range range = to_range(target);
  const BytesToRead source(data);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.write(range, source.bytes(), label);
}

void read(PySession& self, const py::handle& source, const py::handle& target,
          const std::string& label) {
  const Range range = to_range(source);
  BytesToFill into(target);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.read(range, into.bytes, label);
  self.reads->add(std::move(into.owner));
}

void host_call(PySession& self, const py::function& function, const std::string& label) {
  auto call = to_host_call(function, label);
  const GilReleased released;
  const auto scope = open_scope(self);
  self.session.host_call(std::move(call), label);
}

py::object finish(PySession& self, bool reorder, bool timing) {
  PassReport report;
  {
    const GilReleased released;
    report = self.session.finish({.reorder = reorder, .timing = timing});
    self.unfinished->end(self.reads);
  }
  return to_report(report);
}

py::object wait(const PyPendingPass& self) {
  PassReport report;
  {
    const GilReleased released;
    report = self.pass.wait();
    self.unfinished->end(self.reads);
  }
  return to_report(report);
}

void bind_session(py::module_& module) {
  py::class_<PyPendingPass, Holder<PyPendingPass>>(module, "PendingPass", "A pass under way.")
      .def(
          "done", [](const PyPendingPass& self) { return self.pass.done(); }, WithoutGil(),
          "Whether it has run.")
      .def("wait", &wait, "Waits until it has: a PassReport.");

  py::class_<SessionScope, Holder<SessionScope>>(module, "SessionScope")
      .def("__enter__",
           [](SessionScope& self) { self.guards.push_back(self.session.session.scope(self.name)); })
      .def("__exit__", [](SessionScope& self, const py::args&) {
        if (!self.guards.empty()) self.guards.pop_back();
      });

  py::class_<PySession, Holder<PySession>>(module, "GraphSession", "One forward pass.")
      .def("dispatch", &dispatch, py::arg("kernel"), py::arg("groups"), py::kw_only(),
           py::arg("group_size") = py::none(), py::arg("label") = "", py::arg("items") = py::none(),
           py::arg("offset") = py::none(), py::arg("guarded") = false, "As Stream.dispatch().")
      .def("copy", &copy, py::arg("target"), py::arg("source"), py::arg("label") = "",
           "As Stream.copy().")
      .def("fill", &fill, py::arg("target"), py::arg("value"), py::arg("label") = "",
           "As Stream.fill().")
      .def("write", &write, py::arg("target"), py::arg("data"), py::arg("label") = "",
           "As Stream.write().")
      .def("read", &read, py::arg("source"), py::arg("into"), py::arg("label") = "",
           "read($self, source, into, label='')\n--\n\n`into` is filled when the pass is finished.")
      .def("host_call", &host_call, py::arg("function"), py::arg("label") = "",
           "As Stream.host_call().")
      .def(
          "barrier", [](PySession& self) { self.session.barrier(); }, WithoutGil(),
          "As Stream.barrier().")
      .def(
          "scope",
          [](PySession& self, std::string name) { return SessionScope(self, std::move(name)); },
          py::arg("name"), py::keep_alive<0, 1>(),
          "with session.scope(name): its commands carry the name.")
      .def_property_readonly(
          "is_recording", [](const PySession& self) { return self.session.is_recording(); },
          "Whether it becomes a graph.")
      .def_property_readonly(
          "barrier_count", [](const PySession& self) { return self.session.barrier_count(); },
          "Barriers so far.")
      .def(
          "graph",
          [](const PySession& self) {
            return PyGraph{self.session.graph(), self.reads->copy()};
          },
          "What was recorded so far.")
      .def("finish", &finish, py::arg("reorder") = false, py::arg("timing") = false,
           "Runs what is left, waits, and says what was done: a PassReport.")
      .def(
          "commit",
          [](PySession& self, bool reorder, bool timing) {
            return PyPendingPass{self.session.commit({.reorder = reorder, .timing = timing}),
                                 self.unfinished, self.reads};
          },
          py::arg("reorder") = false, py::arg("timing") = false, WithoutGil(),
          "Runs what is left, and doesn't wait: a PendingPass.");
}

}  // namespace

void bind_executors(py::module_& module) {
  bind_session(module);
  py::class_<PyExecutor, Holder<PyExecutor>>(module, "GraphExecutor",
                                             "Where forward passes run, directly or recorded.")
      .def(py::init<const Device&, const std::string&>(), py::arg("device"),
           py::arg("name") = "pass", WithoutGil())
      .def_property_readonly(
          "device", [](const PyExecutor& self) { return self.executor.device(); },
          "Where its sessions run.")
      .def(
          "begin",
          [](const PyExecutor& self, bool timing, const std::string& name) {
            return PySession{self.executor.begin({.timing = timing, .name = name}),
                             self.unfinished};
          },
          py::arg("timing") = false, py::arg("name") = "", WithoutGil(),
          "A session that runs commands as they come.")
      .def(
          "begin_recorded",
          [](const PyExecutor& self, bool timing, const std::string& name) {
            return PySession{self.executor.begin_recorded({.timing = timing, .name = name}),
                             self.unfinished};
          },
          py::arg("timing") = false, py::arg("name") = "", WithoutGil(),
          "A session that is recorded, and runs as a graph.");
}

}  // namespace reel::python
