// proof.hpp - findings tried by replay: what each of them claims, against what an experiment shows.
//
//   const auto findings = reel::find_insights(trace, report);
//   const auto proofs = reel::prove(trace, report, findings);   // one for each finding
//   if (proofs[0].verdict == reel::ProofVerdict::withdrawn) …
//
// Runs the kernels of the document, many times: as recorded and in the way that the finding
// advises, by turns. docs/insights.md says which experiment belongs to which finding, and when a
// claim counts as supported. Throws nothing that a driver or a document causes: what can't be tried
// says why.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/device.hpp"
#include "reel/insights.hpp"

namespace reel {

enum class ProofVerdict : std::uint8_t {  // what became of a claim
  supported,                              // the experiment shows what the finding says
  withdrawn,                              // it shows something else
  inconclusive,                           // times vary too much, or there were too few runs
  not_tried,                              // there is no experiment, or it can't be made here
};
const char* to_string(ProofVerdict verdict) noexcept;

struct Proof {
  std::string experiment = {};  // "as_graph"; empty: there is none for such a finding
  ProofVerdict verdict = ProofVerdict::not_tried;
  std::string sentence = {};  // what was seen, with numbers; or why nothing was tried
  // What was saved, over all of the document; less than nothing: it took longer.
  std::optional<double> measured_ns = {};
  std::optional<double> noise_ns = {};  // half of the 95 % interval of it
  std::uint32_t runs = 0;               // of each way
  bool is_hung = false;                 // a command did not end: the device is lost to this process
};

struct ProofOptions {              // how long to try
  std::uint32_t seconds = 60;      // for all experiments together
  std::uint32_t time_limit_s = 0;  // for any one command; 0: none
  std::uint32_t first = 0;         // findings before this one are not tried
  // What is done, and how much of all (0 to 1); from any thread, one at a time.
  std::function<void(std::string_view what, double part)> progress = {};
  // Each proof as soon as it is known, in the order of the findings.
  std::function<void(std::uint32_t finding, const Proof& proof)> on_proof = {};
  std::atomic<std::uint32_t>* at_work = nullptr;  // as in ReplayOptions
};

// On the device where it was recorded, as far as one like it is here.
std::vector<Proof> prove(const Trace& trace, const analysis::Report& report,
                         const std::vector<analysis::Finding>& findings,
                         const ProofOptions& options = {});
std::vector<Proof> prove(const Trace& trace, const Device& device, const analysis::Report& report,
                         const std::vector<analysis::Finding>& findings,
                         const ProofOptions& options = {});

// What analysis::findings_json() gives, with a "proof" for each finding.
std::string proofs_json(const Trace& trace, const analysis::Report& report,
                        const std::vector<analysis::Finding>& findings,
                        const std::vector<Proof>& proofs);
// One of them; what `reel insights --prove --json-lines` prints of it.
std::string proof_json(const Proof& proof);

}  // namespace reel
