// bench.hpp - a document on its devices, run as recorded and otherwise; results and times compared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "reel/proof.hpp"
#include "replay/proof/pairs.hpp"
#include "replay/run/heartbeat.hpp"
#include "replay/run/runner.hpp"
#include "replay/run/stage.hpp"

namespace reel::rerun {

// One way to run a document.
struct Plan {
  enum class Way : std::uint8_t { streams, one_stream, graph } way = Way::streams;
  std::vector<Action> actions = {};
  StreamChanges changes = {};  // of streams
};

// Where two ways to run a document first differ.
struct Change {
  std::uint32_t buffer = no_index;
  std::uint64_t offset_bytes = 0;
  std::string before = {}, after = {};
};

class Bench {
 public:
  // Builds kernels, allocates. Throws what makes a replay impossible. `recorded_busy_ns`: how long
  // a run takes on the recorded devices, as far as is known before the first.
  Bench(const Trace& trace, std::vector<Device> devices, std::shared_ptr<Heartbeat> heart,
        std::uint64_t recorded_busy_ns);

  const Trace& trace() const noexcept { return trace_; }
  Stage& stage() noexcept { return *stage_; }
  const std::shared_ptr<Heartbeat>& heart() const noexcept { return heart_; }
  const Script& script() const noexcept { return script_; }
  // As recorded, on streams.
  const Plan& recorded() const noexcept { return recorded_; }
  // The same, but for what these commands do; looks at their results stay.
  Plan without(const std::set<std::uint32_t>& commands) const;
  // The same, and other work in place of these commands, where each of them stands.
  Plan with_others(const std::map<std::uint32_t, Command>& work);
  // Times can be compared with recorded ones only there.
  bool is_recorded_device() const;
  // Throws unsupported where there are several: a graph, or one stream, belongs to one.
  void check_one_device() const;
  // Commands that are run here; the others can't be, or do nothing on a device.
  bool runs(std::uint32_t command) const { return runs_.contains(command); }

  // Everything that is looked at: recorded checks, the end of buffers that live on and that no
  // check covers, and what `watched` commands wrote, right after each.
  struct Place {
    enum class Kind : std::uint8_t { check, end, watched } kind;
    std::uint32_t index;  // contents, buffer, or command
    std::uint32_t buffer;
    std::uint64_t offset_bytes;  // of a page
    auto operator<=>(const Place&) const = default;
  };
  using Results = std::map<Place, Hash128>;
  Results results(const Plan& plan, const std::set<std::uint32_t>& watched = {});
  // Of the recorded plan.
  const Results& recorded_results();
  // Why results tell nothing: they change from run to run, or none are looked at, or they are not
  // those that were recorded. A sentence; empty: they tell.
  const std::string& why_results_tell_nothing();
  // Compares where both look. Runs both again to tell the bytes.
  std::optional<Change> first_change(const Plan& before, const Plan& after, const Results& a,
                                     const Results& b);

  // By turns, until the time is over or there are enough pairs. None where the time allows too few,
  // as soon as that is known. Nothing is looked at in between.
  std::optional<Saving> measure(const Plan& before, const Plan& after, double seconds);
  // Why the last measure() or times() gave too little: a sentence.
  const std::string& why_too_few() const noexcept { return why_too_few_; }
  // Of commands over so many runs as recorded, after one that is not counted: [run][command].
  std::vector<std::map<std::uint32_t, double>> times(const std::set<std::uint32_t>& commands,
                                                     std::uint32_t runs, double seconds);
  // Of one command, given again and again where it stands in the document; warm.
  std::vector<double> times_alone(std::uint32_t command, std::uint32_t runs, double seconds);

  // What a graph saves: measured once for all findings that ask, none where there was no time.
  std::optional<std::optional<Saving>> as_graph;

 private:
  using PageVisit = std::function<void(const Place&, std::span<const std::byte>)>;
  void run(const Plan& plan, const std::set<std::uint32_t>& watched, const PageVisit& visit);
  std::unique_ptr<Runner> runner_of(const Plan& plan, const std::vector<Action>& actions);
  void look_at_lasting(const PageVisit& visit);
  void restore(bool all);
  // Whether so many runs fit, by what is known before the first; else why_too_few() says it.
  bool may_fit(std::uint32_t runs, double seconds);
  void too_few(const char* known_from, std::uint32_t runs, double run_s, double seconds);
  std::optional<std::vector<std::byte>> page_of(const Plan& plan, const Place& place);

  const Trace trace_;
  const std::vector<Device> devices_;
  const std::shared_ptr<Heartbeat> heart_;
  Script script_;
  std::unique_ptr<Stage> stage_;
  Plan recorded_;
  std::set<std::uint32_t> runs_;
  std::optional<Results> recorded_results_;
  std::string why_nothing_, why_too_few_;
  const double recorded_s_;  // of one run
};

// "byte 128 of b3 'z' is 7 instead of 42".
std::string change_text(const Trace& trace, const Change& change);

}  // namespace reel::rerun
