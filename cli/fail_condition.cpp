#include "fail_condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "trace_input.hpp"

namespace reel::cli {
namespace {

double unit_of(const std::string& unit) {
  static const std::map<std::string, double> units{
      {"", 1},    {"ns", 1}, {"us", 1e3},   {"µs", 1e3},      {"ms", 1e6},
      {"s", 1e9}, {"B", 1},  {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  const auto found = units.find(unit);
  return found == units.end() ? 0 : found->second;
}

}  // namespace

const char* FailCondition::help() {
  return "total, busy, idle, peak, commands or kernel:NAME, then > or < and a change: '+5%', "
         "'+2ms', '+1MiB'; or one of: results, sources, findings";
}

FailCondition::FailCondition(std::string text) : text_(std::move(text)) {
  const auto refuse = [&]() -> Misuse {
    return Misuse(fmt::format("--fail-if can't read '{}'. It takes {}.", text_, help()));
  };
  const std::size_t sign = text_.find_last_of("<>");
  what_ = text_.substr(0, sign);
  while (!what_.empty() && what_.back() == ' ') what_.pop_back();
  if (what_.starts_with("kernel:")) {
    kernel_ = what_.substr(7);
    what_ = "kernel";
  }
  const bool is_yes_or_no = what_ == "results" || what_ == "sources" || what_ == "findings";
  if (sign == std::string::npos) {
    if (!is_yes_or_no) throw refuse();
    return;
  }
  constexpr const char* measures[] = {"total", "busy", "idle", "peak", "commands", "kernel"};
  if (std::ranges::find(measures, what_) == std::end(measures)) throw refuse();
  is_more_ = text_[sign] == '>';
  const std::string value = text_.substr(text_.find_first_not_of(' ', sign + 1) == std::string::npos
                                             ? text_.size()
                                             : text_.find_first_not_of(' ', sign + 1));
  char* end = nullptr;
  limit_ = std::strtod(value.c_str(), &end);
  const std::string unit = end;
  is_share_ = unit == "%";
  if (end == value.c_str() || !std::isfinite(limit_) || (!is_share_ && unit_of(unit) == 0))
    throw refuse();
  if (!is_share_) limit_ *= unit_of(unit);
}

bool FailCondition::is_met(const analysis::TraceDiff& diff) const {
  if (what_ == "results") return diff.contents.has_value();
  if (what_ == "sources") return !diff.sources.empty();
  if (what_ == "findings") return !diff.new_findings.empty();
  double before = 0, after = 0;
  const auto take = [&](auto a, auto b) {
    before = static_cast<double>(a);
    after = static_cast<double>(b);
  };
  if (what_ == "total") take(diff.a.total_ns, diff.b.total_ns);
  if (what_ == "busy") take(diff.a.busy_ns, diff.b.busy_ns);
  if (what_ == "idle") take(diff.a.idle_ns, diff.b.idle_ns);
  if (what_ == "peak") take(diff.a.peak_bytes, diff.b.peak_bytes);
  if (what_ == "commands") take(diff.a.commands, diff.b.commands);
  if (what_ == "kernel")
    for (const analysis::DiffRow& row : diff.rows)
      if (row.name == kernel_) {
        before += static_cast<double>(row.ns_a);
        after += static_cast<double>(row.ns_b);
      }
  double change = after - before;
  // From nothing to something is more than any share.
  if (is_share_ && before == 0) change = change > 0 ? HUGE_VAL : 0;
  if (is_share_ && before > 0) change *= 100 / before;
  return is_more_ ? change > limit_ : change < limit_;
}

}  // namespace reel::cli
