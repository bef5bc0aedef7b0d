#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "python/src/raised.hpp"
#include "reel/error.hpp"
#include "reel/stream.hpp"

namespace reel::python {
namespace {

// Scopes of reel.scope(), the outermost first.
thread_local std::vector<Scope> thread_scopes;

void dispatch(const PyStream& self, const Kernel& kernel, const py::handle& groups,
              const py::args& values, const py::object& group_size, const std::string& label,
              const py::object& items, const py::object& offset, bool guarded) {
  const Launch launch = to_launch(groups, group_size, label, items, offset, guarded);
  const auto arguments = to_arguments(kernel, values);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.dispatch(kernel, launch, std::span(arguments));
}

void dispatch_indirect(const PyStream& self, const Kernel& kernel, const py::handle& groups,
                       const py::args& values, const py::object& group_size,
                       const std::string& label) {
  const Range range = to_range(groups);
  const Launch launch = to_launch(py::int_(1), group_size, label);
  const auto arguments = to_arguments(kernel, values);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.dispatch_indirect(kernel, range, launch, std::span(arguments));
}

void copy(const PyStream& self, const py::handle& target, const py::handle& source,
          const std::string& label) {
  const Range to = to_range(target), from = to_range(source);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.copy(to, from, label);
}

void copy_2d(const PyStream& self, const py::handle& target, const py::handle& source,
             std::uint64_t width_bytes, std::uint64_t rows, std::uint64_t target_pitch_bytes,
             std::uint64_t source_pitch_bytes, const std::string& label) {
  const Range to = to_range(target), from = to_range(source);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.copy_2d({to, target_pitch_bytes}, {from, source_pitch_bytes}, width_bytes, rows,
                      label);
}

void copy_to(const PyStream& to, const py::handle& target, const PyStream& from,
             const py::handle& source) {
  const Range target_range = to_range(target), source_range = to_range(source);
  const GilReleased released;
  copy_between(to.stream, target_range, from.stream, source_range);
}

void fill(const PyStream& self, const py::handle& target, const py::handle& value,
          const std::string& label) {
  const Range range = to_range(target);
  const Pattern pattern = to_pattern(value);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.fill(Fill{range, pattern.bits, pattern.size_bytes}, label);
}

void write(const PyStream& self, const py::handle& target, const py::handle& data,
           const std::string& label) {
  const Range range = to_range(target);
  const BytesToRead source(data);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.write(range, source.bytes(), label);
}

void host_wrote(const PyStream& self, const py::handle& range, const std::string& label) {
  const Range written = to_range(range);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.host_wrote(written, label);
}

void read(const PyStream& self, const py::handle& source, const py::handle& target,
          const std::string& label) {
  const Range range = to_range(source);
  BytesToFill into(target);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  const bool captured = self.stream.is_in_stream_capture();
  self.stream.read(range, into.bytes, label);
  if (captured)
    CapturedReads::all().add(std::move(into.owner));
  else
    self.reads->add(std::move(into.owner));
}

py::array read_now(const PyStream& self, const py::object& source, const py::object& dtype) {
  const Range range = to_range(source);
  const bool is_buffer = dtype.is_none() && py::isinstance<Buffer>(source);
  const auto type = py::dtype::from_args(is_buffer         ? py::object(source.attr("dtype"))
                                         : dtype.is_none() ? py::object(py::str("uint8"))
                                                           : dtype);
  py::array result = new_array(type, range.size_bytes);
  const std::span target(static_cast<std::byte*>(result.mutable_data()), range.size_bytes);
  {
    const GilReleased released;
    const auto scope = open_thread_scope(self.stream);
    self.stream.read_now(range, target);
  }
  return is_buffer ? py::array(result.attr("reshape")(source.attr("shape"))) : result;
}

void host_call(const PyStream& self, const py::function& function, const std::string& label) {
  auto call = to_host_call(function, label);
  const GilReleased released;
  const auto scope = open_thread_scope(self.stream);
  self.stream.host_call(std::move(call), label);
}

void synchronize(const PyStream& self) {
  const auto reads = self.reads->take();
  try {
    self.stream.synchronize();
  } catch (...) {
    self.reads->add(reads);  // what failed may not be over
    throw;
  }
}

// with stream.scope("layer0"): …
struct StreamScope {
  StreamScope(const Stream& of, std::string path) : stream(of), name(std::move(path)) {}
  StreamScope(StreamScope&&) = default;
  StreamScope(const StreamScope&) = delete;

  Stream stream;
  std::string name;
  std::vector<ScopeGuard> guards;
};

std::string repr_stream(const PyStream& self) {
  return "<reel.Stream '" + self.stream.label() + "' of " + self.stream.device().info().id + ">";
}

}  // namespace

std::optional<ScopeGuard> open_thread_scope(const Stream& stream) {
  if (thread_scopes.empty()) return std::nullopt;
  return stream.scope(thread_scopes.back().path());
}

Scope thread_scope() { return thread_scopes.empty() ? Scope() : thread_scopes.back(); }

std::function<void()> to_host_call(const py::function& function, const std::string& label) {
  return [kept = keep(function), label] {
    const PythonCall python;
    try {
      py::reinterpret_borrow<py::object>(kept.get())();
    } catch (const py::error_already_set& error) {
      throw Error(Code::host_call_failed, describe_raised(error));
    }
  };
}

std::function<std::uint32_t()> to_predicate(const py::function& function,
                                            const std::string& label) {
  return [kept = keep(function), label]() -> std::uint32_t {
    const PythonCall python;
    try {
      const py::object value = py::reinterpret_borrow<py::object>(kept.get())();
      // What is no whole number would be cut to one: 0.5 would be no.
      const bool is_whole = PyIndex_Check(value.ptr()) || type_of(value) == "bool_";
      if (!is_whole)
        throw Error(Code::host_call_failed,
                    "it returned a " + type_of(value) + ", and a bool or int is needed");
      return py::int_(value).cast<std::uint32_t>();
    } catch (const py::error_already_set& error) {
      throw Error(Code::host_call_failed, describe_raised(error));
    } catch (const py::cast_error&) {
      throw Error(Code::host_call_failed, "it returned a number that is not from 0 to 2^32 - 1");
    }
  };
}

void bind_streams(py::module_& module) {
  py::class_<Event, Holder<Event>>(module, "Event", "A point in a stream.")
      .def_property_readonly(
          "label", [](const Event& self) { return to_text(self.label()); }, "As it was given.")
      .def("done", &Event::done, WithoutGil(),
           "Whether the device has reached it; true of one that was never recorded.")
      .def("synchronize", &Event::synchronize, WithoutGil(),
           "Waits until the device has reached it.")
      .def("time_ns", &Event::time_ns, WithoutGil(),
           "When the device reached it, on its own clock; None before, and where it can't stamp "
           "time.")
      .def("__repr__", [](const Event& self) { return "<reel.Event '" + self.label() + "'>"; });

  py::class_<StreamScope, Holder<StreamScope>>(module, "StreamScope")
      .def("__enter__",
           [](StreamScope& self) { self.guards.push_back(self.stream.scope(self.name)); })
      .def("__exit__", [](StreamScope& self, const py::args&) {
        if (!self.guards.empty()) self.guards.pop_back();
      });

  py::class_<PyStream, Holder<PyStream>>(module, "Stream", "An in-order line of commands.")
      .def_property_readonly(
          "id", [](const PyStream& self) { return static_cast<int>(self.stream.id()); },
          "As documents name it: 0 is s0.")
      .def_property_readonly(
          "label", [](const PyStream& self) { return to_text(self.stream.label()); },
          "As it was given.")
      .def_property_readonly(
          "device", [](const PyStream& self) { return self.stream.device(); }, "Where it runs.")
      .def(
          "dispatch", &dispatch, py::arg("kernel"), py::arg("groups"), py::kw_only(),
          py::arg("group_size") = py::none(), py::arg("label") = "", py::arg("items") = py::none(),
          py::arg("offset") = py::none(), py::arg("guarded") = false,
          R"doc(dispatch($self, kernel, groups, *arguments, group_size=None, label='', items=None, offset=None, guarded=False)
--

Runs a kernel on so many groups: an int, or up to three of them. Or on so many items, with None for
the groups; a device that runs whole groups only takes a number that doesn't fill the last one where
the kernel is guarded: it does nothing for items past the end.

>>> stream.dispatch(add, n // 64, reel.inp(x), reel.inout(y), n)
>>> stream.dispatch(add, None, reel.inp(x), reel.inout(y), n, items=n, guarded=True)
)doc")
      .def("dispatch_indirect", &dispatch_indirect, py::arg("kernel"), py::arg("groups"),
           py::kw_only(), py::arg("group_size") = py::none(), py::arg("label") = "",
           R"doc(dispatch_indirect($self, kernel, groups, *arguments, group_size=None, label='')
--

As dispatch(), with a grid that the device reads: three uint32 in a buffer.
)doc")
      .def("copy", &copy, py::arg("target"), py::arg("source"), py::arg("label") = "",
           "copy($self, target, source, label='')\n--\n\nCopies between buffers or ranges of one "
           "size.")
      .def("copy_2d", &copy_2d, py::arg("target"), py::arg("source"), py::kw_only(),
           py::arg("width_bytes"), py::arg("rows"), py::arg("target_pitch_bytes"),
           py::arg("source_pitch_bytes"), py::arg("label") = "",
           "copy_2d($self, target, source, *, width_bytes, rows, target_pitch_bytes, "
           "source_pitch_bytes, label='')\n--\n\nCopies rows that begin a pitch apart.")
      .def("fill", &fill, py::arg("target"), py::arg("value"), py::arg("label") = "",
           R"doc(fill($self, target, value, label='')
--

Repeats a byte (an int) or a NumPy scalar of 1, 2 or 4 bytes.

>>> stream.fill(x, np.float32(1))
)doc")
      .def("write", &write, py::arg("target"), py::arg("data"), py::arg("label") = "",
           "write($self, target, data, label='')\n--\n\nThe data may be reused as soon as this "
           "returns.")
      .def("read", &read, py::arg("source"), py::arg("into"), py::arg("label") = "",
           "read($self, source, into, label='')\n--\n\n`into` is filled when the command is done.")
      .def("host_wrote", &host_wrote, py::arg("range"), py::arg("label") = "",
           "host_wrote($self, range, label='')\n--\n\nBytes of a mapped buffer were written by "
           "the host: commands from now on use them, and captures keep them.")
      .def("read_now", &read_now, py::arg("source"), py::arg("dtype") = py::none(),
           "read_now($self, source, dtype=None)\n--\n\nReads, and waits for it; a new array.")
      .def("host_call", &host_call, py::arg("function"), py::arg("label") = "",
           "Calls a function between what came before and what comes after.")
      .def(
          "barrier", [](const PyStream& self) { self.stream.barrier(); }, WithoutGil(),
          "What comes after waits for all that came before.")
      .def(
          "record", [](const PyStream& self, const Event& event) { self.stream.record(event); },
          py::arg("event"), WithoutGil(), "Marks this point of the stream by an event.")
      .def(
          "wait", [](const PyStream& self, const Event& event) { self.stream.wait(event); },
          py::arg("event"), WithoutGil(), "What comes after waits until the event is reached.")
      .def(
          "flush", [](const PyStream& self) { self.stream.flush(); }, WithoutGil(),
          "Starts what is enqueued, and doesn't wait.")
      .def("synchronize", &synchronize, WithoutGil(), "Waits for it all.")
      .def(
          "done", [](const PyStream& self) { return self.stream.done(); }, WithoutGil(),
          "Whether all of it has run.")
      .def(
          "is_in_stream_capture",
          [](const PyStream& self) { return self.stream.is_in_stream_capture(); },
          "Whether calls become nodes of a graph.")
      .def(
          "scope",
          [](const PyStream& self, std::string name) {
            return StreamScope(self.stream, std::move(name));
          },
          py::arg("name"), "with stream.scope(name): its commands carry the name.")
      .def("__repr__", &repr_stream);

  module.def("elapsed_ns", &elapsed_ns, py::arg("begin"), py::arg("end"),
             "elapsed_ns(begin, end)\n--\n\nBetween two events of one device; None before both "
             "are done, or where the device can't tell.");
  module.def("copy_between", &copy_to, py::arg("to"), py::arg("target"), py::arg("from_"),
             py::arg("source"),
             "copy_between(to, target, from_, source)\n--\n\nFrom a buffer of one device to a "
             "buffer of another, through host memory; waits for the stream `from_`.");

  module.def("push_scope",
             [](const std::string& name) { thread_scopes.push_back(thread_scope().child(name)); });
  module.def("pop_scope", [] {
    if (!thread_scopes.empty()) thread_scopes.pop_back();
  });
}

}  // namespace reel::python
