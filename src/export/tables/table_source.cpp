#include "export/tables/table_source.hpp"

#include <algorithm>

#include "reel/decision_tree.hpp"

namespace reel::tables {

const analysis::Report& Source::report() {
  if (!report_) report_ = analyze(trace_, options_);
  return *report_;
}

const analysis::Activity& Source::activity() {
  if (report_) return report_->activity;
  if (!activity_) activity_ = analysis::find_activity(trace_);
  return *activity_;
}

const std::vector<analysis::Dependency>& Source::dependencies() {
  if (report_) return report_->dependencies;
  if (!dependencies_) dependencies_ = analysis::find_dependencies(trace_);
  return dependencies_->edges;
}

const std::vector<analysis::SetMember>& Source::dependency_sets() {
  if (report_) return report_->dependency_sets;
  dependencies();
  return dependencies_->sets;
}

const analysis::Memory& Source::memory() {
  if (report_) return report_->memory;
  if (!memory_) memory_ = analysis::find_memory(trace_, activity());
  return *memory_;
}

const std::vector<analysis::Finding>& Source::findings() {
  if (!findings_) findings_ = find_insights(trace_, report());
  return *findings_;
}

const std::vector<std::uint64_t>& Source::own_ns() {
  if (report_) return report_->own_ns;
  if (!own_ns_) own_ns_ = analysis::own_run_ns(trace_);
  return *own_ns_;
}

const std::vector<std::uint32_t>& Source::regions() {
  if (!regions_) regions_ = analysis::regions_of_commands(trace_);
  return *regions_;
}

std::uint64_t Source::argument_count() {
  if (argument_ends_.empty()) {
    std::uint64_t end = 0;
    argument_ends_.reserve(trace_.commands().size());
    for (const TraceCommand& command : trace_.commands())
      argument_ends_.push_back(end += trace_.work_of(command).argument_count);
  }
  return argument_ends_.empty() ? 0 : argument_ends_.back();
}

Source::ArgumentPlace Source::argument_at(std::uint64_t row) {
  argument_count();
  const auto begin_of = [&](std::uint32_t c) { return c == 0 ? 0 : argument_ends_[c - 1]; };
  // Rows are mostly asked for one after the other, and cell by cell.
  std::uint32_t c = last_command_;
  if (row < begin_of(c) || row >= argument_ends_[c])
    c = static_cast<std::uint32_t>(std::ranges::upper_bound(argument_ends_, row) -
                                   argument_ends_.begin());
  last_command_ = c;
  return {c, static_cast<std::uint32_t>(row - begin_of(c))};
}

const std::vector<std::pair<std::uint32_t, std::uint32_t>>& Source::parameters() {
  if (!parameters_) {
    parameters_.emplace();
    for (std::uint32_t k = 0; k < trace_.kernels().size(); ++k)
      for (std::uint32_t p = 0; p < trace_.kernels()[k].parameters.size(); ++p)
        parameters_->emplace_back(k, p);
  }
  return *parameters_;
}

const std::vector<Source::Fact>& Source::facts() {
  if (!facts_) {
    facts_.emplace();
    for (const auto& [key, value] : trace_.facts()) facts_->push_back({"start", &key, &value});
    for (const auto& [key, value] : trace_.end_facts()) facts_->push_back({"end", &key, &value});
  }
  return *facts_;
}

}  // namespace reel::tables
