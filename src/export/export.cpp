#include "reel/export.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "export/export_formats.hpp"

namespace reel {
namespace {

struct Format {
  const char *name, *extension;
  ExportReport (*write)(const Trace&, const std::string&, const ExportOptions&);
};

// In the order of ExportFormat. A new format is one line here and one there.
constexpr Format formats[] = {
    {"perfetto", ".pftrace", export_perfetto},
    {"chrome", ".json.gz", export_chrome},
    {"sqlite", ".db", export_sqlite},
    {"dot", ".dot", export_dot},
    {"csv", ".csv", export_csv},
    {"jsonl", ".jsonl", export_jsonl},
    {"pprof", ".pb.gz", export_pprof},
    {"parquet", ".parquet", export_parquet},
    {"arrow", ".arrow", export_arrow},
};

const Format& format_of(ExportFormat format) { return formats[static_cast<std::size_t>(format)]; }

}  // namespace

const std::vector<std::string>& export_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Format& format : formats) list.emplace_back(format.name);
    return list;
  }();
  return names;
}

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  for (std::size_t i = 0; i < std::size(formats); ++i)
    if (name == formats[i].name) return static_cast<ExportFormat>(i);
  return std::nullopt;
}

const char* extension_of(ExportFormat format) noexcept { return format_of(format).extension; }

ExportReport export_trace(const Trace& trace, ExportFormat format, const std::string& path,
                          const ExportOptions& options) {
  return format_of(format).write(trace, path, options);
}

void tell_untimed(const Trace& trace, ExportReport& report) {
  std::uint64_t untimed = 0;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
    untimed += !trace.commands()[c].has_run_times() && !trace.interval_of(c);
  if (untimed > 0)
    report.left_out.push_back(fmt::format("{} of {} commands {}.", untimed, trace.commands().size(),
                                          untimed == 1
                                              ? "has no times, so it isn't on the timeline"
                                              : "have no times, so they aren't on the timeline"));
}

void tell_cut(std::uint64_t slices, ExportReport& report) {
  if (slices > 0)
    report.left_out.push_back(
        fmt::format("{} more than 256 others and {} early on the timeline.",
                    slices == 1 ? "1 slice overlaps" : fmt::format("{} slices overlap", slices),
                    slices == 1 ? "ends" : "end"));
}

}  // namespace reel
