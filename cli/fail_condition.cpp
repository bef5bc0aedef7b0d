#include "fail_condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "nearest.hpp"
#include "reel/units.hpp"
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

// Bytes for memory, none for a count, else a time. A number alone is of the smallest unit.
bool has_such_units(const std::string& what, const std::string& unit) {
  if (unit.empty()) return true;
  return what != "commands" && unit.ends_with('B') == (what == "peak");
}

}  // namespace

const char* FailCondition::help() {
  return "total, busy, idle, between (the time between passes), peak, commands or kernel:NAME, "
         "then > or < and a change: '+5%', "
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
  constexpr const char* measures[] = {"total", "busy",     "idle",  "between",
                                      "peak",  "commands", "kernel"};
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
  if (!is_share_ && !has_such_units(what_, unit))
    throw Misuse(fmt::format("--fail-if '{}': {} is no change in {}. It takes {}.", text_, unit,
                             what_ == "commands" ? "a number of commands"
                             : what_ == "peak"   ? "memory"
                                                 : "time",
                             help()));
  if (!is_share_) limit_ *= unit_of(unit);
}

// A limit that nothing can ever exceed would be kept for good.
void FailCondition::refuse_unknown_kernel(const analysis::TraceDiff& diff) const {
  std::vector<std::string> names;
  for (const analysis::DiffKernel& kernel : diff.kernels) names.push_back(kernel.name);
  if (std::ranges::find(names, kernel_) != names.end()) return;
  const auto meant = nearest(kernel_, names);
  throw Misuse(fmt::format("--fail-if '{}': neither document has a kernel '{}'{}", text_, kernel_,
                           meant ? fmt::format(". Did you mean '{}'?", *meant)
                                 : ". 'reel kernels' lists those of one."));
}

bool FailCondition::exceeds(double before, double after) const {
  double change = after - before;
  // From nothing to something is more than any share.
  if (is_share_ && before == 0) change = change > 0 ? HUGE_VAL : 0;
  if (is_share_ && before > 0) change *= 100 / before;
  return is_more_ ? change > limit_ : change < limit_;
}

// None: what is counted is no time.
std::optional<analysis::DiffTime> FailCondition::time_in(const analysis::TraceDiff& diff) const {
  if (what_ == "total") return diff.total;
  if (what_ == "busy") return diff.busy;
  if (what_ == "idle") return diff.idle;
  if (what_ == "between") return diff.between;
  if (what_ != "kernel") return std::nullopt;
  for (const analysis::DiffKernel& kernel : diff.kernels)
    if (kernel.name == kernel_) return kernel.time;
  return analysis::DiffTime{};
}

bool FailCondition::blames(const analysis::DiffKernel& kernel) const {
  if (what_ == "kernel") return kernel.name == kernel_;
  const bool is_of_all = what_ == "total" || what_ == "busy";
  return is_of_all && kernel.time.significant && (kernel.time.delta_ns() > 0) == is_more_;
}

FailCondition::Outcome FailCondition::check(const analysis::TraceDiff& diff, bool strict) const {
  const Outcome failure{true, text_ + " is true."};
  // Peaks and counts are there all the same.
  if (!diff.comparable && what_ != "peak" && what_ != "commands")
    return {strict,
            fmt::format("{} can't be checked: the documents can't be compared.{}", text_,
                        strict ? " With --strict that is a failure." : ""),
            true};
  if (what_ == "kernel") refuse_unknown_kernel(diff);
  if (what_ == "results") return diff.contents ? failure : Outcome{};
  if (what_ == "sources") return !diff.sources.empty() ? failure : Outcome{};
  if (what_ == "findings") return !diff.new_findings.empty() ? failure : Outcome{};
  if (what_ == "between" && !diff.has_between())
    return {strict,
            fmt::format("{} can't be checked: with one pass in a document, nothing is known of the "
                        "time between passes.{}",
                        text_, strict ? " With --strict that is a failure." : ""),
            true};
  const auto time = time_in(diff);
  if (!time) {
    const bool is_peak = what_ == "peak";
    const auto before = static_cast<double>(is_peak ? diff.a.peak_bytes : diff.a.commands);
    const auto after = static_cast<double>(is_peak ? diff.b.peak_bytes : diff.b.commands);
    return exceeds(before, after) ? failure : Outcome{};
  }
  if (!exceeds(static_cast<double>(time->ns_a), static_cast<double>(time->ns_b))) return {};
  if (strict || time->significant) return failure;
  if (!time->comparable)
    return {false,
            fmt::format("{} is true as recorded ({}, was {}), but can't be told: recording "
                        "takes the graph of one document apart. With --strict it fails.",
                        text_, time_text(time->ns_b), time_text(time->ns_a)),
            true};
  std::string why = fmt::format("{} is true, but not significant ({}, was {})", text_,
                                time_text(time->ns_b), time_text(time->ns_a));
  if (time->passes_needed)
    why += fmt::format("; {} or more passes of each might show it, here are {} and {}",
                       *time->passes_needed, diff.a.passes, diff.b.passes);
  return {false, why + ". With --strict it fails."};
}

}  // namespace reel::cli
