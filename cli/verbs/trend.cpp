// trend.cpp - `reel trend`: since which commit kernels are slower, or faster.
#include "reel/trend.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "cli/running/output_place.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/documents.hpp"
#include "reel/error.hpp"
#include "reel/page.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::string folder, by = "commit", kernel, html;
  std::vector<std::string> fail_if;
  bool json = false, overwrite = false;
};

// ">+5%" of any line, "matmul>+5%" of one kernel, "<-5%".
struct Limit {
  explicit Limit(const std::string& given) : text(given) {
    const std::size_t sign = given.find_last_of("<>");
    const std::string value = sign == std::string::npos ? "" : given.substr(sign + 1);
    char* end = nullptr;
    share = std::strtod(value.c_str(), &end) / 100;
    if (value.empty() || end == value.c_str() || std::string_view(end) != "%" ||
        !std::isfinite(share))
      throw Misuse(
          fmt::format("--fail-if can't read '{}'. It takes > or < and a change in percent, as "
                      "'>+5%', after the "
                      "name of a kernel where only that one counts: 'matmul>+5%'",
                      given));
    kernel = given.substr(0, sign);
    is_more = given[sign] == '>';
  }
  bool is_true(const analysis::TrendLine& line) const {
    if (!line.change || (!kernel.empty() && kernel != line.kernel)) return false;
    return is_more ? line.change->share() > share : line.change->share() < share;
  }
  std::string text, kernel;
  double share = 0;
  bool is_more = true;
};

std::string time_of(double ns) { return time_text(static_cast<std::uint64_t>(ns)); }
std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

Json json_of(const analysis::Trend& trend, const Options& options) {
  const auto run = [&](std::size_t number) {
    const auto& of = trend.runs[number];
    return Json{{"document", of.document}, {"by", of.by}, {"started", of.started}};
  };
  Json json{{"schema_version", 1},        {"folder", options.folder},
            {"by", options.by},           {"documents", trend.runs.size()},
            {"left_out", trend.left_out}, {"without_fact", trend.without_fact},
            {"lines", Json::array()}};
  for (const auto& line : trend.lines) {
    Json one{{"kernel", line.kernel}, {"scope", line.scope}, {"device", line.device}};
    one["noise"] = line.noise ? Json(*line.noise) : Json();
    one["change"] = nullptr;
    if (line.change)
      one["change"] = {{"before_ns", line.change->before_ns},
                       {"after_ns", line.change->after_ns},
                       {"share", line.change->share()},
                       {"p", line.change->p},
                       {"at", line.change->at},
                       {"last_before", run(line.points[line.change->at - 1].run)},
                       {"first_after", run(line.points[line.change->at].run)}};
    one["points"] = Json::array();
    for (const auto& point : line.points)
      one["points"].push_back({{"document", trend.runs[point.run].document},
                               {"by", trend.runs[point.run].by},
                               {"median_ns", point.median_ns},
                               {"count", point.count}});
    json["lines"].push_back(std::move(one));
  }
  return json;
}

void print_text(const analysis::Trend& trend, const Options& options) {
  Table table({{"KERNEL"},
               {"SCOPE"},
               {"DEVICE"},
               {"LAST BEFORE"},
               {"FIRST AFTER"},
               {"BEFORE", Table::Align::right},
               {"AFTER", Table::Align::right},
               {"CHANGE", Table::Align::right},
               {"NOISE", Table::Align::right},
               {"P", Table::Align::right}});
  std::size_t steady = 0, short_lines = 0;
  for (const auto& line : trend.lines) {
    if (!line.change) {
      ++steady;
      short_lines += line.points.size() < 8;
      continue;
    }
    const auto& change = *line.change;
    table.add({line.kernel, line.scope, line.device, trend.runs[line.points[change.at - 1].run].by,
               trend.runs[line.points[change.at].run].by, time_of(change.before_ns),
               time_of(change.after_ns), fmt::format("{:+.1f}%", 100 * change.share()),
               line.noise ? percent(*line.noise) : "-", fmt::format("{:.2g}", change.p)});
    table.tone(7, change.share() > 0 ? Tone::bad : Tone::good);
  }
  fmt::print("{} by {}\n", count_text(trend.runs.size(), "document"), printable(options.by));
  if (!table.empty()) fmt::print("\n{}", table.text());
  if (steady > 0)
    fmt::print("\n{} {} no significant change.\n", count_text(steady, "line"),
               steady == 1 ? "shows" : "show");
  if (short_lines > 0)
    fmt::print("{} of them in fewer than 8 documents, which are too few to tell.\n", short_lines);
}

int run(const Options& options) {
  std::vector<Limit> limits(options.fail_if.begin(), options.fail_if.end());
  if (!options.html.empty()) refuse_existing(options.html, options.overwrite);
  const std::vector<std::string> paths = documents_in(options.folder);
  if (paths.empty())
    throw Error(Code::io_failed, fmt::format("'{}' has no .reel file in it.", options.folder));
  std::optional<Progress> progress(fmt::format("Reading {} documents", paths.size()));
  analysis::TrendOptions how;
  how.by = options.by;
  how.kernel = options.kernel;
  how.progress = [&](std::size_t now, std::size_t all) {
    progress->show(fmt::format("{} of {} documents", now, all));
  };
  const analysis::Trend trend = find_trend(paths, how);
  progress.reset();
  for (const std::string& problem : trend.problems)
    fmt::print(stderr, "reel: {}\n", printable(problem));
  if (trend.without_fact > 0)
    fmt::print(stderr, "reel: {} of {} documents don't have the fact '{}' and are left out.\n",
               trend.without_fact, paths.size(), printable(options.by));
  if (!options.html.empty())
    write_html(trend, options.by, options.html, {.overwrite = options.overwrite});
  if (options.json)
    print_json(json_of(trend, options));
  else
    print_text(trend, options);
  int code = trend.left_out > 0 ? damaged : done;
  for (const Limit& limit : limits)
    for (const auto& line : trend.lines)
      if (limit.is_true(line)) {
        fmt::print(stderr, "reel: {} is true of {}{}{}.\n", printable(limit.text),
                   printable(line.kernel), line.scope.empty() ? "" : " in ", printable(line.scope));
        code = failed;
      }
  return code;
}

}  // namespace

void add_trend(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("trend", "Find the commit since which kernels are slower or faster");
  verb.add_option("folder", options->folder, "A folder with .reel files")
      .required()
      .type_name("DIR");
  verb.add_option("--by", options->by, "The fact that names what changed").show_default();
  verb.add_option("--kernel", options->kernel, "Only kernels of this name; * is any text")
      .type_name("KERNEL");
  verb.add_option("--fail-if", options->fail_if,
                  "Exit with 1 where a significant change is beyond a limit: '>+5%', 'matmul>+5%'")
      .one_value_each();
  verb.add_option("--html", options->html, "Write a page with the lines").type_name("FILE");
  verb.add_flag("--overwrite", options->overwrite, "Replace an existing page");
  verb.add_flag("--json", options->json, "Print JSON: one object with schema_version 1");
  verb.footer(
      "Compares the medians of every kernel, scope and device over the documents of a folder, in\n"
      "the order of their commits (by when they were recorded, or the fact 'sequence').\n\n"
      "Examples:\n"
      "  reel trend runs/\n"
      "  reel trend runs/ --kernel 'matmul*' --html trend.html\n"
      "  reel trend nightly/ --by commit --fail-if '>+5%'");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
