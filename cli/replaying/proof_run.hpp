// proof_run.hpp - findings tried in processes of their own: a driver that crashes or hangs costs
// the experiment that it was at, and the next goes on in another process.
#pragma once

#include <functional>
#include <vector>

#include "cli/replaying/replay_options.hpp"
#include "reel/proof.hpp"

namespace reel::cli {

struct ProofRun {
  std::vector<Proof> proofs = {};  // one for each finding
  int signal = 0;                  // that asked to stop; what was not tried by then says so
};

struct ProofWatch {
  std::function<void(std::uint32_t finding, const Proof& proof)> on_proof = {};
  std::function<void(const std::string& what)> on_progress = {};
};

// Call it while no other thread runs and no driver is loaded: it forks.
ProofRun prove_apart(const Trace& trace, const analysis::Report& report,
                     const std::vector<analysis::Finding>& findings, const RunOptions& options,
                     std::uint32_t seconds, const ProofWatch& watch);

}  // namespace reel::cli
