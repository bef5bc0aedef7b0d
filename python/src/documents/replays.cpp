#include "ops/ops.hpp"
#include "python/src/bind.hpp"
#include "reel/replay.hpp"

namespace reel::python {
namespace {

py::object command_or_none(std::uint32_t index) {
  return index == no_index ? py::object(py::none()) : py::object(py::int_(index));
}

py::object type_or_none(const std::optional<ElementType>& type) {
  return type ? py::object(py::str(name_of(*type))) : py::object(py::none());
}

py::dict to_spread(const Spread& spread) {
  py::dict row;
  row["runs"] = spread.runs;
  row["min_ns"] = spread.min;
  row["median_ns"] = spread.median;
  row["p95_ns"] = spread.p95;
  row["max_ns"] = spread.max;
  row["noise"] = spread.noise;
  return row;
}

py::list to_differences(const ReplayReport& report) {
  py::list result;
  for (const Difference& difference : report.differences) {
    py::dict row;
    row["command"] = command_or_none(difference.command);
    row["check"] = command_or_none(difference.check);
    row["buffer"] = command_or_none(difference.buffer);
    row["offset_bytes"] = difference.offset_bytes;
    row["type"] = type_or_none(difference.type);
    row["expected"] = to_text(difference.expected);
    row["found"] = to_text(difference.found);
    row["elements"] = difference.elements;
    result.append(row);
  }
  return result;
}

py::list to_buffers(const ReplayReport& report) {
  py::list result;
  for (const BufferReport& buffer : report.buffers) {
    py::dict row;
    row["buffer"] = buffer.buffer;
    row["checks"] = buffer.checks;
    row["equal_bytes"] = buffer.equal_bytes;
    row["close_bytes"] = buffer.close_bytes;
    row["different_bytes"] = buffer.different_bytes;
    row["unchecked_bytes"] = buffer.unchecked_bytes;
    row["type"] = type_or_none(buffer.type);
    row["largest_absolute"] = buffer.largest_absolute;
    row["largest_relative"] = buffer.largest_relative;
    row["largest_ulp"] = buffer.largest_ulp;
    row["same_in_every_run"] = buffer.same_in_every_run;
    result.append(row);
  }
  return result;
}

py::list to_unchecked(const ReplayReport& report) {
  py::list result;
  for (const Unchecked& unchecked : report.unchecked) {
    py::dict row;
    row["reason"] = to_text(unchecked.reason);
    row["checks"] = unchecked.checks;
    row["bytes"] = unchecked.bytes;
    result.append(row);
  }
  return result;
}

py::list to_races(const std::vector<Race>& races) {
  py::list result;
  for (const Race& race : races) {
    py::dict row;
    row["first"] = command_or_none(race.first);
    row["second"] = command_or_none(race.second);
    row["buffer"] = command_or_none(race.buffer);
    row["begin"] = race.begin;
    row["end"] = race.end;
    row["observed"] = race.observed;
    result.append(row);
  }
  return result;
}

py::dict to_report(const ReplayReport& report) {
  py::dict row;
  row["verdict"] = to_string(report.verdict());
  row["device"] = to_text(report.device);
  row["recorded_device"] = to_text(report.recorded_device);
  row["is_recorded_device"] = report.is_recorded_device;
  row["commands"] = report.commands;
  row["skipped"] = report.skipped;
  py::list left_out;
  for (const LeftOut& one : report.left_out)
    left_out.append(py::make_tuple(command_or_none(one.command), to_text(one.reason)));
  row["left_out"] = left_out;
  row["remarks"] = to_texts(report.remarks);
  row["warnings"] = to_texts(report.warnings);
  row["incomplete"] = to_texts(report.incomplete);
  row["checks"] = report.checks;
  row["equal_checks"] = report.equal_checks;
  row["close_checks"] = report.close_checks;
  row["different_checks"] = report.different_checks;
  row["checked_bytes"] = report.checked_bytes;
  row["unchecked"] = to_unchecked(report);
  row["buffers"] = to_buffers(report);
  row["differences"] = to_differences(report);
  row["races"] = to_races(report.races);
  row["possible_races"] = to_races(report.possible_races);
  row["culprit"] = report.culprit;
  row["culprit_reason"] = to_text(report.culprit_reason);
  py::object nan = py::none();
  if (report.first_nan) {
    py::dict found;
    found["command"] = command_or_none(report.first_nan->command);
    found["buffer"] = command_or_none(report.first_nan->buffer);
    found["offset_bytes"] = report.first_nan->offset_bytes;
    found["value"] = to_text(report.first_nan->value);
    found["was_read"] = report.first_nan->was_read;
    nan = found;
  }
  row["first_nan"] = nan;
  row["runs"] = report.runs;
  row["is_timed"] = report.is_timed;
  row["recorded_span_ns"] = report.recorded_span_ns;
  row["recorded_together_ns"] = report.recorded_together_ns;
  row["span"] = to_spread(report.span);
  py::list kernels;
  for (const KernelTiming& timing : report.kernel_times) {
    py::dict kernel = to_spread(timing.replayed);
    kernel["kernel"] = command_or_none(timing.kernel);
    kernel["commands"] = timing.commands;
    kernel["recorded_ns"] = timing.recorded_ns;
    kernel["original"] =
        timing.original ? py::object(to_spread(*timing.original)) : py::object(py::none());
    kernels.append(kernel);
  }
  row["kernel_times"] = kernels;
  py::list commands;
  for (const CommandTiming& timing : report.command_times) {
    py::dict command = to_spread(timing.replayed);
    command["command"] = command_or_none(timing.command);
    command["recorded_ns"] = timing.recorded_ns;
    commands.append(command);
  }
  row["command_times"] = commands;
  return row;
}

ReplayOrder to_order(const std::string& name) {
  for (const ReplayOrder known :
       {ReplayOrder::recorded, ReplayOrder::sequential, ReplayOrder::relaxed})
    if (name == to_string(known)) return known;
  throw py::value_error("order is 'recorded', 'sequential' or 'relaxed', not '" + name + "'.");
}

ReplayOptions to_options(const py::dict& given) {
  ReplayOptions options;
  options.order = to_order(given["order"].cast<std::string>());
  options.repeat = given["repeat"].cast<std::uint32_t>();
  options.from = given["first"].cast<std::uint32_t>();
  if (!given["last"].is_none()) options.to = given["last"].cast<std::uint32_t>();
  if (!given["tolerance"].is_none())
    options.tolerance = Tolerance{.relative = given["tolerance"].cast<double>()};
  options.find_culprit = given["find_culprit"].cast<bool>();
  options.find_nan = given["find_nan"].cast<bool>();
  options.time_limit_s = given["time_limit_s"].cast<std::uint32_t>();
  for (const std::uint32_t command : given["without"].cast<std::vector<std::uint32_t>>())
    options.without.insert(command);
  for (const auto& [kernel, replacement] : given["replacements"].cast<py::dict>()) {
    const auto pair = replacement.cast<std::pair<std::string, std::string>>();
    options.replacements[kernel.cast<std::uint32_t>()] = {form_of(pair.first), pair.second};
  }
  return options;
}

}  // namespace

void bind_replays(py::module_& module) {
  module.def(
      "replay",
      [](const Trace& trace, const std::optional<Device>& device, const py::dict& given) {
        const ReplayOptions options = to_options(given);
        ReplayReport report;
        {
          const GilReleased released;
          report = device ? replay(trace, *device, options) : replay(trace, options);
        }
        return to_report(report);
      },
      py::arg("trace"), py::arg("device"), py::arg("options"));
  module.def(
      "extract",
      [](const Trace& trace, const std::optional<Device>& device,
         const std::vector<std::uint32_t>& commands, const std::string& path) {
        ExtractReport report;
        {
          const GilReleased released;
          report =
              device ? extract(trace, *device, commands, path) : extract(trace, commands, path);
        }
        py::dict row;
        row["path"] = to_text(report.path);
        row["commands"] = report.commands;
        row["document_bytes"] = report.document_bytes;
        return row;
      },
      py::arg("trace"), py::arg("device"), py::arg("commands"), py::arg("path"));
  // Host kernels that Reel's own examples record, as `reel replay` knows them.
  ops::register_host_kernels();
}

}  // namespace reel::python
