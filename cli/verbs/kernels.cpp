// kernels.cpp - `reel kernels`: how often each ran, and how long.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

// A kernel that ran as a C++ function may have a text in another form.
std::string form_option(const TraceKernel& kernel) {
  std::string other;
  for (const TraceVariant& variant : kernel.variants) {
    if (!variant.blob) continue;
    if (variant.form == kernel.built_form) return {};
    if (other.empty()) other = fmt::format(" --form {}", to_string(variant.form));
  }
  return other;
}

Json parameters_json(const Trace& trace, std::uint32_t index,
                     const std::vector<analysis::LeftAlone>& left_alone) {
  Json list = Json::array();
  for (const Parameter& parameter : trace.kernels()[index].parameters) {
    Json row = {{"name", parameter.name}, {"kind", to_string(parameter.kind)}};
    if (parameter.kind == ArgumentKind::buffer || parameter.kind == ArgumentKind::image)
      row["access"] = to_string(parameter.access);
    for (const analysis::LeftAlone& left : left_alone)
      if (left.kernel == index && left.parameter == list.size())
        row["left_alone"] = left.times;  // of so many that could be seen
    if (parameter.size_bytes) row["size_bytes"] = parameter.size_bytes;
    if (parameter.element) row["element"] = name_of(*parameter.element);
    list.push_back(row);
  }
  return list;
}

int run(const TraceOptions& options) {
  const Trace trace = open_trace(options);
  const std::vector<analysis::KernelUsage> usages = analysis::find_kernel_usage(trace);
  // What shares are of: all commands, copies among them.
  const std::uint64_t sum_ns = analysis::find_activity(trace).sum_ns;

  if (options.json) {
    Json json = json_of(trace);
    json["sum_ns"] = sum_ns ? Json(sum_ns) : Json();
    json["kernels"] = Json::array();
    const std::vector<analysis::LeftAlone> left_alone = analysis::find_left_alone(trace);
    for (const analysis::KernelUsage& usage : usages) {
      const TraceKernel& kernel = trace.kernels()[usage.kernel];
      const auto time = [&](std::uint64_t ns) { return usage.timed ? Json(ns) : Json(); };
      json["kernels"].push_back({{"id", name_of(kernel.id)},
                                 {"name", kernel.name},
                                 {"built_form", to_string(kernel.built_form)},
                                 {"count", usage.count},
                                 {"timed", usage.timed},
                                 {"total_ns", time(usage.total_ns)},
                                 {"mean_ns", time(usage.mean_ns)},
                                 {"p50_ns", time(usage.p50_ns)},
                                 {"p95_ns", time(usage.p95_ns)},
                                 {"together", usage.together},
                                 {"together_ns", usage.together ? Json(usage.together_ns) : Json()},
                                 {"parameters", parameters_json(trace, usage.kernel, left_alone)}});
    }
    print_json(json);
    return done;
  }
  if (usages.empty()) {
    print_none(trace, "kernels", "The document has no kernels.");
    return done;
  }
  using enum Table::Align;
  const bool are_any_together = std::ranges::any_of(
      usages, [](const analysis::KernelUsage& usage) { return usage.together > 0; });
  std::vector<Table::Column> columns{{"ID"},          {"NAME"},         {"FORM"},
                                     {"RUNS", right}, {"TOTAL", right}, {"MEAN", right},
                                     {"P50", right},  {"P95", right},   {"SHARE", right}};
  if (are_any_together) columns.push_back({"TIMED TOGETHER", right});
  Table table(columns);
  for (const analysis::KernelUsage& usage : usages) {
    const TraceKernel& kernel = trace.kernels()[usage.kernel];
    const auto time = [&](std::uint64_t ns) { return usage.timed == 0 ? "-" : time_text(ns); };
    std::vector<std::string> row{name_of(kernel.id),
                                 kernel.name,
                                 to_string(kernel.built_form),
                                 std::to_string(usage.count),
                                 time(usage.total_ns),
                                 time(usage.mean_ns),
                                 time(usage.p50_ns),
                                 time(usage.p95_ns),
                                 usage.timed ? share_text(usage.total_ns, sum_ns) : "-"};
    if (are_any_together)
      row.push_back(usage.together
                        ? fmt::format("{} within {}", usage.together, time_text(usage.together_ns))
                        : "-");
    table.add(std::move(row));
  }
  fmt::print("{}", table.text());
  if (are_any_together)
    fmt::print(
        "Runs that no barrier keeps apart, and many small ones, are timed together, with all that "
        "ran "
        "beside them;\n`reel capture --stamps dispatches` times each.\n");
  const TraceKernel& top = trace.kernels()[usages[0].kernel];
  const std::string id = name_of(top.id);
  // Host kernels are functions of the program; a text beside them is for other devices.
  const std::string form = form_option(top);
  const std::string built = form.empty() ? std::string("what it was built from")
                                         : fmt::format("its text for other devices; it ran as {}",
                                                       to_string(top.built_form));
  print_next(options, {{"reel source $ " + id + form, built},
                       {"reel commands $ --kernel " + id, "each of its runs"},
                       {"reel scopes $", "time by scope"}});
  return done;
}

}  // namespace

void add_kernels(CommandLine& line) {
  add_trace_verb(line, "kernels", "Runs and time of each kernel", run)
      .verb.footer("Example:\n  reel kernels pass.reel");
}

}  // namespace reel::cli
