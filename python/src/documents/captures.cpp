// captures.cpp - the library's own capture: work of this package's devices.
#include "python/src/bind.hpp"
#include "reel/capture.hpp"

namespace reel::python {
namespace {

Contents to_contents(const std::string& name) {
  for (const Contents known : {Contents::none, Contents::hashes, Contents::inputs, Contents::all})
    if (name == to_string(known)) return known;
  throw py::value_error("contents is 'none', 'hashes', 'inputs' or 'all', not '" + name + "'.");
}

template <class F>
py::dict row_of(F&& wait) {
  CaptureReport report;
  {
    const GilReleased released;
    report = wait();
  }
  py::dict row;
  row["path"] = to_text(report.path);
  row["commands"] = report.commands;
  row["document_bytes"] = report.document_bytes;
  row["contents_bytes"] = report.contents_bytes;
  row["lost"] = to_text(report.lost);
  return row;
}

}  // namespace

void bind_captures(py::module_& module) {
  py::module_ part = module.def_submodule("library", "Captures of this package's own devices.");
  part.def(
      "start",
      [](const std::string& path, const std::string& contents, std::uint64_t limit_bytes,
         bool overwrite, const std::string& scope) {
        const CaptureOptions options{.contents = to_contents(contents),
                                     .limit_bytes = limit_bytes,
                                     .overwrite = overwrite,
                                     .scope = scope};
        const GilReleased released;
        start_capture(path, options);
      },
      py::arg("path"), py::arg("contents"), py::arg("limit_bytes"), py::arg("overwrite"),
      py::arg("scope"));
  part.def("stop", [] { return row_of([] { return stop_capture(); }); });
  py::class_<EndingCapture>(part, "Ending")
      .def("report",
           [](const EndingCapture& self) { return row_of([&] { return self.report(); }); })
      .def("is_finished", &EndingCapture::is_finished);
  part.def("stop_async", [] {
    const GilReleased released;
    return stop_capture_async();
  });
  part.def("is_capturing", &is_capturing);
}

}  // namespace reel::python
