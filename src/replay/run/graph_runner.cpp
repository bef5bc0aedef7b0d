// A script as graphs: one node an action, in a chain or ordered by the bytes they touch.
#include "base/fail.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"
#include "replay/run/runner.hpp"

namespace reel::rerun {

namespace {

// Bytes that a graph holds or reads into; beyond that another one goes on.
constexpr std::uint64_t most_graph_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_nodes = 100'000;

class GraphRunner final : public Runner {
 public:
  GraphRunner(Stage& stage, const std::vector<Action>& actions, bool relaxed,
              std::shared_ptr<Heartbeat> heart)
      : stage_(stage), relaxed_(relaxed), heart_(std::move(heart)) {
    for (const Device& device : stage.devices())
      if (device != stage.devices().front())
        fail(Code::unsupported,
             "The document was recorded on {} devices, and a graph belongs to one: replay it in "
             "the recorded order, or all of it on one device.",
             stage.devices().size());
    if (stage.devices().empty()) return;  // a document without commands
    stream_ = stage.devices().front().stream("replay");
    lift(actions);
  }

  void run(const Look& look, RunTimes* times) override {
    if (times) times->of_command.assign(stage_.trace().commands().size(), {});
    for (Segment& segment : segments_) {
      heart_->running(no_index);
      if (times && stream_.device().info().can_stamp_time) {
        const TimedLaunch launch = segment.exec.launch_timed(stream_);
        for (const NodeTime& time : launch.wait()) take(segment, time, *times);
      } else {
        segment.exec.launch(stream_);
      }
      stream_.synchronize();
      for (const Read& read : segment.reads) look_at_pages(read.contents, read.bytes, look);
    }
    heart_->idle();
  }

 private:
  struct Read {
    std::uint32_t contents;
    std::vector<std::byte> bytes;
  };
  struct Segment {
    Graph graph;
    std::vector<std::uint32_t> commands;  // by node; none: not a recorded command's own
    std::vector<Read> reads;
    std::uint64_t bytes = 0;
    GraphExec exec;
  };

  void lift(const std::vector<Action>& actions) {
    segments_.emplace_back();
    for (const Action& action : actions) {
      Segment& segment = segments_.back();
      add(segment, action);
      if (segment.bytes > most_graph_bytes || segment.graph.node_count() > most_nodes)
        segments_.emplace_back();
    }
    if (segments_.back().graph.empty()) segments_.pop_back();
    for (Segment& segment : segments_) {
      heart_->running(no_index);  // a backend may try a graph out before it says how it runs it
      segment.exec = segment.graph.instantiate(stage_.devices().front(),
                                               {.relax_order = relaxed_, .reorder = relaxed_});
    }
    heart_->idle();
  }

  void add(Segment& segment, const Action& action) {
    const Trace& trace = stage_.trace();
    if (action.kind == Action::Kind::run) {
      for (const KeptCommand& kept : stage_.commands(action.command))
        add_node(segment, kept.command, action.command);
      return;
    }
    if (action.kind == Action::Kind::instead) {
      add_node(segment, stage_.other(action.contents), action.command);
      return;
    }
    const TraceContents& row = trace.contents()[action.contents];
    segment.bytes += row.size_bytes;
    if (action.kind == Action::Kind::look) {
      Read& read =
          segment.reads.emplace_back(Read{action.contents, std::vector<std::byte>(row.size_bytes)});
      add_node(segment,
               {reel::Read{stage_.range(row.buffer, row.offset_bytes, row.size_bytes), read.bytes},
                "look"},
               no_index);
      return;
    }
    stage_.for_each_page(row, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
      add_node(segment, {Write{stage_.range(row.buffer, offset, bytes.size()), bytes}, "input"},
               row.role == ContentRole::written ? action.command : no_index);
    });
  }

  void add_node(Segment& segment, const Command& command, std::uint32_t index) const {
    std::vector<NodeId> after;
    if (!relaxed_ && !segment.graph.empty())
      after.push_back(NodeId{static_cast<std::uint32_t>(segment.graph.node_count() - 1)});
    segment.graph.add(command, after, EdgeKind::stream);
    segment.commands.push_back(index);
  }

  static void take(const Segment& segment, const NodeTime& time, RunTimes& times) {
    const std::uint32_t command = segment.commands[index_of(time.node)];
    if (command == no_index || !time.begin_ns || !time.end_ns) return;
    RunTimes::Time& known = times.of_command[command];
    if (!known.begin_ns || time.begin_ns < known.begin_ns) known.begin_ns = time.begin_ns;
    known.end_ns = std::max(known.end_ns, time.end_ns);
  }

  Stage& stage_;
  const bool relaxed_;
  const std::shared_ptr<Heartbeat> heart_;
  Stream stream_;
  std::vector<Segment> segments_;
};

}  // namespace

std::unique_ptr<Runner> make_graph_runner(Stage& stage, const std::vector<Action>& actions,
                                          bool relaxed, std::shared_ptr<Heartbeat> heart) {
  return std::make_unique<GraphRunner>(stage, actions, relaxed, std::move(heart));
}

}  // namespace reel::rerun
