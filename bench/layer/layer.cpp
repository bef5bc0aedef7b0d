// layer.cpp - what the OpenCL layer costs a program that nobody can change.
//
// One program of plain OpenCL (layer_work) is run again and again: bare, with the layer loaded and
// nothing captured, with its whole run captured, and bare on a queue that stamps, as the layer
// makes them. Prints a table for each kind of work and which aims are met. Ends with 1 when a
// result or a document was wrong, never because something was slow: see docs/benchmarks.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "reel/trace.hpp"
#include "reel/trace_totals.hpp"
#include "shared/capture_file.hpp"
#include "shared/measured_process.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.harness = {.rounds = 15, .batch_ms = 1},
                 .quick_harness = {.rounds = 2, .batch_ms = 1}};
  std::vector<std::string> cases;  // empty: all
};

// The programs lie beside this one, the layer in lib/ beside that folder.
std::filesystem::path beside(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

enum class How : std::uint8_t { bare, stamped, idle, capturing };

// One kind of work done in one way; each run is a process of its own.
class LayeredWork {
 public:
  LayeredWork(std::string work, std::uint64_t count, How how)
      : work_(std::move(work)), count_(count), how_(how) {}

  void run() {
    std::vector<std::string> words{beside(is_mpi() ? "mpi_work" : "layer_work"), work_,
                                   fmt::to_string(count_)},
        settings;
    if (how_ == How::stamped) settings = {"LAYER_WORK_STAMPS=1"};
    if (how_ == How::idle)
      settings = {
          is_mpi() ? fmt::format("LD_PRELOAD={}", beside("../lib/libreel_mpi.so").string())
                   : fmt::format("OPENCL_LAYERS={}", beside("../lib/libreel_layer.so").string())};
    if (how_ == How::capturing) {
      std::filesystem::remove(file_.path());
      words.insert(words.begin(), {beside("reel"), "capture", "-o", file_.path(), "--"});
      if (is_mpi()) words.insert(words.begin() + 2, "--mpi");
    }
    const ProcessResult done = run_process(words, settings);
    Spent loop;
    if (!(std::istringstream(done.output) >> loop.wall_ns >> loop.cpu_ns >> result_))
      throw std::runtime_error(fmt::format("layer_work {} said '{}'.", work_, done.output));
    if (work_ == "start") loop = done.spent;  // all of the process counts
    spent_.cpu_ns += loop.cpu_ns;
    spent_.wall_ns += loop.wall_ns;
    of_runs_.push_back(loop);
    of_processes_.push_back(done.spent.cpu_ns);
  }

  Spent take_spent() { return std::exchange(spent_, {}); }
  const std::vector<Spent>& of_runs() const { return of_runs_; }
  const std::string& result() const { return result_; }
  double process_cpu_ns() const { return quartiles(of_processes_).median; }
  double document_bytes() const {
    return static_cast<double>(std::filesystem::file_size(file_.path()));
  }

  // What the last document says that giving commands took.
  double told_ns() const {
    double told = 0;
    for (const reel::TraceOverhead& overhead : reel::TraceTotals::load(file_.path()).overheads)
      if (overhead.kind == reel::OverheadKind::commands)
        told += static_cast<double>(overhead.end_ns - overhead.begin_ns);
    return told;
  }

  // What is wrong with the last document, or nothing.
  std::string document_wrong() const {
    if (how_ != How::capturing || work_ == "start" || work_ == "calls") return {};
    const reel::Trace trace = reel::Trace::load(file_.path());
    if (is_mpi()) {
      std::uint64_t calls = 0;
      for (const reel::TraceCall call : trace.calls())
        calls += trace.text(call.name) == "MPI_Allreduce";
      if (calls == count_) return {};
      return fmt::format("the document has {} calls of MPI, the program made {}", calls, count_);
    }
    std::uint64_t dispatches = 0;
    for (const reel::TraceCommand& command : trace.commands())
      dispatches += trace.works()[command.work].kind == reel::WorkKind::dispatch;
    if (dispatches == count_ + 1) return {};  // one warmed up
    return fmt::format("the document has {} dispatches, the program gave {}", dispatches,
                       count_ + 1);
  }

 private:
  bool is_mpi() const { return work_ == "mpi"; }

  std::string work_;
  std::uint64_t count_;
  How how_;
  CaptureFile file_;
  Spent spent_;
  std::vector<Spent> of_runs_;
  std::vector<double> of_processes_;
  std::string result_;
};

// The median of what the second one took more than the first in the same round, each.
double more_ns(const LayeredWork& base, const LayeredWork& other, double Spent::*clock,
               std::uint64_t count) {
  std::vector<double> more;
  // From the end: the rounds come after the warm-up, whose runs may be more for one of them.
  auto a = base.of_runs().rbegin(), b = other.of_runs().rbegin();
  for (; a != base.of_runs().rend() && b != other.of_runs().rend(); ++a, ++b)
    more.push_back(((*b).*clock - (*a).*clock) / static_cast<double>(count));
  return quartiles(more).median;
}

struct Aims {
  double capturing = 0;  // times bare, by CPU and by the clock on the wall; 0: none
  double idle = 0;
  double bytes = 0;          // of the document, per enqueue; 0: none
  double idle_more_ns = 0;   // a call
  double start_more_ms = 0;  // capturing, a process
  double more_ns = 0;        // capturing, a call
};

Group layer_group(const std::string& work, const std::string& name, std::uint64_t count,
                  const Aims& wanted) {
  const auto bare = std::make_shared<LayeredWork>(work, count, How::bare);
  const auto idle = std::make_shared<LayeredWork>(work, count, How::idle);
  const auto capturing = std::make_shared<LayeredWork>(work, count, How::capturing);
  const auto mode = [bare](const char* title, const std::shared_ptr<LayeredWork>& how,
                           double at_most) {
    Mode made{.name = title,
              .run =
                  [how](std::uint64_t passes) {
                    while (passes-- > 0) how->run();
                  },
              .check = [bare, how](std::uint64_t) -> std::string {
                if (how->result() != bare->result())
                  return fmt::format("its results gave {}, bare {}", how->result(), bare->result());
                return how->document_wrong();
              },
              .spent = [how] { return how->take_spent(); },
              .note =
                  [how] {
                    return fmt::format("the whole process: {:.1f} ms CPU",
                                       how->process_cpu_ns() / 1e6);
                  }};
    if (at_most > 0) made.aims = {{"bare", at_most, Clock::cpu}, {"bare", at_most, Clock::wall}};
    return made;
  };
  Group group{"opencl", name, count, {}};
  group.modes = {mode("bare", bare, 0), mode("layer loaded, not capturing", idle, wanted.idle),
                 mode("capturing all of it", capturing, wanted.capturing)};
  // What of the idle layer is the driver's: it makes queues that stamp, since the program may ask
  // it to capture.
  if (wanted.idle > 0)
    group.modes.push_back(mode("without it, on a queue that stamps",
                               std::make_shared<LayeredWork>(work, count, How::stamped), 0));
  if (wanted.idle_more_ns > 0)
    group.modes[1].figures = [=]() -> std::vector<Figure> {
      return {{"ns CPU more a call", more_ns(*bare, *idle, &Spent::cpu_ns, count),
               wanted.idle_more_ns}};
    };
  if (wanted.bytes > 0)
    group.modes[2].note = [=] {
      return fmt::format("{:.0f} ns CPU more an enqueue; the document says {:.0f}",
                         more_ns(*bare, *capturing, &Spent::cpu_ns, count),
                         capturing->told_ns() / static_cast<double>(count));
    };
  group.modes[2].figures = [=]() -> std::vector<Figure> {
    std::vector<Figure> figures;
    if (wanted.bytes > 0)
      figures.push_back({"bytes an enqueue",
                         capturing->document_bytes() / static_cast<double>(count), wanted.bytes});
    if (wanted.more_ns > 0)
      figures.push_back({"ns CPU more a call", more_ns(*bare, *capturing, &Spent::cpu_ns, count),
                         wanted.more_ns});
    if (wanted.start_more_ms > 0)
      figures.push_back({"ms more, from start to end",
                         more_ns(*bare, *capturing, &Spent::wall_ns, count) / 1e6,
                         wanted.start_more_ms});
    return figures;
  };
  return group;
}

struct Case {
  std::string work, name;
  std::uint64_t count = 1;
  Aims aims = {};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"small",
       "20000 kernels of 1024 items",
       20000,
       {.capturing = 1.25, .idle = 1.02, .bytes = 30}},
      {"small", "360000 of them", 360'000, {.capturing = 1.25, .idle = 1.02, .bytes = 30}},
      {"arguments",
       "20000 of them, an argument set before each",
       20000,
       {.capturing = 1.35, .idle = 1.02, .bytes = 30}},
      {"large", "200 kernels over two buffers of 16 MiB", 200, {.capturing = 1.15, .idle = 1.02}},
      {"calls", "a million clSetKernelArg", 1'000'000, {.idle_more_ns = 10}},
      {"start", "a context made, and the end", 1, {.start_more_ms = 50}},
#ifdef REEL_HAS_OPEN_MPI
      {"mpi", "a million MPI_Allreduce, --mpi", 1'000'000, {.idle_more_ns = 30, .more_ns = 500}},
#endif
  };
  return all;
}

int measure_all(const Options& options) {
  Run run(options.run);
  run.begin("per call");
  for (const Case& one : cases())
    if (options.cases.empty() ||
        std::find(options.cases.begin(), options.cases.end(), one.work) != options.cases.end())
      run.measure(layer_group(one.work, one.name, one.count, one.aims));
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What the OpenCL layer costs a program that nobody can change.");
  bench::add_run_options(app, options.run);
  app.add_option("--case", options.cases, "Kinds of work to measure; default: all")
      ->check(CLI::IsMember({"small", "arguments", "large", "calls", "start", "mpi"}));
  return bench::run_program(app, argc, argv, "layer", [&] { return bench::measure_all(options); });
}
