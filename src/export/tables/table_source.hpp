// table_source.hpp - what tables are read from: a trace, and what follows from it.
//
// What follows is found when first asked for, and kept. The trace must outlive it. One thread at a
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reel/insights.hpp"

namespace reel::tables {

class Source {
 public:
  explicit Source(const Trace& trace, analysis::AnalysisOptions options = {})
      : trace_(trace), options_(std::move(options)) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Trace& trace() const noexcept { return trace_; }
  const analysis::Activity& activity();
  const std::vector<analysis::Dependency>& dependencies();
  const std::vector<analysis::SetMember>& dependency_sets();
  const analysis::Memory& memory();
  const analysis::Report& report();  // all of it
  const std::vector<analysis::Finding>& findings();
  const std::vector<std::uint64_t>& own_ns();
  const std::vector<std::uint32_t>& regions();  // of each command, as analysis has them

  // Arguments of all commands, one after the other: those of works count for each command.
  std::uint64_t argument_count();
  struct ArgumentPlace {
    std::uint32_t command, number;
  };
  ArgumentPlace argument_at(std::uint64_t row);
  // The same of kernels' parameters.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& parameters();

  struct Fact {
    const char* when;
    const std::string *key, *value;
  };
  const std::vector<Fact>& facts();

 private:
  const Trace& trace_;
  analysis::AnalysisOptions options_;
  std::optional<analysis::Report> report_;
  std::optional<analysis::Activity> activity_;
  std::optional<analysis::Dependencies> dependencies_;
  std::optional<analysis::Memory> memory_;
  std::optional<std::vector<analysis::Finding>> findings_;
  std::optional<std::vector<std::uint64_t>> own_ns_;
  std::optional<std::vector<std::uint32_t>> regions_;
  std::vector<std::uint64_t> argument_ends_;  // by command
  std::uint32_t last_command_ = 0;            // of argument_at()
  std::optional<std::vector<std::pair<std::uint32_t, std::uint32_t>>> parameters_;
  std::optional<std::vector<Fact>> facts_;
};

}  // namespace reel::tables
