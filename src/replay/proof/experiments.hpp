// experiments.hpp - what is tried for which finding. Each is a function of its own file.
//
// An experiment may throw what a replay throws: then it could not be made, and the error says why.
#pragma once

#include <set>
#include <string>

#include "replay/proof/bench.hpp"

namespace reel::rerun {

struct Trial {
  Bench& bench;
  const analysis::Report& report;
  const analysis::Finding& finding;
  double seconds;  // about as long as it should take

  std::optional<double> claimed_ns() const {
    if (!finding.saving_ns) return std::nullopt;
    return static_cast<double>(*finding.saving_ns);
  }
};
using Experiment = Proof (*)(const Trial&);

Proof as_graph(const Trial&);            // the same commands as a graph
Proof fewer_launches(const Trial&);      // tiny kernels that would be fused left out
Proof without_host_waits(const Trial&);  // the host waits for nothing
Proof without_host_work(const Trial&);   // the host does nothing between its calls
Proof without_waits(const Trial&);       // waits and barriers left out, in other orders
Proof left_out(const Trial&);            // commands left out
Proof never_read(const Trial&);          // other bytes written in place of theirs, then left out
Proof copied_on_device(const Trial&);    // uploads replaced by copies of what is there already
Proof other_order(const Trial&);         // what nothing orders, the other way round
Proof turned_pairs(const Trial&);        // the same, of commands that one queue doesn't order
Proof alone_and_warm(const Trial&);      // a kernel by itself
Proof one_group(const Trial&);           // all runs of a kernel with next to no work
Proof repeated(const Trial&);            // are results always the same?
Proof repeated_warm(const Trial&);       // does it take as long each time?

// What experiments share. Those of the evidence that are run here.
std::set<std::uint32_t> named_commands(const Trial& trial);
// "c3, c5 and 4 others".
std::string names_text(const std::set<std::uint32_t>& commands);
// "1.2 ms saved (1.1 ms to 1.3 ms, 40 pairs of runs)"; "… lost" where it took longer.
std::string saving_text(const Saving& saving);
// The verdict of a measured saving. Its sentence ends with that saving; adds what was claimed, and
// what is not certain. A claim is the most that can be saved: where twice as much is, the
// experiment changed something else, and shows nothing.
void add_verdict(const Saving& saving, std::optional<double> claimed_ns, Proof& proof);
std::string ns_text(double ns);
void take(const Saving& saving, Proof& proof);
Proof not_tried(std::string why);
// Measured in what time is left, and added to the sentence; never changes the verdict.
void add_saving(const Trial& trial, const Plan& after, double claimed_ns, Proof& proof);

}  // namespace reel::rerun
