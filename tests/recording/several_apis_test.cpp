// One recording of a process that calls two APIs: one document, whose order and contents are right.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "recording/captured.hpp"
#include "recording/toy_api.hpp"
#include "reel/buffer_value.hpp"
#include "reel/device.hpp"
#include "reel/replay.hpp"

namespace reel::test {
namespace {

using capture::CallRecording;
using capture::Range;

constexpr std::uint64_t buffer_bytes = 4096;

// What the hooks of a process would have: one recording, whichever API comes.
class Recorded {
 public:
  explicit Recorded(Contents contents)
      : recording(1, folder_.path(),
                  std::make_unique<capture::DocumentThread>(
                      folder_.path(), document::Facts{{"api", "first, second"}},
                      document::DocumentOptions{}, 0),
                  contents, strays) {}
  Trace end() {
    const CaptureReport report = recording.end(std::chrono::seconds(5));
    EXPECT_EQ(report.lost, "");
    Trace trace = Trace::load(folder_.path());
    EXPECT_TRUE(trace.is_complete());
    EXPECT_EQ(trace.problems(), std::vector<std::string>{});
    return trace;
  }

  std::atomic<std::uint32_t> strays{0};

 private:
  const ScratchFolder folder_;

 public:
  CallRecording recording;
};

// Calls of a program at random, each after those that it conflicts with: by waiting for them in the
// queue, or on the host. What is in memory follows from that alone.
class RandomProgram {
 public:
  RandomProgram(std::uint32_t seed, CallRecording& recording, ToyApi& first, ToyApi& second)
      : random_(seed), recording_(recording) {
    for (ToyApi* api : {&first, &second}) {
      for (const bool in_order : {true, false})
        queues_.push_back({api, api->queue(in_order, in_order ? "in order" : "without order")});
      for (int i = 0; i < 3; ++i)
        buffers_.push_back({api, api->buffer(buffer_bytes, "b" + std::to_string(i)), {}});
    }
  }
  ~RandomProgram() {
    for (const auto& [api, event] : events_) api->release(capture::HandleKind::completion, event);
  }

  void step() {
    const Queue& queue = queues_[random_() % queues_.size()];
    Buffer& target = buffer_of(queue.api);
    Buffer& source = buffer_of(queue.api);
    const std::uint64_t size = 4 * (1 + random_() % (buffer_bytes / 8));
    const auto range = [&](Buffer& buffer) {
      return Range{buffer.made.get(), 4 * (random_() % ((buffer_bytes - size) / 4 + 1)), size};
    };
    ToyWork work;
    const std::uint32_t choice = random_() % 8;
    work.is_refused = random_() % 12 == 0;
    if (choice < 3) {
      work.kind = WorkKind::fill;
      work.pattern = random_();
      work.target = range(target);
    } else if (choice < 5 && &source != &target) {
      work.kind = WorkKind::copy;
      work.source = range(source);
      work.target = range(target);
    } else if (choice < 7) {
      work.kind = WorkKind::write;
      work.target = range(target);
      // Bytes of the other API, by way of the host: only the host puts the two in order.
      work.data = host_has_.size() >= size && random_() % 2 ? host_has_ : std::vector<std::byte>{};
      work.data.resize(size, std::byte(random_()));
    } else {
      take_to_host(queue, source, range(source));
      return;
    }
    give_it(queue, work);
  }

  // What each buffer holds in the end.
  void finish() {
    for (const auto& [api, event] : events_) host_waits(recording_, *api, event);
  }
  struct Buffer {
    ToyApi* api;
    std::shared_ptr<ToyBuffer> made;
    std::vector<ToyEvent*> users;  // that nobody waited for
  };
  const std::vector<Buffer>& buffers() const { return buffers_; }
  // Pairs of commands of which the first is done before the second begins, because the program
  // waited for it.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& required() const { return required_; }
  std::uint32_t refused() const { return refused_; }

 private:
  struct Queue {
    ToyApi* api;
    std::shared_ptr<ToyQueue> made;
  };

  Buffer& buffer_of(const ToyApi* api) {
    for (;;)
      if (Buffer& one = buffers_[random_() % buffers_.size()]; one.api == api) return one;
  }
  Buffer& buffer_at(const Range& range) {
    for (Buffer& one : buffers_)
      if (one.made.get() == range.storage) return one;
    std::abort();
  }

  ToyEvent* give_it(const Queue& queue, const ToyWork& work) {
    std::vector<ToyEvent*> waits;
    std::vector<Buffer*> used;
    for (const Range& range : {work.source, work.target})
      if (range.storage) used.push_back(&buffer_at(range));
    for (const Buffer* buffer : used)
      waits.insert(waits.end(), buffer->users.begin(), buffer->users.end());
    if (random_() % 4 == 0) {
      for (ToyEvent* one : waits) host_waits(recording_, *queue.api, one);
      for (ToyEvent* one : waits) host_saw_.insert(one->recorded.command);
      if (random_() % 2) waits.clear();
    }
    ToyEvent* event = give(recording_, *queue.api, *queue.made, waits, work);
    if (!event) {
      ++refused_;
      return nullptr;
    }
    events_.emplace_back(queue.api, event);
    for (const ToyEvent* one : waits)
      required_.emplace_back(one->recorded.command, event->recorded.command);
    for (const std::uint32_t seen : host_saw_)
      required_.emplace_back(seen, event->recorded.command);
    for (Buffer* buffer : used) buffer->users = {event};
    // Two buffers, and one command that is the last of both: who uses either waits for it.
    return event;
  }

  void take_to_host(const Queue& queue, Buffer& from, const Range& range) {
    ToyWork work;
    work.kind = WorkKind::read;
    work.source = range;
    ToyEvent* event = give_it(queue, work);
    if (!event) return;
    host_waits(recording_, *queue.api, event);
    host_saw_.insert(event->recorded.command);
    const auto* begin = from.made->bytes.data() + range.offset_bytes;
    host_has_.assign(begin, begin + range.size_bytes);
    const capture::WorkArgument found{ArgumentKind::buffer, Access::read, range};
    capture::BoxSource bytes(host_has_.data(), capture::line(host_has_.size()));
    recording_.found(event->recorded.command, {&found, 1}, bytes);
  }

  std::minstd_rand random_;
  CallRecording& recording_;
  std::vector<Queue> queues_;
  std::vector<Buffer> buffers_;
  std::vector<std::pair<ToyApi*, ToyEvent*>> events_;
  std::vector<std::byte> host_has_;
  std::set<std::uint32_t> host_saw_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> required_;
  std::uint32_t refused_ = 0;
};

// Every command that is done before `command` begins, as the document tells it.
std::vector<std::set<std::uint32_t>> orders_of(const Trace& trace) {
  std::vector<std::set<std::uint32_t>> before(trace.commands().size());
  std::map<std::uint32_t, std::uint32_t> last;  // by stream
  for (std::uint32_t c = 0; c < before.size(); ++c) {
    const auto comes_after = [&](std::uint32_t earlier) {
      before[c].insert(earlier);
      before[c].insert(before[earlier].begin(), before[earlier].end());
    };
    for (const TraceOrder& order : trace.orders())
      if (order.command == c) comes_after(order.after);
    const std::uint32_t stream = trace.commands()[c].stream;
    if (last.contains(stream)) comes_after(last[stream]);
    last[stream] = c;
  }
  return before;
}

TEST(SeveralApis, AreOneDocumentThatReplaysToTheSameBytes) {
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    // The drivers outlive the recording, whose last reads they may still have.
    ToyApi first({.name = "first", .tells = seed % 2 == 0, .seed = seed});
    ToyApi second({.name = "second", .tells = seed % 3 == 0, .has_clock = true, .seed = seed + 99});
    Recorded recorded(seed % 4 == 0 ? Contents::all : Contents::inputs);
    RandomProgram program(seed, recorded.recording, first, second);
    for (int i = 0; i < 120; ++i) program.step();
    program.finish();
    const Trace trace = recorded.end();

    ASSERT_EQ(trace.devices().size(), 2u);
    EXPECT_EQ(std::set<std::string>({trace.devices()[0].backend, trace.devices()[1].backend}),
              std::set<std::string>({"first", "second"}));
    for (const TraceDevice& device : trace.devices())
      EXPECT_TRUE(device.clock_error_ns.has_value()) << device.backend;
    const auto before = orders_of(trace);
    for (const auto& [earlier, later] : program.required())
      EXPECT_TRUE(before[later].contains(earlier)) << "c" << later << " after c" << earlier;
    // Nothing is on two streams, and each stream is its device's.
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
      for (const TraceArgument& argument : trace.arguments(trace.work_of(trace.commands()[c])))
        EXPECT_EQ(trace.buffers()[argument.buffer].device,
                  trace.streams()[trace.commands()[c].stream].device);

    for (const auto& buffer : program.buffers()) {
      std::uint32_t index = no_index;
      for (std::uint32_t i = 0; i < trace.buffers().size(); ++i)
        if (trace.buffers()[i].id == buffer.made->id) index = i;
      if (index == no_index) continue;  // that nobody used
      const auto last = static_cast<std::uint32_t>(trace.commands().size() - 1);
      const auto value = BufferValue(trace, index, last).read(0, buffer_bytes);
      std::vector<std::byte> known = buffer.made->bytes;
      for (const ByteSpan& span : value.unknown)
        std::fill(known.begin() + span.begin, known.begin() + span.end, std::byte{0});
      EXPECT_EQ(value.bytes, known) << buffer.api->name() << " " << buffer.made->label;
    }

    for (const ReplayOrder order : {ReplayOrder::recorded, ReplayOrder::relaxed}) {
      const ReplayReport report = replay(trace, open_device("host"), {.order = order});
      EXPECT_EQ(report.verdict(), Verdict::equal) << to_string(order);
    }
    std::uint32_t refusals = 0;
    for (const TraceNote& note : trace.notes()) refusals += note.kind == "refused";
    EXPECT_EQ(refusals, program.refused());
  }
}

TEST(SeveralApis, NothingOfADriverIsHeldOnceTheCaptureEnded) {
  ToyApi first({.name = "first", .tells = true}), second({.name = "second", .tells = false});
  std::vector<std::shared_ptr<ToyQueue>> queues;
  {
    Recorded recorded(Contents::all);
    for (ToyApi* api : {&first, &second}) {
      queues.push_back(api->queue(true, ""));
      const auto buffer = api->buffer(buffer_bytes, "x");
      ToyWork work;
      work.kind = WorkKind::fill;
      work.target = {buffer.get(), 0, buffer_bytes};
      for (int i = 0; i < 40; ++i) {
        ToyEvent* event = give(recorded.recording, *api, *queues.back(), {}, work);
        api->release(capture::HandleKind::completion, event);
      }
      recorded.recording.freed(*buffer);
      EXPECT_EQ(queues.back()->holds.load(), 1);
      api->finish(queues.back().get());
    }
    static_cast<void>(recorded.end());
    EXPECT_TRUE(recorded.recording.may_be_destroyed());
  }
  for (const auto& queue : queues) EXPECT_EQ(queue->holds.load(), 0);
  // A driver gives its own reference back once it has told that it is done.
  for (const ToyApi* api : {&first, &second}) {
    for (int i = 0; i < 5000 && api->living_events() > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(api->living_events(), 0) << api->name();
  }
}

TEST(SeveralApis, ADriverThatIsHeldUpLosesOnlyItsOwnResults) {
  ToyApi first({.name = "first"}), second({.name = "second", .tells = false});
  // Leaked with what a driver still reads into, as a session does.
  auto& recorded = *new Recorded(Contents::all);
  std::vector<ToyEvent*> events;
  std::vector<std::shared_ptr<ToyBuffer>> buffers;
  std::vector<std::shared_ptr<ToyQueue>> queues;
  second.hold_up(true);
  for (ToyApi* api : {&first, &second}) {
    buffers.push_back(api->buffer(buffer_bytes, "x"));
    ToyWork work;
    work.kind = WorkKind::fill;
    work.target = {buffers.back().get(), 0, buffer_bytes};
    queues.push_back(api->queue(true, ""));
    events.push_back(give(recorded.recording, *api, *queues.back(), {}, work));
  }
  host_waits(recorded.recording, first, events[0]);
  const CaptureReport report = recorded.recording.end(std::chrono::milliseconds(20));
  EXPECT_EQ(report.lost, "");
  EXPECT_FALSE(recorded.recording.may_be_destroyed());
  const Trace trace = Trace::load(report.path);
  EXPECT_EQ(trace.commands().size(), 2u);
  std::vector<std::string> kinds;
  for (const TraceNote& note : trace.notes()) kinds.push_back(note.kind);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "unfinished"), 1);
  EXPECT_EQ(contents_of(trace, ContentRole::check).size(), 1u);
  second.hold_up(false);
  second.finish(queues[1].get());  // which has the buffer until then
  first.release(capture::HandleKind::completion, events[0]);
  second.release(capture::HandleKind::completion, events[1]);
}

}  // namespace
}  // namespace reel::test
