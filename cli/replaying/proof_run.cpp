#include "cli/replaying/proof_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/os/descriptors.hpp"
#include "base/os/process.hpp"
#include "base/os/thread.hpp"
#include "cli/running/spawn.hpp"
#include "cli/running/worker_process.hpp"
#include "reel/error.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

constexpr int look_every_ms = 20;
// For building kernels and for the end of the run that is under way.
constexpr double grace_s = 10;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Proof proof_of(const Json& json) {
  Proof proof;
  proof.experiment = json["experiment"];
  for (const ProofVerdict verdict :
       {ProofVerdict::supported, ProofVerdict::withdrawn, ProofVerdict::inconclusive})
    if (json["verdict"] == to_string(verdict)) proof.verdict = verdict;
  proof.sentence = json["sentence"];
  if (!json["measured_ns"].is_null()) proof.measured_ns = json["measured_ns"];
  if (!json["noise_ns"].is_null()) proof.noise_ns = json["noise_ns"];
  proof.runs = json["runs"];
  return proof;
}

// SIGINT, SIGTERM and SIGHUP wait to be taken for as long as this lives.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&taken_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&taken_, signal);
    sigprocmask(SIG_BLOCK, &taken_, &before_);
  }
  ~StopSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const sigset_t& before() const { return before_; }
  int taken() const { return os::wait_for_signal(taken_, 0); }  // 0: none

 private:
  sigset_t before_{}, taken_{};
};

class Prover {
 public:
  Prover(const Trace& trace, const analysis::Report& report,
         const std::vector<analysis::Finding>& findings, const RunOptions& options,
         std::uint32_t seconds, const ProofWatch& watch)
      : trace_(trace),
        report_(report),
        findings_(findings),
        options_(options),
        watch_(watch),
        page_(make_shared_page()),
        seconds_(seconds),
        begin_s_(now_s()) {
    result_.proofs.resize(findings.size());
  }

  ProofRun run() {
    while (next_ < findings_.size()) {
      if (result_.signal) {
        take(next_, not_tried("Interrupted before it was tried."));
        continue;
      }
      const std::uint32_t before = next_;
      const std::string why = work();
      // It ended in the middle, or after a command that hangs: the next process goes on.
      if (next_ < findings_.size() && !why.empty() && !result_.signal) take(next_, not_tried(why));
      if (next_ == before && why.empty() && !result_.signal)
        take(next_, not_tried("The process that tried it said nothing."));
    }
    return std::move(result_);
  }

 private:
  Proof not_tried(const std::string& why) const {
    Proof proof;
    proof.experiment = experiment_;
    proof.sentence = why;
    return proof;
  }

  void take(std::uint32_t finding, Proof proof) {
    experiment_.clear();
    next_ = finding + 1;
    if (watch_.on_proof) watch_.on_proof(finding, proof);
    result_.proofs[finding] = std::move(proof);
  }

  double seconds_left() const { return seconds_ - (now_s() - begin_s_); }

  // Until the process ends. Why it ended before its work was done; empty: by itself.
  std::string work() {
    std::array<int, 2> ends{-1, -1};
    if (!os::make_pipe(ends))
      throw Error(Code::io_failed, fmt::format("No pipe can be made: {}.", std::strerror(errno)));
    const pid_t process = start_worker(*page_, signals_.before());
    if (process == 0) {
      close(ends[0]);
      be_worker(ends[1]);
    }
    close(ends[1]);
    const std::string stopped = listen(process, ends[0]);
    close(ends[0]);
    const int status = wait_until_gone(process);
    if (!stopped.empty() || !WIFSIGNALED(status)) return stopped;
    const int signal = WTERMSIG(status);
    if (is_asked_for(signal)) {  // a key of the terminal reaches both of us
      result_.signal = signal;
      return {};
    }
    const std::uint32_t command = page_->at_work;
    return fmt::format("The process that tried it {} ({}){}.",
                       signal == SIGKILL ? "was killed" : "crashed", strsignal(signal),
                       command == no_index
                           ? std::string()
                           : fmt::format(", as far as is known while {} was running",
                                         describe_command(trace_, command)));
  }

  // Why it had to be killed; empty: it closed its end.
  std::string listen(pid_t process, int descriptor) {
    std::string received;
    std::array<char, 4096> bytes{};
    for (;;) {
      pollfd ready{descriptor, POLLIN, 0};
      poll(&ready, 1, look_every_ms);
      if (const int signal = signals_.taken()) {
        result_.signal = signal;
        kill(process, SIGKILL);
        return "Interrupted before it was tried.";
      }
      if (ready.revents) {
        const ssize_t got = read(descriptor, bytes.data(), bytes.size());
        if (got == 0) return {};
        if (got < 0 && errno != EINTR && errno != EAGAIN) return {};
        if (got > 0) received.append(bytes.data(), static_cast<std::size_t>(got));
        take_lines(received, [&](const std::string& line) { hear(line); });
        continue;
      }
      if (options_.memory_bytes && os::memory_of(process) > options_.memory_bytes) {
        kill(process, SIGKILL);
        return fmt::format("It took more than {} of memory, its bound; --memory gives it more.",
                           size_text(options_.memory_bytes));
      }
      if (seconds_left() + grace_s + options_.time_limit_s < 0) {
        kill(process, SIGKILL);
        return "It did not end within its time.";
      }
    }
  }

  void hear(const std::string& line) {
    const Json json = Json::parse(line);
    if (json.contains("what")) {
      const std::string what = json["what"];
      if (const auto colon = what.rfind(": "); colon != std::string::npos)
        experiment_ = what.substr(colon + 2);
      if (watch_.on_progress) watch_.on_progress(what);
      return;
    }
    take(json["finding"], proof_of(json["proof"]));
  }

  [[noreturn]] void be_worker(int descriptor) {
    dup2(STDERR_FILENO, STDOUT_FILENO);  // kernels may print
    const auto tell = [&](const Json& json) {
      const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
      for (std::size_t at = 0; at < line.size();) {
        const ssize_t written = write(descriptor, line.data() + at, line.size() - at);
        if (written < 0 && errno != EINTR) std::_Exit(failed);
        if (written > 0) at += static_cast<std::size_t>(written);
      }
    };
    try {
      load_host_kernels(options_.host_kernels);
      ProofOptions how;
      how.seconds = static_cast<std::uint32_t>(std::max(seconds_left(), 0.0));
      how.time_limit_s = options_.time_limit_s;
      how.first = next_;
      how.at_work = &page_->at_work;
      how.progress = [&](std::string_view what, double) { tell({{"what", what}}); };
      how.on_proof = [&](std::uint32_t finding, const Proof& proof) {
        tell({{"finding", finding}, {"proof", Json::parse(proof_json(proof))}});
        if (proof.is_hung) std::_Exit(done);  // a driver would wait for it at exit
      };
      if (options_.device.empty())
        prove(trace_, report_, findings_, how);
      else
        prove(trace_, open_device(options_.device), report_, findings_, how);
    } catch (const std::exception& error) {
      Proof proof;
      proof.sentence = error.what();
      for (auto i = next_; i < findings_.size(); ++i)
        tell({{"finding", i}, {"proof", Json::parse(proof_json(proof))}});
    }
    std::_Exit(done);
  }

  const Trace& trace_;
  const analysis::Report& report_;
  const std::vector<analysis::Finding>& findings_;
  const RunOptions& options_;
  const ProofWatch& watch_;
  const std::unique_ptr<SharedPage, UnmapPage> page_;
  const StopSignals signals_;
  const double seconds_, begin_s_;
  std::uint32_t next_ = 0;
  std::string experiment_;  // that is being made
  ProofRun result_;
};

}  // namespace

ProofRun prove_apart(const Trace& trace, const analysis::Report& report,
                     const std::vector<analysis::Finding>& findings, const RunOptions& options,
                     std::uint32_t seconds, const ProofWatch& watch) {
  return Prover(trace, report, findings, options, seconds, watch).run();
}

}  // namespace reel::cli
