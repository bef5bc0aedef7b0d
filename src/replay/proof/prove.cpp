// The list: which finding is tried by which experiment; and the way through it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "replay/proof/experiments.hpp"
#include "replay/run/devices.hpp"
#include "replay/script/completeness.hpp"

namespace reel {

namespace rerun {

namespace {

struct Entry {
  std::string_view finding, name;
  Experiment experiment;
};
constexpr std::array experiments{
    Entry{"launch.bound", "as_graph", as_graph},
    Entry{"idle.launch", "as_graph", as_graph},
    Entry{"idle.sync", "without_host_waits", without_host_waits},
    Entry{"idle.host", "without_host_work", without_host_work},
    Entry{"fuse.tiny", "fewer_launches", fewer_launches},
    Entry{"overlap.lost", "as_graph", as_graph},
    Entry{"barrier.redundant", "without_waits", without_waits},
    Entry{"copy.redundant", "left_out", left_out},
    Entry{"copy.unused", "never_read", never_read},
    Entry{"fill.dead", "never_read", never_read},
    Entry{"upload.dup", "copied_on_device", copied_on_device},
    Entry{"copy.roundtrip", "copied_on_device", copied_on_device},
    Entry{"race", "other_order", other_order},
    Entry{"sync.missing", "turned_pairs", turned_pairs},
    Entry{"bandwidth", "alone_and_warm", alone_and_warm},
    Entry{"cp", "one_group", one_group},
    Entry{"nondeterminism", "repeated", repeated},
    Entry{"outlier", "repeated_warm", repeated_warm},
};

// By the beginning of an id; the first that fits.
struct Untried {
  std::string_view finding, why;
};
constexpr std::array untried{
    Untried{"verdict", "It sums up other findings."},
    Untried{
        "idle.wakeup",
        "How late a waiting host wakes is up to the system at that moment, which a replay doesn't "
        "bring back."},
    Untried{"idle.", "A replay doesn't do what the device waited for."},
    Untried{"build", "A replay builds its kernels before it runs anything."},
    Untried{"speeds", "What its slow runs have in common is not known."},
    Untried{"launch.shape", "It needs kernels of other sizes."},
    Untried{"copy.small", "It needs a program that gathers its bytes."},
    Untried{"mem.", "A replay has all buffers from beginning to end."},
    Untried{"decision.", "A replay gives what was launched, and decides nothing."},
    Untried{"nan", "`reel replay --nan` names the command that writes the first."},
    Untried{"sync.visibility", "A replay can't leave a cache as it was."},
    Untried{"sync.host", "A replay has the host's bytes when they are needed."},
    Untried{"race.host", "A replay has the host's bytes when they are needed."},
    Untried{"barrier.wide", "A replay puts barriers of its own where they are needed."},
    Untried{"clock", "It is about times of the recording."},
    Untried{"capture", "It is about the recording itself."},
    Untried{"", "There is no experiment for it."},
};

const Entry* experiment_of(const analysis::Finding& finding) {
  const auto found = std::ranges::find(experiments, std::string_view(finding.id), &Entry::finding);
  return found == experiments.end() ? nullptr : &*found;
}

// One way through the findings. Owns all it uses: a thread that hangs is left behind with it.
class Proving {
 public:
  Proving(const Trace& trace, std::optional<Device> device, const analysis::Report& report,
          const std::vector<analysis::Finding>& findings, const ProofOptions& options)
      : trace_(trace),
        device_(std::move(device)),
        report_(report),
        findings_(findings),
        options_(options),
        heart_(std::make_shared<Heartbeat>(options.at_work)),
        begin_ns_(monotonic_ns()) {}

  static std::vector<Proof> run(const std::shared_ptr<Proving>& self) {
    std::vector<Proof> proofs;
    for (std::uint32_t i = 0; i < self->findings_.size(); ++i) {
      Proof proof;
      if (i >= self->options_.first) {
        proof = try_one(self, i);
        if (self->options_.on_proof) self->options_.on_proof(i, proof);
      }
      proofs.push_back(std::move(proof));
    }
    return proofs;
  }

 private:
  static Proof try_one(const std::shared_ptr<Proving>& self, std::uint32_t i) {
    const analysis::Finding& finding = self->findings_[i];
    const Entry* entry = experiment_of(finding);
    if (!entry) {
      const auto why = std::ranges::find_if(
          untried, [&](const Untried& one) { return finding.id.starts_with(one.finding); });
      return not_tried(std::string(why->why));
    }
    Proof proof;
    if (self->why_not_.empty()) {
      // The result is the thread's until it is known that it has ended.
      const auto result = std::make_shared<Proof>();
      try {
        run_with_limit(
            self->options_.time_limit_s, self->heart_,
            [self, entry, i, result] { *result = self->experiment(*entry, i); },
            [self](std::uint32_t oldest) { return self->describe_hang(oldest); });
        proof = std::move(*result);
      } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        self->why_not_ =
            fmt::format("A command of an experiment before it did not end: {}", error.what());
        proof = not_tried(error.what());
        proof.is_hung = true;
      }
    } else {
      proof = not_tried(self->why_not_);
    }
    proof.experiment = entry->name;
    return proof;
  }

  Proof experiment(const Entry& entry, std::uint32_t i) {
    std::uint32_t left = 0;
    for (std::uint32_t j = i; j < findings_.size(); ++j)
      left += experiment_of(findings_[j]) != nullptr;
    const double seconds_left = options_.seconds - seconds_gone();
    if (seconds_left <= 0)
      return not_tried(fmt::format(
          "The {} s for experiments were over; --prove-seconds gives more.", options_.seconds));
    if (options_.progress)
      options_.progress(fmt::format("{}: {}", findings_[i].id, entry.name),
                        std::min(seconds_gone() / options_.seconds, 1.0));
    try {
      if (!bench_) set_up();
      return entry.experiment({*bench_, report_, findings_[i], seconds_left / left});
    } catch (const Error& error) {
      heart_->idle();
      if (!bench_) why_not_ = error.what();
      return not_tried(error.what());
    }
  }

  void set_up() {
    check_is_capture(trace_);
    if (const auto missing = missing_parts(trace_); !missing.empty())
      fail(Code::damaged_document, "{} What is missing may be what an experiment would show.",
           missing.front());
    bench_ = std::make_unique<Bench>(
        trace_,
        device_ ? std::vector<Device>(trace_.devices().size(), *device_) : recorded_devices(trace_),
        heart_, report_.activity.busy_ns);
  }

  double seconds_gone() const { return static_cast<double>(monotonic_ns() - begin_ns_) / 1e9; }

  std::string describe_hang(std::uint32_t oldest) const {
    return fmt::format("{} did not finish within {} s, the time limit.",
                       oldest == no_index ? std::string("A graph of its commands")
                                          : describe_command(trace_, oldest),
                       options_.time_limit_s);
  }

  const Trace trace_;
  const std::optional<Device> device_;
  const analysis::Report report_;
  const std::vector<analysis::Finding> findings_;
  const ProofOptions options_;
  const std::shared_ptr<Heartbeat> heart_;
  const std::uint64_t begin_ns_;
  std::unique_ptr<Bench> bench_;
  std::string why_not_;  // no experiment can be made any more
};

nlohmann::ordered_json json_of(const Proof& proof) {
  using Json = nlohmann::ordered_json;
  const auto known = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"experiment", proof.experiment},
          {"verdict", to_string(proof.verdict)},
          {"measured_ns", known(proof.measured_ns)},
          {"noise_ns", known(proof.noise_ns)},
          {"runs", proof.runs},
          {"sentence", proof.sentence}};
}

// Labels are bytes of a program: what is no UTF-8 is replaced, never refused.
constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;

}  // namespace

}  // namespace rerun

const char* to_string(ProofVerdict verdict) noexcept {
  switch (verdict) {
    case ProofVerdict::supported:
      return "supported";
    case ProofVerdict::withdrawn:
      return "withdrawn";
    case ProofVerdict::inconclusive:
      return "inconclusive";
    case ProofVerdict::not_tried:
      return "not_tried";
  }
  return "?";
}

std::vector<Proof> prove(const Trace& trace, const analysis::Report& report,
                         const std::vector<analysis::Finding>& findings,
                         const ProofOptions& options) {
  return rerun::Proving::run(
      std::make_shared<rerun::Proving>(trace, std::nullopt, report, findings, options));
}

std::vector<Proof> prove(const Trace& trace, const Device& device, const analysis::Report& report,
                         const std::vector<analysis::Finding>& findings,
                         const ProofOptions& options) {
  if (!device) fail(Code::invalid_argument, "The Device given to prove() is empty.");
  return rerun::Proving::run(
      std::make_shared<rerun::Proving>(trace, device, report, findings, options));
}

std::string proof_json(const Proof& proof) {
  return rerun::json_of(proof).dump(-1, ' ', false, rerun::replace);
}

std::string proofs_json(const Trace& trace, const analysis::Report& report,
                        const std::vector<analysis::Finding>& findings,
                        const std::vector<Proof>& proofs) {
  auto json = nlohmann::ordered_json::parse(analysis::findings_json(trace, report, findings));
  for (std::size_t i = 0; i < proofs.size() && i < findings.size(); ++i)
    json["findings"][i]["proof"] = rerun::json_of(proofs[i]);
  return json.dump(2, ' ', false, rerun::replace);
}

}  // namespace reel
