// table.cpp - a report for people.
#include <fmt/color.h>
#include <fmt/format.h>

#include <cstdio>

#include "report.hpp"

namespace forward_pass {
namespace {

constexpr const char* head_format =
    "{:<{}}  {:<8}  {:>9}  {:>10}  {:>10}  {:>8}  {:>7}  {:^6}  {:>10}\n";

// ✓ is one column wide but three bytes long, so it is padded by hand.
std::string tick(bool good, bool colours) {
  const auto style = good ? fmt::fg(fmt::terminal_color::green) : fmt::fg(fmt::terminal_color::red);
  const char* sign = good ? "  ✓   " : "  ✗   ";
  return colours ? fmt::format(style, "{}", sign) : sign;
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
    if (!(verdict.logit_difference <= largest)) largest = verdict.logit_difference;
  }
  if (bad)
    return fmt::format(
        "MISMATCH: {} of {} runs differ in tokens, in bits between modes, or by more "
        "than {:.1e} in a logit.",
        bad, report.entries.size(), report.tolerance());
  const std::string devices = largest == 0
                                  ? "on all devices bit for bit"
                                  : fmt::format("within {:.1e} between devices (allowed: {:.1e})",
                                                largest, report.tolerance());
  return fmt::format(
      "Equal: {} runs, the same {} tokens; logits equal bit for bit in all modes, {}.",
      report.entries.size(), report.sizes.tokens, devices);
}

}  // namespace

void print_table(const Report& report, bool colours) {
  const Sizes& s = report.sizes;
  fmt::print(
      "LLaMA-style decoder: {} layers, dim {}, {} heads ({} for keys), hidden {}, vocabulary {}, "
      "{} weights, {:.1f} MB\n\n",
      s.layers, s.dim, s.heads, s.kv_heads, s.hidden, s.vocabulary, to_string(s.format()),
      static_cast<double>(report.weight_bytes) / 1e6);

  std::size_t width = 6;
  for (const Entry& entry : report.entries) width = std::max(width, entry.device.id.size());
  const std::string head = fmt::format(head_format, "device", width, "mode", "tokens/s", "us/pass",
                                       "dispatches", "barriers", "avoided", "tokens", "|dlogit|");
  fmt::print("{}", colours ? fmt::format(fmt::emphasis::bold, "{}", head) : head);
  for (const Entry& entry : report.entries) {
    const Verdict verdict = report.judge(entry);
    fmt::print("{:<{}}  {:<8}  {:>9.0f}  {:>10.1f}  {:>10}  {:>8}  {:>7}  {}  {:>10}\n",
               entry.device.id, width, to_string(entry.mode), entry.run.tokens_per_second(),
               entry.run.median_us(), entry.run.dispatches, entry.run.barriers,
               entry.run.barriers_avoided,
               tick(verdict.tokens_equal && verdict.bits_equal, colours), difference(verdict));
  }
  for (const reel::DeviceInfo& device : report.unavailable)
    fmt::print("{:<{}}  not available: {}\n", device.id, width, device.unavailable);

  const std::string line = verdict_line(report);
  const auto style = report.good() ? fmt::fg(fmt::terminal_color::green)
                                   : fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
  fmt::print("\n{}\n", colours ? fmt::format(style, "{}", line) : line);
}

}  // namespace forward_pass
