#include "python/src/library/objects.hpp"
#include "reel/stream_capture.hpp"

namespace reel::python {
namespace {

// with reel.StreamCapture(stream) as capture: …; capture.graph
class PyStreamCapture {
 public:
  PyStreamCapture(const PyStream& stream, const std::string& mode)
      : capture_(StreamCapture::begin(stream.stream, to_mode(mode))) {
    CapturedReads::all().begin();
    counted_ = true;
  }
  ~PyStreamCapture() { stop_counting(); }
  PyStreamCapture(const PyStreamCapture&) = delete;

  StreamCapture& capture() { return *capture_; }

  PyGraph end() {
    Graph graph = capture_->end();
    return {std::move(graph), stop_counting()};
  }
  void discard() {
    capture_ = std::nullopt;
    stop_counting();
  }
  bool is_active() const { return capture_ && capture_->is_active(); }
  std::size_t recorded_count() const { return capture_ ? capture_->recorded_count() : 0; }
  std::string status() const {
    return to_string(capture_ ? capture_->status() : CaptureStatus::none);
  }

 private:
  static CaptureMode to_mode(const std::string& mode) {
    for (const CaptureMode known :
         {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed})
      if (mode == to_string(known)) return known;
    throw py::value_error("A capture's mode is '" + std::string(to_string(CaptureMode::global)) +
                          "', '" + to_string(CaptureMode::thread_local_) + "' or '" +
                          to_string(CaptureMode::relaxed) + "', not '" + mode + "'.");
  }
  std::vector<Kept> stop_counting() {
    if (!std::exchange(counted_, false)) return {};
    return CapturedReads::all().end();
  }

  std::optional<StreamCapture> capture_;
  bool counted_ = false;
};

std::uint32_t record_kernel(PyStreamCapture& self, const Kernel& kernel, const py::handle& groups,
                            const py::args& values, const py::object& group_size,
                            const std::string& label) {
  const Launch launch = to_launch(groups, group_size, label);
  const auto arguments = to_arguments(kernel, values);
  return static_cast<std::uint32_t>(
      self.capture().record_kernel(kernel, launch, std::span(arguments)));
}

}  // namespace

void bind_stream_captures(py::module_& module) {
  py::class_<PyStreamCapture, Holder<PyStreamCapture>>(
      module, "StreamCapture", py::dynamic_attr(), hidden_while_freed(),
      "Turns what is enqueued on a stream into a Graph in place of running it.")
      .def(py::init<const PyStream&, const std::string&>(), py::arg("stream"),
           py::arg("mode") = to_string(CaptureMode::global))
      .def("record_kernel", &record_kernel, py::arg("kernel"), py::arg("groups"), py::kw_only(),
           py::arg("group_size") = py::none(), py::arg("label") = "",
           "As stream.dispatch(); the number of its node.")
      .def("end", &PyStreamCapture::end, "The graph.")
      .def("is_active", &PyStreamCapture::is_active, "Not ended yet.")
      .def_property_readonly("recorded_count", &PyStreamCapture::recorded_count, "Nodes so far.")
      .def_property_readonly("status", &PyStreamCapture::status,
                             "\"none\", \"active\" or \"invalidated\".")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](const py::object& self, const py::object& type, const py::object&,
                          const py::object&) {
        auto& capture = self.cast<PyStreamCapture&>();
        if (type.is_none() && !py::hasattr(self, "graph"))
          self.attr("graph") = py::cast(capture.end());
        else if (!type.is_none())
          capture.discard();  // what was raised goes on, and the stream is usable
      });
}

}  // namespace reel::python
