// ranks.hpp - documents of one program that ran as several ranks: who the others wait for, and why.
//
//   const reel::analysis::RanksReport report = reel::compare_ranks(paths);
//   std::puts(report.sentence.c_str());
//
// A step is a pass of a document (docs/analysis.md); the n-th steps of all ranks belong together.
// docs/many.md defines every number and has the rules. Documents are read one by one, and only
// what steps took is kept of them. Pure but for reading the files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reel/analysis.hpp"
#include "reel/common_clock.hpp"

namespace reel::analysis {

inline constexpr std::uint64_t no_time = ~std::uint64_t{0};  // of a step that isn't there

// --- what is kept of one document
// -----------------------------------------------------------------

// What takes the time of steps.
struct RankRow {
  enum class Kind : std::uint8_t {  // what it is
    kernel,
    copy,        // copies, fills, reads and writes
    gap,         // the device was idle before the row of this name
    collective,  // a kernel in which ranks wait for each other, by its name
    together,    // commands that were only timed together
    after        // the host's own time from the last command of a step to its next call of MPI
  } kind{};
  std::string name;

  friend auto operator<=>(const RankRow&,
                          const RankRow&) = default;  // NOLINT(modernize-use-nullptr)
};
std::string text_of(const RankRow& row);  // "'matmul'", "the gap before 'matmul'"

struct RankStep {                              // one step of a rank
  std::uint64_t started_ns = 0, ended_ns = 0;  // first start, last end on a device; 0: not known
  std::uint64_t busy_ns = 0;                   // the union of what ran
  std::uint64_t collective_ns = 0;             // of that, in collectives
  std::uint64_t work = 0;                      // equal: the same kernels with the same shapes
  std::vector<std::pair<std::uint32_t, std::uint64_t>> parts = {};  // index in rows; ns
  // Where calls of MPI were recorded: from when the rank could begin, its last call before the step
  // being over, to when it could begin the next; what of that its host was in MPI while its device
  // was idle; and what its host took for itself after the last command.
  std::uint64_t begin_ns = 0, until_ns = 0;  // 0: not known
  std::uint64_t mpi_ns = 0, after_ns = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> waits = {};  // index in mpi; ns

  // It lies in the document.
  bool is_recorded() const noexcept { return has_times() && until_ns > begin_ns; }
  bool has_times() const noexcept { return ended_ns > started_ns; }         // are they known?
  std::uint64_t took_ns() const noexcept { return ended_ns - started_ns; }  // all of it
};

// How often a step does one thing, with one size.
struct RankWork {
  std::uint32_t row = 0;
  Dim3 items{0, 0, 0};      // of a dispatch
  std::uint64_t bytes = 0;  // of a copy
  std::uint32_t count = 0;
};

// Calls of MPI that are alike.
struct RankMpi {
  std::string name;
  std::optional<std::uint32_t> peer = {};  // none: all of a communicator, or not known
  std::uint64_t calls = 0, bytes = 0;      // of the document
};

struct RankSteps {  // one step of a rank
  std::string path;
  std::optional<std::uint32_t> rank = {}, ranks = {};  // as the document tells
  std::map<std::string, std::string> facts = {};
  bool is_cut = false;
  std::optional<Pass::Kind> kind = {};  // none: nothing repeats, all of it is one step
  ClockSource clock = {};
  std::optional<std::uint64_t> clock_error_ns = {};  // of device times; none: not known
  std::vector<std::string> clock_notes = {};         // that it was set, or slept; sentences
  std::vector<RankRow> rows = {};
  std::vector<RankMpi> mpi = {};
  std::vector<RankStep> steps = {};
  std::map<std::uint64_t, std::vector<RankWork>> works = {};  // by RankStep::work

  bool has_times() const noexcept;  // are they known?
};
RankSteps steps_of(const Trace& trace);  // of one document

// What ran in some steps of a document, for timelines.
struct RankRun {
  std::uint64_t started_ns = 0, ended_ns = 0;
  std::uint32_t row = 0;  // index in rows
};
struct RankRuns {  // what ran in steps
  std::vector<RankRow> rows;
  std::map<std::uint32_t, std::vector<RankRun>> steps;  // by number; runs by start
};
RankRuns runs_of(const Trace& trace, const std::vector<std::uint32_t>& steps);  // of one document

// --- what follows from all of them
// ----------------------------------------------------------------

// How a rank is late.
enum class Lateness : std::uint8_t {
  none,
  imbalance,  // in most steps
  drift       // more and more
};
const char* to_string(Lateness lateness) noexcept;

// One row's part in what a rank takes longer.
struct LateRow {
  RankRow row;
  std::uint64_t ns = 0, usual_ns = 0;  // a step's; of this rank, and of the others
  std::int64_t excess_ns = 0;          // the median over the steps of what it takes longer
  double share = 0;                    // of what the rank takes longer
};

struct LateCause {  // why a rank was late
  enum class Kind : std::uint8_t { row, all_kernels, mixed } kind = Kind::mixed;  // what it is
  std::vector<LateRow> rows = {};     // the largest excess first; at most five
  std::optional<double> factor = {};  // all_kernels: how many times as long they take
  std::string remark = {};            // how its work differs; empty: it doesn't
};

// Where a rank waits: a call of MPI.
struct RankWait {
  std::string name;
  std::optional<std::uint32_t> peer = {};
  std::uint64_t ns = 0;     // of a step: in the call, its device being idle
  std::uint64_t bytes = 0;  // of a call
};
std::string text_of(const RankWait& wait);  // "MPI_Recv with rank 3, 4 KiB"

struct RankReport {  // what is known of a rank
  std::uint32_t rank = 0;
  std::string path, host;
  std::uint32_t steps = 0;
  // Medians over the steps. own: until the rank is done with the step, without waiting for others.
  std::uint64_t busy_ns = 0, idle_ns = 0, own_ns = 0;
  std::optional<std::uint64_t> waiting_ns = {};  // none: ranks don't wait for each other
  std::vector<RankWait> waits = {};              // the longest first; at most five
  std::uint32_t last = 0;                        // in so many steps all others were done before
  std::int64_t excess_ns = 0;    // median of what own work takes longer than the median other's
  std::optional<double> p = {};  // that it is so by chance, of all ranks tested; none: not tested
  std::uint64_t floor_ns = 0;    // what excess_ns must exceed
  Lateness lateness = Lateness::none;
  std::int64_t excess_first_ns = 0, excess_last_ns = 0;  // of the first and last third of steps
  std::optional<std::uint64_t> cost_ns = {};  // what each other rank waits for it in such a step
  std::optional<LateCause> cause = {};        // where it is late
  std::uint32_t work_group = 0;               // ranks of one group do the same work
};

// A step in which a rank was late by far, and which isn't usual for it.
struct OneOff {
  std::uint32_t rank = 0, step = 0;
  std::uint64_t excess_ns = 0;
  std::optional<LateRow> row = {};  // what explains most of it
};

struct RanksStep {                           // a step of all ranks
  std::optional<std::uint32_t> last = {};    // rank; none: not all ranks are here
  std::uint64_t skew_ns = 0;                 // own work of the last less that of the first
  std::vector<std::uint32_t> arrivals = {};  // ranks in order; empty: clocks don't tell
};

// Of times of several documents.
enum class RanksClock : std::uint8_t {
  none,      // lengths are known, order isn't
  too_wide,  // there is one, but its error is as large as what ranks differ by
  known
};
const char* to_string(RanksClock clock) noexcept;

struct RanksReport {  // of all ranks
  std::string program;
  std::vector<RankReport> ranks;  // by rank
  std::vector<RanksStep> steps;
  std::vector<std::vector<std::uint64_t>> own_ns, waiting_ns;  // by place in ranks, then step
  std::vector<OneOff> one_offs;                                // the longest first
  RanksClock clock = RanksClock::none;
  std::optional<std::uint64_t> clock_error_ns = {};
  bool numbered_by_name = false;                // documents don't tell their rank
  bool waits_within = false;                    // within steps, not at their ends
  bool waits_recorded = false;                  // as calls of MPI: waiting is what these took
  std::vector<std::string> problems;            // what is wrong with the documents; sentences
  std::vector<std::string> differences;         // how work differs; sentences
  std::optional<std::uint32_t> straggler = {};  // place in ranks; only where significant
  std::optional<std::uint32_t> typical = {};    // place: the rank in the middle, to compare with
  std::string sentence;                         // who, how often, what explains it, what it costs
};

// Throws invalid_argument where fewer than two documents can be compared.
RanksReport compare_ranks(std::vector<RankSteps> documents);

struct RanksOptions {  // of compare_ranks()
  std::function<void(std::string_view what, double part)> progress = {};
};
// Documents that can't be read are told of in problems, and left out.
RanksReport compare_ranks(const std::vector<std::string>& paths, const RanksOptions& options = {});

// What `reel ranks --json` prints and the page shows.
std::string ranks_json(const RanksReport& report);

}  // namespace reel::analysis

namespace reel {
using analysis::compare_ranks;
}  // namespace reel
