// findings.cpp - what the library finds out about documents: usage of kernels, insights, diffs.
#include "python/src/bind.hpp"
#include "reel/diff.hpp"
#include "reel/insights.hpp"
#include "reel/proof.hpp"

namespace reel::python {
namespace {

py::object index_or_none(std::uint32_t index) {
  return index == no_index ? py::object(py::none()) : py::object(py::int_(index));
}

py::dict to_finding(const analysis::Finding& finding) {
  py::dict row;
  row["id"] = to_text(finding.id);
  row["severity"] = to_string(finding.severity);
  row["confidence"] = to_string(finding.confidence);
  row["title"] = to_text(finding.title);
  row["advice"] = to_text(finding.advice);
  row["commands"] = finding.evidence.commands;
  row["buffers"] = finding.evidence.buffers;
  row["kernels"] = finding.evidence.kernels;
  row["streams"] = finding.evidence.streams;
  row["begin_ns"] = finding.evidence.begin_ns;
  row["end_ns"] = finding.evidence.end_ns;
  py::dict numbers;
  for (const analysis::Number& number : finding.numbers)
    numbers[to_text(number.name)] = py::make_tuple(number.value, to_text(number.unit));
  row["numbers"] = numbers;
  row["saving_ns"] = finding.saving_ns;
  row["saving_bytes"] = finding.saving_bytes;
  row["formula"] = to_text(finding.formula);
  row["small"] = finding.is_small;
  row["after"] = finding.after;
  return row;
}

py::list to_findings(const std::vector<analysis::Finding>& findings) {
  py::list result;
  for (const analysis::Finding& finding : findings) result.append(to_finding(finding));
  return result;
}

py::dict to_side(const analysis::DiffSide& side) {
  py::dict row;
  row["total_ns"] = side.total_ns;
  row["busy_ns"] = side.busy_ns;
  row["idle_ns"] = side.idle_ns;
  row["passes"] = side.passes;
  row["peak_bytes"] = side.peak_bytes;
  row["commands"] = side.commands;
  row["enqueued"] = side.enqueued;
  row["launches"] = side.launches;
  row["noise"] = side.noise;
  row["cut"] = side.is_cut;
  return row;
}

py::dict to_time(const analysis::DiffTime& time) {
  py::dict row;
  row["ns_a"] = time.ns_a;
  row["ns_b"] = time.ns_b;
  row["delta_ns"] = time.delta_ns();
  row["spread_a_ns"] = time.spread_a_ns;
  row["spread_b_ns"] = time.spread_b_ns;
  row["p"] = time.p;
  row["shift_ns"] = time.shift_ns;
  row["floor_ns"] = time.floor_ns;
  row["least_ns"] = time.least_ns;
  row["verdict"] = time.verdict;
  row["significant"] = time.significant;
  row["comparable"] = time.comparable;
  row["passes_needed"] = time.passes_needed;
  return row;
}

py::list to_rows(const analysis::TraceDiff& found) {
  py::list result;
  for (const analysis::DiffRow& one : found.rows) {
    py::dict row = to_time(one.time);
    row["change"] = to_string(one.change);
    row["scope"] = to_text(one.scope);
    row["name"] = to_text(one.name);
    row["kernel_a"] = index_or_none(one.kernel_a);
    row["kernel_b"] = index_or_none(one.kernel_b);
    row["first_a"] = index_or_none(one.first_a);
    row["first_b"] = index_or_none(one.first_b);
    row["count_a"] = one.count_a;
    row["count_b"] = one.count_b;
    row["run"] = one.run ? py::object(to_time(*one.run)) : py::object(py::none());
    row["new_shape"] = one.new_shape;
    row["new_source"] = one.new_source;
    row["new_program"] = one.new_program;
    row["new_arguments"] = one.new_arguments;
    result.append(row);
  }
  return result;
}

py::object to_content_difference(const analysis::TraceDiff& found) {
  if (!found.contents) return py::none();
  py::dict row;
  row["command_a"] = index_or_none(found.contents->command_a);
  row["command_b"] = index_or_none(found.contents->command_b);
  row["buffer_a"] = index_or_none(found.contents->buffer_a);
  row["buffer_b"] = index_or_none(found.contents->buffer_b);
  row["offset_bytes"] = found.contents->offset_bytes;
  row["value_a"] = to_text(found.contents->value_a);
  row["value_b"] = to_text(found.contents->value_b);
  row["largest_absolute"] = found.contents->largest_absolute;
  return row;
}

py::dict find_diff(const Trace& a, const Trace& b) {
  analysis::TraceDiff found;
  {
    const GilReleased released;
    found = diff(a, b);
  }
  py::dict row;
  row["a"] = to_side(found.a);
  row["b"] = to_side(found.b);
  row["rows"] = to_rows(found);
  py::list kernels;
  for (const analysis::DiffKernel& one : found.kernels) {
    py::dict kernel = to_time(one.time);
    kernel["name"] = to_text(one.name);
    kernel["rows"] = one.rows;
    kernels.append(kernel);
  }
  row["kernels"] = kernels;
  row["total"] = to_time(found.total);
  row["busy"] = to_time(found.busy);
  row["idle"] = to_time(found.idle);
  row["between"] = found.has_between() ? py::object(to_time(found.between)) : py::none();
  row["rest_ns"] = found.rest_ns;
  row["common"] = found.common;
  row["comparable"] = found.comparable;
  row["differs"] = found.differs();
  row["compared_contents"] = found.compared_contents;
  row["equal_contents"] = found.equal_contents;
  row["contents"] = to_content_difference(found);
  py::list sources;
  for (const analysis::SourceDifference& one : found.sources)
    sources.append(py::make_tuple(index_or_none(one.kernel_a), index_or_none(one.kernel_b),
                                  to_text(to_string(one.form)), to_text(one.text_a),
                                  to_text(one.text_b)));
  row["sources"] = sources;
  row["new_findings"] = to_findings(found.new_findings);
  row["fixed_findings"] = to_findings(found.fixed_findings);
  row["cause"] = to_text(found.cause);
  return row;
}

py::list find_usage(const Trace& trace) {
  std::vector<analysis::KernelUsage> found;
  {
    const GilReleased released;
    found = analysis::find_kernel_usage(trace);
  }
  py::list result;
  for (const analysis::KernelUsage& usage : found) {
    py::dict row;
    row["kernel"] = usage.kernel;
    row["count"] = usage.count;
    row["timed"] = usage.timed;
    row["total_ns"] = usage.total_ns;
    row["mean_ns"] = usage.mean_ns;
    row["min_ns"] = usage.min_ns;
    row["p50_ns"] = usage.p50_ns;
    row["p95_ns"] = usage.p95_ns;
    row["max_ns"] = usage.max_ns;
    row["together"] = usage.together;
    row["together_ns"] = usage.together_ns;
    result.append(row);
  }
  return result;
}

py::dict to_proof(const Proof& proof) {
  py::dict row;
  row["experiment"] = to_text(proof.experiment);
  row["verdict"] = to_string(proof.verdict);
  row["measured_ns"] = proof.measured_ns;
  row["noise_ns"] = proof.noise_ns;
  row["runs"] = proof.runs;
  row["sentence"] = to_text(proof.sentence);
  return row;
}

py::list find_and_prove(const Trace& trace, const std::optional<Device>& device,
                        std::uint32_t seconds, std::uint32_t time_limit_s) {
  std::vector<analysis::Finding> findings;
  std::vector<Proof> proofs;
  {
    const GilReleased released;
    const analysis::Report report = analyze(trace);
    findings = find_insights(trace, report);
    const ProofOptions options{.seconds = seconds, .time_limit_s = time_limit_s};
    proofs = device ? prove(trace, *device, report, findings, options)
                    : prove(trace, report, findings, options);
  }
  py::list result;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    py::dict row = to_finding(findings[i]);
    row["proof"] = to_proof(proofs[i]);
    result.append(row);
  }
  return result;
}

}  // namespace

void bind_findings(py::module_& module) {
  module.def("kernel_usage", &find_usage, py::arg("trace"));
  module.def("diff", &find_diff, py::arg("a"), py::arg("b"));
  module.def(
      "insights",
      [](const Trace& trace) {
        std::vector<analysis::Finding> findings;
        {
          const GilReleased released;
          findings = find_insights(trace, analyze(trace));
        }
        return to_findings(findings);
      },
      py::arg("trace"));
  module.def("prove", &find_and_prove, py::arg("trace"), py::arg("device"), py::arg("seconds"),
             py::arg("time_limit_s"));
}

}  // namespace reel::python
