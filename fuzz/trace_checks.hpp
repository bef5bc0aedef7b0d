// trace_checks.hpp - loads a document from memory's own file system and looks at all of it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "fuzz/target.hpp"
#include "reel/buffer_value.hpp"
#include "reel/diff.hpp"
#include "reel/error.hpp"
#include "reel/graph.hpp"
#include "reel/trace.hpp"
#include "replay/script/script.hpp"
#include "replay/script/suspects.hpp"
#include "replay/script/unordered.hpp"
#include "replay/script/writers.hpp"
#include "tests/document/check_trace.hpp"

namespace reel {

// Gone with this process.
inline const std::string& scratch_path() {
  struct Scratch {
    std::string path = "/dev/shm/reel_fuzz_" + std::to_string(::getpid());
    ~Scratch() { ::unlink(path.c_str()); }
  };
  static const Scratch scratch;
  return scratch.path;
}

// A claim of a terabyte is fine as long as nobody reads it.
inline constexpr std::uint64_t most_read_bytes = 4 * page_bytes;

inline void read_contents(const Trace& trace) {
  for (const TraceContents& contents : trace.contents())
    for (std::uint32_t i = 0; i < std::min(contents.page_count, 4U); ++i) {
      const auto page = trace.page(contents, i);
      check(!page || page->size() <= page_bytes, "a page is larger than pages are");
    }
  for (const TraceKernel& kernel : trace.kernels())
    for (const TraceVariant& variant : kernel.variants)
      if (variant.blob) trace.blob(*variant.blob);
}

inline void follow_buffers(const Trace& trace) {
  const auto last = static_cast<std::uint32_t>(trace.commands().size()) - 1;  // or none
  for (std::uint32_t i = 0; i < std::min<std::size_t>(trace.buffers().size(), 4); ++i) {
    const BufferValue value(trace, i, last);
    const auto read = value.read(0, most_read_bytes);
    check(read.bytes.size() <= value.size_bytes(), "more was read than the buffer has");
    check(value.unknown_bytes() <= value.size_bytes(), "more is unknown than the buffer has");
  }
}

// All of a replay that is done before a device gets anything.
inline void prepare_replay(const Trace& trace) {
  const auto last = static_cast<std::uint32_t>(trace.commands().size()) - 1;
  for (const Race& race : find_races(trace))
    check(race.first < race.second && race.second <= last, "a race is between two commands");
  if (trace.commands().empty()) return;
  rerun::unchecked_sources(trace, last, [](std::uint32_t) { return true; });
  const rerun::Writers writers(trace, rerun::ElementTypes(trace, {}));
  const rerun::KeptOrder kept = rerun::kept_order(trace, rerun::find_unordered(trace));
  const rerun::Script script =
      rerun::make_script(trace, 0, no_index, rerun::recorded_obstacles(trace), kept);
  for (const rerun::Action& action : script.actions)
    check(action.command <= last && (action.kind == rerun::Action::Kind::run ||
                                     action.contents < trace.contents().size()),
          "an action is of the document");
}

// What it means, however little sense it makes.
inline void ask_what_it_means(const Trace& trace) {
  const analysis::Report report = analyze(trace);
  std::uint64_t idle = 0;
  for (const analysis::Lane& lane : report.activity.devices) {
    check(lane.busy_ns <= lane.span_ns(), "a device is busy for longer than it was there");
    idle += lane.idle_ns();
  }
  for (const analysis::Gap& gap : report.activity.gaps) {
    check(gap.begin_ns < gap.end_ns, "a gap has a size");
    idle -= gap.size_ns();
  }
  check(idle == 0, "gaps make up the idle time");
  for (const analysis::Dependency& dependency : report.dependencies)
    check(dependency.from < dependency.to && dependency.to < trace.commands().size(),
          "what is depended on comes first");
  analysis::findings_json(trace, report, find_insights(trace, report));
  const analysis::TraceDiff same = diff(trace, trace);
  check(same.total.delta_ns() == 0 && !same.differs() && !same.contents,
        "a document is like itself");
}

// Everything that reel/trace.hpp promises, every blob, and buffers followed through all commands.
inline void check_scratch() {
  try {
    const Trace trace = Trace::load(scratch_path());
    test::check_trace(trace);
    read_contents(trace);
    if (trace.commands().size() < 100'000) follow_buffers(trace);
    if (trace.commands().size() < 100'000) prepare_replay(trace);
    if (trace.commands().size() < 100'000) ask_what_it_means(trace);
  } catch (const Error& error) {
    check(error.code() == Code::damaged_document || error.code() == Code::unsupported,
          error.what());
  } catch (const std::logic_error& error) {
    check(false, error.what());
  }
}

// A graph or a sentence; most documents hold a capture.
inline void check_scratch_as_graph() {
  try {
    Graph::load(scratch_path());
  } catch (const Error& error) {
    check(error.code() == Code::damaged_document || error.code() == Code::unsupported ||
              error.code() == Code::invalid_argument,
          error.what());
  } catch (const std::logic_error& error) {
    check(false, error.what());
  }
}

}  // namespace reel
