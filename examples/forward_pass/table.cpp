// table.cpp - a report for people.
#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "report.hpp"

namespace forward_pass {
namespace {

constexpr const char* row_format =
    "{:<{}}  {:<8}  {:>13}  {:>9}  {:>10}  {:>10}  {:>8}  {:>7}  {}  {:>12}\n";

// Padded before it is coloured: escape sequences have a length but no width.
std::string tick(bool good, bool colours) {
  const std::string sign = fmt::format("{:^6}", good ? "✓" : "✗");
  const auto colour = good ? fmt::terminal_color::green : fmt::terminal_color::red;
  return colours ? fmt::format(fmt::fg(colour), "{}", sign) : sign;
}

std::string difference(const Verdict& verdict) {
  return verdict.logit_difference == 0 ? "0" : fmt::format("{:.1e}", verdict.logit_difference);
}

std::string verdict_line(const Report& report) {
  double largest = 0;
  std::size_t bad = 0;
  for (const Entry& entry : report.entries) {
    const Verdict verdict = report.judge(entry);
    bad += !verdict.good();
    largest = larger(largest, verdict.logit_difference);
  }
  if (bad)
    return fmt::format(
        "MISMATCH: {} of {} runs differ in tokens, in bits between modes, or by more "
        "than {:.1e} in a logit.",
        bad, report.entries.size(), report.tolerance());
  const std::string devices =
      largest == 0 ? "and on all devices"
                   : fmt::format("and within {:.1e} between devices (allowed: {:.1e})", largest,
                                 report.tolerance());
  if (report.entries.size() == 1) return "One run, so there is nothing to compare it with.";
  return fmt::format(
      "Equal: {} runs gave the same {} tokens; the last logits agree bit for bit in all modes, {}.",
      report.entries.size(), report.sizes.tokens, devices);
}

// The two speeds of a run may differ much, and both are true.
std::string times_line(const Report& report) {
  std::size_t uneven = 0;
  for (const Entry& entry : report.entries)
    uneven += 1e6 / entry.run.median_us() > 2 * entry.run.tokens_per_second();
  if (uneven == 0) return "Half of the passes took the median or less.";
  return fmt::format(
      "In {} of {} runs, some passes took so much longer than the median that the mean is less "
      "than half of what the median would give: the machine was busy, or the capture took time.",
      uneven, report.entries.size());
}

void print_prompts(const Report& report) {
  fmt::print(
      "All tokens of the prompt but the last ({}) went through together, up to {} at a time; "
      "tokens/s:",
      report.sizes.prompt - 1, Sizes::prompt_rows);
  for (const Entry& entry : report.entries)
    fmt::print(" {} {} {:.0f}{}", entry.device.id, to_string(entry.mode),
               entry.run.prompt_tokens_per_second(), &entry == &report.entries.back() ? "\n" : ",");
}

}  // namespace

void print_table(const Report& report, bool colours) {
  const Sizes& s = report.sizes;
  fmt::print(
      "A LLaMA-style decoder: {} layers, dim {}, {} heads ({} for keys), hidden {}, vocabulary {}, "
      "{:.1f} MB of {} weights\n\n",
      s.layers, s.dim, s.heads, s.kv_heads, s.hidden, s.vocabulary,
      static_cast<double>(report.weight_bytes) / 1e6, to_string(s.format()));

  std::size_t width = 6;
  for (const Entry& entry : report.entries) width = std::max(width, entry.device.id.size());
  for (const auto& device : report.unavailable) width = std::max(width, device.id.size());
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const reel::DeviceInfo& device = report.entries[i].device;
    if (i == 0 || device.id != report.entries[i - 1].device.id)
      fmt::print("{:<{}}  {}, {} {}\n", device.id, width, device.name, device.driver,
                 device.driver_version);
  }
  for (const reel::DeviceInfo& device : report.unavailable)
    fmt::print("{:<{}}  not available: {}\n", device.id, width, device.unavailable);

  const std::string head =
      fmt::format(row_format, "device", width, "mode", "mean tokens/s", "median µs", "longest µs",
                  "dispatches", "barriers", "avoided", "tokens", "max |Δlogit|");
  fmt::print("\n{}", colours ? fmt::format(fmt::emphasis::bold, "{}", head) : head);
  for (const Entry& entry : report.entries) {
    const Verdict verdict = report.judge(entry);
    fmt::print(row_format, entry.device.id, width, to_string(entry.mode),
               fmt::format("{:.0f}", entry.run.tokens_per_second()),
               fmt::format("{:.0f}", entry.run.median_us()),
               fmt::format("{:.0f}", entry.run.longest_us()), entry.run.dispatches,
               entry.run.barriers, entry.run.barriers_avoided,
               tick(verdict.tokens_equal && verdict.bits_equal, colours), difference(verdict));
  }

  fmt::print("\nTimes are of a pass, which makes a token. {}\n", times_line(report));
  if (report.sizes.prompt > 1) print_prompts(report);
  const std::vector<std::uint32_t>& tokens = report.entries.front().run.tokens;
  fmt::print("Tokens: {} …\n",
             fmt::join(tokens.begin(),
                       tokens.begin() +
                           static_cast<std::ptrdiff_t>(std::min<std::size_t>(12, tokens.size())),
                       " "));
  if (!report.text.empty()) fmt::print("Text: {}\n", report.text);
  const std::string line = verdict_line(report);
  const auto style = report.good() ? fmt::fg(fmt::terminal_color::green)
                                   : fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
  fmt::print("{}\n", colours ? fmt::format(style, "{}", line) : line);
}

}  // namespace forward_pass
