// kernels.cpp - `reel kernels`: how often each ran, and how long.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "reel/units.hpp"
#include "table.hpp"
#include "trace_input.hpp"
#include "verbs.hpp"

namespace reel::cli {
namespace {

struct Usage {
  std::uint32_t kernel = 0;
  std::uint64_t count = 0;              // of runs, timed or not
  std::uint64_t total_ns = 0;           // of those that were timed
  std::vector<std::uint64_t> times_ns;  // sorted

  std::uint64_t mean_ns() const { return times_ns.empty() ? 0 : total_ns / times_ns.size(); }
  // The smallest time that this share of all runs does not exceed.
  std::uint64_t quantile_ns(double share) const {
    if (times_ns.empty()) return 0;
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(times_ns.size()));
    return times_ns[std::min(rank, times_ns.size() - 1)];
  }
};

// By total time, the longest first.
std::vector<Usage> usages_of(const Trace& trace) {
  std::vector<Usage> usages(trace.kernels().size());
  for (std::uint32_t i = 0; i < usages.size(); ++i) usages[i].kernel = i;
  for (const TraceCommand& command : trace.commands()) {
    const TraceWork& work = trace.work_of(command);
    if (work.kind != WorkKind::dispatch) continue;
    Usage& usage = usages[work.kernel];
    ++usage.count;
    if (!command.has_run_times()) continue;
    usage.times_ns.push_back(command.run_ns());
    usage.total_ns += command.run_ns();
  }
  for (Usage& usage : usages) std::ranges::sort(usage.times_ns);
  std::ranges::stable_sort(usages, std::ranges::greater{}, &Usage::total_ns);
  return usages;
}

// A kernel that ran as a C++ function may have a text in another form.
std::string form_option(const TraceKernel& kernel) {
  std::string other;
  for (const TraceVariant& variant : kernel.variants) {
    if (!variant.blob) continue;
    if (variant.form == kernel.built_form) return {};
    if (other.empty()) other = " --form " + variant.form;
  }
  return other;
}

Json parameters_json(const TraceKernel& kernel) {
  Json list = Json::array();
  for (const Parameter& parameter : kernel.parameters) {
    Json row = {{"name", parameter.name}, {"kind", to_string(parameter.kind)}};
    if (parameter.kind == ParameterKind::buffer) row["access"] = to_string(parameter.access);
    if (parameter.size_bytes) row["size_bytes"] = parameter.size_bytes;
    if (parameter.element) row["element"] = name_of(*parameter.element);
    list.push_back(row);
  }
  return list;
}

int run(const TraceOptions& options) {
  const Trace trace = open_trace(options);
  const std::vector<Usage> usages = usages_of(trace);
  std::uint64_t total_ns = 0;
  for (const Usage& usage : usages) total_ns += usage.total_ns;

  if (options.json) {
    Json json = json_of(trace);
    json["total_ns"] = total_ns;
    json["kernels"] = Json::array();
    for (const Usage& usage : usages) {
      const TraceKernel& kernel = trace.kernels()[usage.kernel];
      json["kernels"].push_back({{"id", name_of(kernel.id)},
                                 {"name", kernel.name},
                                 {"built_form", kernel.built_form},
                                 {"count", usage.count},
                                 {"timed", usage.times_ns.size()},
                                 {"total_ns", usage.total_ns},
                                 {"mean_ns", usage.mean_ns()},
                                 {"p50_ns", usage.quantile_ns(0.5)},
                                 {"p95_ns", usage.quantile_ns(0.95)},
                                 {"parameters", parameters_json(kernel)}});
    }
    print_json(json);
    return done;
  }
  if (usages.empty()) {
    fmt::print("The document has no kernels.\n");
    return done;
  }
  using enum Table::Align;
  Table table({{"ID"},
               {"NAME"},
               {"FORM"},
               {"RUNS", right},
               {"TOTAL", right},
               {"MEAN", right},
               {"P50", right},
               {"P95", right},
               {"SHARE", right}});
  for (const Usage& usage : usages) {
    const TraceKernel& kernel = trace.kernels()[usage.kernel];
    const auto time = [&](std::uint64_t ns) {
      return usage.times_ns.empty() ? "-" : time_text(ns);
    };
    table.add({name_of(kernel.id), kernel.name, kernel.built_form, std::to_string(usage.count),
               time(usage.total_ns), time(usage.mean_ns()), time(usage.quantile_ns(0.5)),
               time(usage.quantile_ns(0.95)), share_text(usage.total_ns, total_ns)});
  }
  fmt::print("{}", table.text());
  const TraceKernel& top = trace.kernels()[usages[0].kernel];
  const std::string id = name_of(top.id);
  print_next(options, {{"reel source $ " + id + form_option(top), "what it was built from"},
                       {"reel commands $ --kernel " + id, "each of its runs"},
                       {"reel scopes $", "time by scope"}});
  return done;
}

}  // namespace

void add_kernels(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand("kernels", "How often each kernel ran, and how long");
  add_trace_options(*verb, *options);
  verb->footer("Example:\n  reel kernels pass.reel");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace reel::cli
