// trend_page.cpp - the lines of a trend as one HTML file: a chart for each that changed, and of the
// first others.
#include <fmt/format.h>

#include <algorithm>

#include "document/files/output_file.hpp"
#include "page/page_frame.hpp"
#include "reel/page.hpp"
#include "reel/units.hpp"

namespace reel {
namespace {

using page::html_text;

constexpr double chart_width = 720, chart_height = 120, left = 8, top = 8;
constexpr std::size_t most_steady = 20;  // lines that didn't change

std::string time_of(double ns) { return time_text(static_cast<std::uint64_t>(ns)); }

// From 0 upwards, so that a small change looks small.
std::string chart(const analysis::Trend& trend, const analysis::TrendLine& line) {
  double most = 1;
  for (const auto& point : line.points) most = std::max(most, point.median_ns);
  const auto x = [&](std::size_t i) {
    const auto steps = static_cast<double>(std::max<std::size_t>(line.points.size() - 1, 1));
    return left + (chart_width - 2 * left) * static_cast<double>(i) / steps;
  };
  const auto y = [&](double ns) { return top + (chart_height - 2 * top) * (1 - ns / most); };
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\"><line class=\"axis\" x1=\"{2}\" x2=\"{3}\" "
      "y1=\"{4}\" y2=\"{4}\"/>",
      chart_width, chart_height, left, chart_width - left, chart_height - top);
  const auto level = [&](double ns, std::size_t from, std::size_t to, const char* kind) {
    svg += fmt::format(
        "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>", kind,
        x(from), x(to), y(ns));
  };
  if (line.change) {
    const bool is_slower = line.change->share() > 0;
    level(line.change->before_ns, 0, line.change->at - 1, "before");
    level(line.change->after_ns, line.change->at, line.points.size() - 1,
          is_slower ? "slower" : "faster");
  }
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto& run = trend.runs[line.points[i].run];
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {} ({})</title></circle>", x(i),
        y(line.points[i].median_ns), html_text(run.by), time_of(line.points[i].median_ns),
        html_text(run.document));
  }
  return svg + "</svg>";
}

std::string section(const analysis::Trend& trend, const analysis::TrendLine& line) {
  std::string text =
      fmt::format("<section><h2>{}</h2><p>{}{}{}</p>", html_text(line.kernel),
                  html_text(line.scope), line.scope.empty() ? "" : " · ", html_text(line.device));
  if (line.change) {
    const auto& before = trend.runs[line.points[line.change->at - 1].run];
    const auto& after = trend.runs[line.points[line.change->at].run];
    text += fmt::format(
        "<p class=\"{}\">{} → {} ({:+.1f} %) since {}; last before it: {}; p = {:.2g}</p>",
        line.change->share() > 0 ? "slower" : "faster", time_of(line.change->before_ns),
        time_of(line.change->after_ns), 100 * line.change->share(), html_text(after.by),
        html_text(before.by), line.change->p);
  } else {
    text += "<p>no significant change</p>";
  }
  if (line.noise) text += fmt::format("<p>noise {:.1f} %</p>", 100 * *line.noise);
  return text + chart(trend, line) + "</section>\n";
}

constexpr const char* style =
    "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem;"
    "color:#1a1d21;background:#fff}h1{font-size:20px}h2{font-size:15px;margin:1.5rem 0 0}"
    "p{margin:0;color:#555}svg{width:100%;height:auto}circle{fill:#3b6fb6}"
    ".axis{stroke:#ccc}.before{stroke:#888;stroke-width:2}p.slower{color:#b3261e}"
    "p.faster{color:#1b7f3b}line.slower{stroke:#b3261e;stroke-width:2}"
    "line.faster{stroke:#1b7f3b;stroke-width:2}"
    "@media(prefers-color-scheme:dark){body{background:#15181c;color:#e6e6e6}p{color:#aaa}"
    ".axis{stroke:#444}}";

std::string trend_page(const analysis::Trend& trend, const std::string& by) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>reel trend</title>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><style>{}</style></head><body>\n<h1>{} documents by {}</h1>\n",
      style, trend.runs.size(), html_text(by));
  std::size_t steady = 0;
  for (const auto& line : trend.lines) {
    if (!line.change && ++steady > most_steady) continue;
    page += section(trend, line);
  }
  if (steady > most_steady)
    page += fmt::format("<p>{} more lines show no significant change.</p>\n", steady - most_steady);
  return page + "</body></html>\n";
}

}  // namespace

HtmlReport write_html(const analysis::Trend& trend, const std::string& by, const std::string& path,
                      const HtmlOptions& options) {
  unsigned mode = 0777;
  for (const analysis::TrendRun& run : trend.runs) mode &= mode_of(run.document);
  OutputFile file(path, {.overwrite = options.overwrite, .whole = true, .mode = mode});
  const std::string page = trend_page(trend, by);
  file.write(std::as_bytes(std::span(page)));
  HtmlReport report{file.size_bytes(), {}};
  file.close();
  return report;
}

}  // namespace reel
