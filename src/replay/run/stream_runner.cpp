// Commands given one by one to streams, as the program did.
#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/handles.hpp"
#include "replay/run/predicates.hpp"
#include "replay/run/runner.hpp"
#include "runtime/stream_state.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t collect_every = 512;
// Looks at whether all is done, before it sleeps between them.
constexpr int few_rounds = 64;
// Results read between commands and not yet compared.
constexpr std::uint64_t most_look_bytes = std::uint64_t{256} << 20;

class StreamRunner final : public Runner {
 public:
  StreamRunner(Stage& stage, const std::vector<Action>& actions, Streams streams,
               std::shared_ptr<Heartbeat> heart, StreamChanges changes)
      : stage_(stage),
        actions_(actions),
        heart_(std::move(heart)),
        streams_(streams == Streams::one ? 1 : stage.trace().streams().size()),
        one_(streams == Streams::one),
        one_by_one_(streams == Streams::recorded_one_by_one),
        pauses_(std::move(changes.pauses)) {
    if (!one_) find_waits(changes.without);
  }

  void run(const Look& look, RunTimes* times) override {
    look_ = &look;
    times_ = times;
    if (times) times->of_command.assign(stage_.trace().commands().size(), {});
    events_.clear();
    last_paused_ = no_index;
    for (std::uint32_t i = 0; i < actions_.size(); ++i) perform(actions_[i], i);
    finish();
    heart_->idle();
  }

 private:
  struct Line {
    Stream stream;
    std::deque<std::uint32_t> given;  // stamped and not collected yet
    std::uint32_t since_collected = 0;
  };
  struct Pending {
    std::uint32_t contents;
    std::vector<std::byte> bytes;
  };

  // Which commands wait for which, and so which need an event after them. A command that is left
  // out hands on the order that it stood in: who waits for it waits for what came before it, and
  // what comes after it on its stream waits for what it waited for.
  void find_waits(const Waits& without) {
    const Trace& trace = stage_.trace();
    std::vector<std::uint32_t> last(trace.commands().size(), no_index);
    for (std::uint32_t i = 0; i < actions_.size(); ++i) last[actions_[i].command] = i;
    struct Handed {
      std::uint32_t before = no_index;   // the last that runs on the stream
      std::vector<std::uint32_t> waits;  // of commands left out since
    };
    std::vector<Handed> streams(trace.streams().size());
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> left_out;
    auto order = trace.orders().begin();
    for (std::uint32_t command = 0; command < last.size(); ++command) {
      Handed& handed = streams[trace.commands()[command].stream];
      for (; order != trace.orders().end() && order->command == command; ++order) {
        if (without.contains({command, order->after})) continue;
        // Streams of a replay are in order, those that stand for queues of Vulkan as well.
        if (trace.commands()[order->after].stream == trace.commands()[command].stream) continue;
        if (last[order->after] != no_index)
          handed.waits.push_back(order->after);
        else if (const auto instead = left_out.find(order->after); instead != left_out.end())
          handed.waits.insert(handed.waits.end(), instead->second.begin(), instead->second.end());
      }
      if (handed.waits.size() > 1) {
        std::sort(handed.waits.begin(), handed.waits.end());
        handed.waits.erase(std::unique(handed.waits.begin(), handed.waits.end()),
                           handed.waits.end());
      }
      if (last[command] == no_index) {
        if (handed.waits.empty() && handed.before == no_index) continue;
        auto& instead = left_out[command] = handed.waits;
        if (handed.before != no_index) instead.push_back(handed.before);
        continue;
      }
      handed.before = command;
      if (handed.waits.empty()) continue;
      // A look at its results comes before the event, too.
      for (const std::uint32_t after : handed.waits) waited_for_.insert(last[after]);
      waits_[command] = std::exchange(handed.waits, {});
    }
    for (const KeptOrder::Wait& wait : stage_.script().kept) {
      if (last[wait.command] == no_index || last[wait.after] == no_index) continue;
      if (without.contains({wait.command, wait.after})) continue;
      waits_[wait.command].push_back(wait.after);
      waited_for_.insert(last[wait.after]);
    }
  }

  Line& line_of(std::uint32_t command) {
    const std::uint32_t index = stage_.trace().commands()[command].stream;
    Line& line = streams_[one_ ? 0 : index];
    if (!line.stream) {
      const std::string& label = stage_.trace().streams()[index].label;
      line.stream = stage_.device_of_stream(index).stream(label);
      state_of(line.stream)->stamp_runs_only();
    }
    return line;
  }

  void pause_before(std::uint32_t command) {
    if (pauses_.empty() || command == last_paused_) return;
    last_paused_ = command;
    const auto pause = pauses_.find(command);
    if (pause == pauses_.end()) return;
    for (const Line& line : streams_) {
      if (!line.stream) continue;
      if (pause->second.waits)
        line.stream.synchronize();
      else if (pause->second.busy_ns)
        line.stream.flush();  // so that the device works meanwhile
    }
    // Sleeping would take longer than most pauses are.
    const std::uint64_t end_ns = monotonic_ns() + pause->second.busy_ns;
    while (monotonic_ns() < end_ns) {
    }
  }

  void perform(const Action& action, std::uint32_t place) {
    pause_before(action.command);
    Line& line = line_of(action.command);
    heart_->running(action.command);  // a device that runs it at once hangs in this one
    if (!waits_.empty()) wait_before(line, action.command);
    switch (action.kind) {
      case Action::Kind::put:
        put(line, action);
        break;
      case Action::Kind::run:
        for (const KeptCommand& kept : stage_.commands(action.command))
          submit(line, action.command, kept.command);
        break;
      case Action::Kind::look:
        look_at(line, action);
        break;
      case Action::Kind::instead:
        submit(line, action.command, stage_.other(action.contents));
        break;
    }
    if (one_by_one_) line.stream.synchronize();
    if (!waited_for_.empty() && waited_for_.contains(place)) {
      Event& event = events_[action.command];
      event = line.stream.device().event();
      line.stream.record(event);
    }
  }

  void wait_before(Line& line, std::uint32_t command) {
    const auto waits = waits_.find(command);
    if (waits == waits_.end()) return;
    for (const std::uint32_t after : waits->second)
      if (const auto event = events_.find(after); event != events_.end())
        line.stream.wait(event->second);
  }

  void put(Line& line, const Action& action) {
    const TraceContents& row = stage_.trace().contents()[action.contents];
    stage_.for_each_page(row, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
      const Command write{Write{stage_.range(row.buffer, offset, bytes.size()), bytes}};
      if (row.role == ContentRole::written)
        submit(line, action.command, write);
      else
        line.stream.write(stage_.range(row.buffer, offset, bytes.size()), bytes, "input");
    });
  }

  void submit(Line& line, std::uint32_t index, const Command& command) {
    StreamState& state = *state_of(line.stream);
    if (is_decided_here(command, line.stream)) {
      if (const auto left = decided(command, line.stream)) submit(line, index, *left);
      return;
    }
    if (!times_) {
      state.enqueue(Command(command));
      return;
    }
    {
      const auto lock = state.lock();
      state.submit_stamped(command, index);
    }
    line.given.push_back(index);
    if (++line.since_collected >= collect_every) collect(line);
  }

  void look_at(Line& line, const Action& action) {
    const TraceContents& row = stage_.trace().contents()[action.contents];
    Pending& pending =
        looks_.emplace_back(Pending{action.contents, std::vector<std::byte>(row.size_bytes)});
    line.stream.read(stage_.range(row.buffer, row.offset_bytes, row.size_bytes), pending.bytes,
                     "look");
    if ((look_bytes_ += row.size_bytes) > most_look_bytes) finish();
  }

  void collect(Line& line) {
    line.since_collected = 0;
    stamps_.clear();
    {
      const auto lock = state_of(line.stream)->lock();
      state_of(line.stream)->collect_stamps(stamps_);
    }
    if (!stamps_.empty()) heart_->beat();
    for (const TicketStamps& stamp : stamps_) {
      if (!stamp.stamps.started_ns || !stamp.stamps.ended_ns) continue;
      RunTimes::Time& time = times_->of_command[stamp.ticket];
      // A write of several pages has one ticket: from the first start to the last end.
      if (!time.begin_ns || stamp.stamps.started_ns < time.begin_ns)
        time.begin_ns = stamp.stamps.started_ns;
      time.end_ns = std::max(time.end_ns, stamp.stamps.ended_ns);
    }
    for (std::size_t i = 0; i < stamps_.size() && !line.given.empty(); ++i) line.given.pop_front();
  }

  // Waits for all of it, in a way that sees whether anything gets done.
  void finish() {
    for (Line& line : streams_) {
      if (!line.stream) continue;
      if (!times_) {  // nothing can be seen of it, and who asks now and then learns of its end
                      // later
        line.stream.synchronize();
        continue;
      }
      const Event end = line.stream.device().event();
      line.stream.record(end);
      line.stream.flush();
      const std::uint64_t begin_ns = monotonic_ns();
      for (int rounds = 0; !end.done(); ++rounds) {
        if (rounds % 64 == 63) {
          collect(line);
          if (!line.given.empty()) heart_->running_still(line.given.front());
        }
        // At most a fiftieth of the wait is too much: who wakes up every 50 us takes CPU time from
        // devices that are processors.
        const std::uint64_t waited_ns = monotonic_ns() - begin_ns;
        if (rounds < few_rounds)
          std::this_thread::yield();
        else
          std::this_thread::sleep_for(std::chrono::nanoseconds(
              std::clamp<std::uint64_t>(waited_ns / 50, 50'000, 1'000'000)));
      }
      line.stream.synchronize();  // throws what the work failed with
      collect(line);
      line.given.clear();
    }
    for (const Pending& pending : looks_) look_at_pages(pending.contents, pending.bytes, *look_);
    looks_.clear();
    look_bytes_ = 0;
  }

  Stage& stage_;
  const std::vector<Action>& actions_;
  const std::shared_ptr<Heartbeat> heart_;
  std::vector<Line> streams_;
  const bool one_, one_by_one_;
  const HostPauses pauses_;
  std::uint32_t last_paused_ = no_index;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waits_;
  std::unordered_set<std::uint32_t> waited_for_;  // places among the actions
  std::unordered_map<std::uint32_t, Event> events_;
  std::deque<Pending> looks_;  // read into; must not move
  std::uint64_t look_bytes_ = 0;
  StampList stamps_;
  const Look* look_ = nullptr;
  RunTimes* times_ = nullptr;
};

}  // namespace

std::unique_ptr<Runner> make_stream_runner(Stage& stage, const std::vector<Action>& actions,
                                           Streams streams, std::shared_ptr<Heartbeat> heart,
                                           StreamChanges changes) {
  return std::make_unique<StreamRunner>(stage, actions, streams, std::move(heart),
                                        std::move(changes));
}

}  // namespace reel::rerun
