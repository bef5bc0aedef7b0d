// vulkan_layer.cpp - what the Vulkan layer and its timestamps cost a program that nobody can
// change.
//
// One program of plain Vulkan (vulkan_work) is run again and again, each time as a process of its
// own: bare, with the layer loaded and nothing captured, and captured with timestamps at more and
// more places. Prints a table for each kind of work and which aims are met. Ends with 1 when a
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
#include "shared/capture_file.hpp"
#include "shared/measured_process.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.harness = {.rounds = 11, .batch_ms = 1},
                 .quick_harness = {.rounds = 2, .batch_ms = 1}};
  std::vector<std::string> cases;  // empty: all
};

// The programs lie beside this one, the layer in lib/ beside that folder.
std::filesystem::path beside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

class LayeredWork {
 public:
  // `stamps`: empty, nothing is captured; the layer is loaded where `is_loaded`.
  LayeredWork(std::string work, std::uint64_t count, bool is_loaded, std::string stamps)
      : work_(std::move(work)), count_(count), is_loaded_(is_loaded), stamps_(std::move(stamps)) {}

  void run() {
    std::vector<std::string> words{beside("vulkan_work"), work_, fmt::to_string(count_)}, settings;
    if (is_loaded_)
      settings = {fmt::format("VK_ADD_LAYER_PATH={}", beside("../lib/reel/vulkan").string()),
                  "VK_INSTANCE_LAYERS=VK_LAYER_REEL_capture"};
    if (!stamps_.empty()) {
      std::filesystem::remove(file_.path());
      words.insert(words.begin(), {beside("reel"), "capture", "--contents", "none", "--stamps",
                                   stamps_, "-o", file_.path(), "--"});
    }
    const ProcessResult done = run_process(words, settings);
    Spent loop;
    if (!(std::istringstream(done.output) >> loop.wall_ns >> loop.cpu_ns >> result_))
      throw std::runtime_error(fmt::format("vulkan_work {} said '{}'.", work_, done.output));
    spent_.cpu_ns += loop.cpu_ns;
    spent_.wall_ns += loop.wall_ns;
  }
  Spent take_spent() { return std::exchange(spent_, {}); }
  const std::string& result() const { return result_; }

  // What is wrong with the last document, or nothing.
  std::string document_wrong() const {
    if (stamps_.empty() || work_ == "record") return {};
    const reel::Trace trace = reel::Trace::load(file_.path());
    std::uint64_t dispatches = 0, untimed = 0;
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
      const reel::TraceCommand& command = trace.commands()[c];
      if (trace.work_of(command).kind != reel::WorkKind::dispatch) continue;
      ++dispatches;
      untimed += !command.has_run_times() && !trace.interval_of(c);
    }
    constexpr std::uint64_t warm_up = 16;
    if (dispatches != count_ + warm_up)
      return fmt::format("the document has {} dispatches, the program gave {}", dispatches,
                         count_ + warm_up);
    if (stamps_ != "none" && untimed > 0)
      return fmt::format("{} dispatches have no times", untimed);
    return {};
  }
  std::string note() const {
    if (stamps_.empty() || work_ == "record") return {};
    const reel::Trace trace = reel::Trace::load(file_.path());
    std::uint64_t alone = 0;
    for (const reel::TraceCommand& command : trace.commands()) alone += command.has_run_times();
    return fmt::format("{} commands with times of their own, {} intervals of several", alone,
                       trace.intervals().size());
  }

 private:
  std::string work_;
  std::uint64_t count_;
  bool is_loaded_;
  std::string stamps_;
  CaptureFile file_;
  Spent spent_;
  std::string result_;
};

struct Case {
  std::string work, name;
  std::uint64_t count;
};

Group group_of(const Case& one) {
  const auto made = [&](bool is_loaded, const char* stamps) {
    return std::make_shared<LayeredWork>(one.work, one.count, is_loaded, stamps);
  };
  const auto bare = made(false, "");
  const auto mode = [bare](const char* title, const std::shared_ptr<LayeredWork>& how,
                           double at_most) {
    Mode made_mode{.name = title,
                   .run =
                       [how](std::uint64_t passes) {
                         while (passes-- > 0) how->run();
                       },
                   .check = [bare, how](std::uint64_t) -> std::string {
                     if (how->result() != bare->result())
                       return fmt::format("its results gave {}, bare {}", how->result(),
                                          bare->result());
                     return how->document_wrong();
                   },
                   .spent = [how] { return how->take_spent(); },
                   .note = [how] { return how->note(); }};
    if (at_most > 0) made_mode.aims = {{"bare", at_most, Clock::cpu}};
    return made_mode;
  };
  Group group{"vulkan", one.name, one.count, {}};
  const bool is_recording = one.work == "record";
  const double most = is_recording ? 0 : 1.2;
  group.modes = {mode("bare", bare, 0),
                 mode("layer loaded, not capturing", made(true, ""), 0),
                 mode("capturing, no timestamps", made(false, "none"), 0),
                 mode("capturing, at submissions", made(false, "submits"), most),
                 mode("capturing, as by default", made(false, "auto"), most),
                 mode("capturing, at all barriers", made(false, "barriers"), 0),
                 mode("capturing, around each command", made(false, "dispatches"), 0)};
  return group;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"together", "20000 dispatches of 1024 items", 20000},
      {"barriers", "20000 of them, a barrier behind each eighth", 20000},
      {"each", "20000 of them, a barrier behind each", 20000},
      {"record", "a million vkCmdDispatch that are only recorded", 1'000'000}};
  return all;
}

int measure_all(const Options& options) {
  Run run(options.run);
  run.begin("per dispatch");
  for (const Case& one : cases())
    if (options.cases.empty() || std::ranges::find(options.cases, one.work) != options.cases.end())
      run.measure(group_of(one));
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What the Vulkan layer and its timestamps cost a program that nobody can change.");
  bench::add_run_options(app, options.run);
  app.add_option("--case", options.cases, "Kinds of work to measure; default: all")
      ->check(CLI::IsMember({"together", "barriers", "each", "record"}));
  return bench::run_program(app, argc, argv, "vulkan_layer",
                            [&] { return bench::measure_all(options); });
}
