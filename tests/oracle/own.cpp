// own.cpp - runs a program of steps on Reel's own API, and prints what it read.
//
// A queue is a stream, or the stream of an executor. ORACLE_DOCUMENT says where its step `capture
// start` captures to, with ORACLE_CONTENTS; without, captures are left out, and the program is as
// good as bare.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "own_kernels.hpp"
#include "reel/capture.hpp"
#include "reel/executor.hpp"
#include "reel/reel.hpp"
#include "reel/stream_capture.hpp"
#include "steps.hpp"

namespace {

using namespace oracle;

struct Memory {
  reel::Buffer buffer;
  std::uint64_t first = 0, count = 0;
};

struct Queue {
  reel::Stream stream;
  std::optional<reel::GraphExecutor> executor;
};

constexpr std::size_t slots = 4096;

// Lives until the process is gone: programs leave with work under way.
struct World {
  World(std::size_t steps, const std::string& selector)
      : said(steps), kept(steps), device(reel::open_device(selector)) {
    for (const reel::KernelSource& source : own_kernels())
      kernels[source.name.substr(7)] = device.kernel(source);
    for (reel::Stream& stream : callbacks) stream = device.stream("callbacks");
  }

  Said said;
  Flags flags;
  std::vector<std::vector<std::uint32_t>> kept;
  reel::Device device;
  std::map<std::string, reel::Kernel> kernels;
  Queue queues[64];
  reel::Stream callbacks[16];  // by thread
  Memory memories[slots];
  reel::Event events[slots];
  reel::GraphExec execs[slots];
};

World* world = nullptr;

reel::BufferRange range(const Memory& memory, std::uint64_t first, std::uint64_t count) {
  return memory.buffer.elements<std::uint32_t>(memory.first + first, count);
}

std::vector<std::uint32_t>& kept(const Step& step) { return world->kept[step.number]; }

// --- one operation, on a stream, a session, a graph or a capture of a stream
// -----------------------

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream from(line);
  std::vector<std::string> words;
  for (std::string word; from >> word;) words.push_back(word);
  return words;
}

std::uint64_t at(const std::vector<std::string>& words, std::size_t i) {
  return std::stoull(words.at(i));
}

const Memory& memory_at(const std::vector<std::string>& words, std::size_t i) {
  return world->memories[at(words, i)];
}

std::vector<reel::Argument> arguments_of(const std::vector<std::string>& words, std::size_t from,
                                         std::uint32_t items) {
  std::vector<reel::Argument> arguments;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::uint64_t value = std::stoull(words[i].substr(1));
    if (words[i][0] == 'v') {
      arguments.emplace_back(static_cast<std::uint32_t>(value));
      continue;
    }
    const Memory& memory = world->memories[value];
    const reel::BufferRange all = range(memory, 0, memory.count);
    if (words[i][0] == 'r') arguments.emplace_back(reel::in(all));
    if (words[i][0] == 'w') arguments.emplace_back(reel::out(all));
    if (words[i][0] == 'u') arguments.emplace_back(reel::inout(all));
  }
  arguments.emplace_back(items);
  return arguments;
}

reel::Launch launch_over(std::uint32_t items) {
  return {.groups = {(items + 63) / 64}, .group_size = {64}};
}

std::vector<std::uint32_t> data_of(const std::vector<std::string>& words) {
  return patterns(static_cast<std::uint32_t>(at(words, 4)), at(words, 3));
}

// run kernel items arguments… | copy source first to at count | fill memory first count byte |
// write memory first count seed
template <class Target>
void give(Target& target, const std::vector<std::string>& words) {
  constexpr bool is_graph = std::is_same_v<Target, reel::Graph>;
  if (words[0] == "run") {
    const auto items = static_cast<std::uint32_t>(at(words, 2));
    const std::vector<reel::Argument> list = arguments_of(words, 3, items);
    const reel::Kernel& kernel = world->kernels.at(words[1]);
    if constexpr (is_graph)
      target.add_dispatch(kernel, launch_over(items), std::span<const reel::Argument>(list));
    else
      target.dispatch(kernel, launch_over(items), std::span<const reel::Argument>(list));
  } else if (words[0] == "copy") {
    const reel::BufferRange from = range(memory_at(words, 1), at(words, 2), at(words, 5));
    const reel::BufferRange to = range(memory_at(words, 3), at(words, 4), at(words, 5));
    if constexpr (is_graph)
      target.add_copy(to, from);
    else
      target.copy(to, from);
  } else if (words[0] == "fill") {
    const reel::BufferRange to = range(memory_at(words, 1), at(words, 2), at(words, 3));
    const auto byte = static_cast<std::uint8_t>(at(words, 4));
    if constexpr (is_graph)
      target.add_fill(to, byte);
    else
      target.fill(to, byte);
  } else if (words[0] == "write") {
    const std::vector<std::uint32_t> data = data_of(words);
    const auto bytes = std::as_bytes(std::span(data));
    const reel::BufferRange to = range(memory_at(words, 1), at(words, 2), at(words, 3));
    if constexpr (is_graph)
      target.add_write(to, bytes);
    else
      target.write(to, bytes);
  } else if (words[0] == "call") {
    if constexpr (is_graph)
      target.add_host_call([] {});
    else
      target.host_call([] {});
  }
}

template <class Target>
void give_all(Target& target, const std::string& lines) {
  std::istringstream from(lines);
  for (std::string line; std::getline(from, line);) give(target, words_of(line));
}

// --- steps -----------------------------------------------------------------------------------

Queue& queue_at(const Step& step, std::size_t word) { return world->queues[step.number_at(word)]; }

void waits_of(const Step& step, const reel::Stream& stream) {
  for (const int event : step.list("wait")) stream.wait(world->events[event]);
}

void event_of(const Step& step, const reel::Stream& stream) {
  if (!step.has("event")) return;
  reel::Event& event = world->events[step.option("event", 0)];
  event = world->device.event();
  stream.record(event);
}

void make_queue(const Step& step) {
  Queue& queue = queue_at(step, 0);
  if (step.words.size() > 1 && step.word(1) == "executor") {
    queue.executor.emplace(world->device);
    queue.stream = queue.executor->stream();
  } else {
    queue.stream = world->device.stream("stream" + step.word(0));
  }
}

void make_buffer(const Step& step) {
  const auto count = static_cast<std::uint64_t>(step.number_at(1));
  Memory& memory = world->memories[step.number_at(0)];
  const std::string label = "m" + step.word(0);
  const bool is_mapped = step.words.size() > 2 && step.word(2) == "mapped";
  memory = {is_mapped ? world->device.host_visible_buffer(count * 4, label)
                      : world->device.buffer(count * 4, label),
            0, count};
  if (step.has("seed"))
    memory.buffer.write(patterns(static_cast<std::uint32_t>(step.option("seed", 0)), count));
}

void make_part(const Step& step) {
  const Memory& parent = world->memories[step.number_at(1)];
  world->memories[step.number_at(0)] = {
      parent.buffer, parent.first + static_cast<std::uint64_t>(step.number_at(2)),
      static_cast<std::uint64_t>(step.number_at(3))};
}

// Words: memory, first, count. The host itself, by no call at all.
std::uint32_t* mapped_at(const Step& step) {
  const Memory& memory = world->memories[step.number_at(0)];
  return reinterpret_cast<std::uint32_t*>(memory.buffer.mapped().data()) + memory.first +
         step.number_at(1);
}

// Words: queue, then as give() has them.
void one_command(const Step& step) {
  const reel::Stream& stream = queue_at(step, 0).stream;
  waits_of(step, stream);
  std::vector<std::string> words{step.operation};
  words.insert(words.end(), step.words.begin() + 1, step.words.end());
  give(stream, words);
  event_of(step, stream);
  if (step.option("block", 0)) stream.synchronize();
}

// Words: queue, memory, first, count.
void read(const Step& step) {
  const reel::Stream& stream = queue_at(step, 0).stream;
  waits_of(step, stream);
  kept(step).assign(static_cast<std::size_t>(step.number_at(3)), 0xabababab);
  const reel::BufferRange from =
      range(world->memories[step.number_at(1)], static_cast<std::uint64_t>(step.number_at(2)),
            static_cast<std::uint64_t>(step.number_at(3)));
  const auto to = std::as_writable_bytes(std::span(kept(step)));
  if (step.option("block", 1)) {
    stream.read_now(from, to);
    world->said.say(step, digest(kept(step).data(), kept(step).size() * 4));
  } else {
    stream.read(from, to);
  }
  event_of(step, stream);
}

// Words: exec, then "added" or "captured"; the lines below are its commands.
void make_graph(const Step& step) {
  reel::Graph graph;
  if (step.word(1) == "captured") {
    const reel::Stream stream = world->device.stream("captured");
    auto capture = reel::StreamCapture::begin(stream, reel::CaptureMode::relaxed);
    give_all(stream, step.text);
    graph = capture.end();
  } else {
    give_all(graph, step.text);
  }
  world->execs[step.number_at(0)] = graph.instantiate(world->device);
}

void launch(const Step& step) {
  const reel::Stream& stream = queue_at(step, 0).stream;
  waits_of(step, stream);
  world->execs[step.number_at(1)].launch(stream);
  event_of(step, stream);
}

// Words: queue, "direct" or "recorded", "finish" or "commit"; the lines below are its commands.
void session(const Step& step) {
  Queue& queue = queue_at(step, 0);
  waits_of(step, queue.stream);
  reel::GraphSession pass =
      step.word(1) == "recorded" ? queue.executor->begin_recorded() : queue.executor->begin();
  give_all(pass, step.text);
  if (step.word(2) == "finish")
    pass.finish();
  else
    pass.commit();
  event_of(step, queue.stream);
}

void capture(const Step& step) {
  const char* path = std::getenv("ORACLE_DOCUMENT");
  if (!path) return;
  const char* contents = std::getenv("ORACLE_CONTENTS");
  reel::CaptureOptions options;
  if (contents && std::strcmp(contents, "all") == 0) options.contents = reel::Contents::all;
  if (contents && std::strcmp(contents, "hashes") == 0) options.contents = reel::Contents::hashes;
  if (step.word(0) == "start")
    reel::start_capture(path, options);
  else
    reel::stop_capture();
}

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(30)); }

const Operations operations = {
    {"queue", make_queue},
    {"buffer", make_buffer},
    {"part", make_part},
    {"run", one_command},
    {"copy", one_command},
    {"fill", one_command},
    {"write", one_command},
    {"call", one_command},
    {"read", read},
    {"poke",
     [](const Step& s) {
       const auto numbers = patterns(static_cast<std::uint32_t>(s.option("seed", 0)),
                                     static_cast<std::uint64_t>(s.number_at(2)));
       std::copy(numbers.begin(), numbers.end(), mapped_at(s));
     }},
    {"peek",
     [](const Step& s) {
       world->said.say(s, digest(mapped_at(s), static_cast<std::size_t>(s.number_at(2)) * 4));
     }},
    {"graph", make_graph},
    {"launch", launch},
    {"session", session},
    {"clone",
     [](const Step& s) { world->execs[s.number_at(0)] = world->execs[s.number_at(1)].clone(); }},
    {"bind",
     [](const Step& s) {
       world->execs[s.number_at(0)].bind("m" + s.word(1), world->memories[s.number_at(2)].buffer);
     }},
    {"show",
     [](const Step& s) {
       const std::vector<std::uint32_t>& numbers = world->kept[s.number_at(0)];
       world->said.say(s, digest(numbers.data(), numbers.size() * 4));
     }},
    {"waitfor",
     [](const Step& s) {
       for (const int event : s.list("wait")) world->events[event].synchronize();
     }},
    {"poll",
     [](const Step& s) {
       while (!world->events[s.number_at(0)].done()) nap();
     }},
    {"callback",
     [](const Step& s) {
       const auto flag = static_cast<std::size_t>(s.number_at(1));
       world->callbacks[s.thread].wait(world->events[s.number_at(0)]);
       world->callbacks[s.thread].host_call([flag] { world->flags.set(flag); });
       world->callbacks[s.thread].flush();
     }},
    {"relay",
     [](const Step& s) {
       queue_at(s, 1).stream.wait(world->events[s.number_at(0)]);
       queue_at(s, 1).stream.synchronize();
     }},
    {"signal", [](const Step& s) { world->flags.set(static_cast<std::size_t>(s.number_at(0))); }},
    {"await", [](const Step& s) { world->flags.await(static_cast<std::size_t>(s.number_at(0))); }},
    {"finish", [](const Step& s) { queue_at(s, 0).stream.synchronize(); }},
    {"flush", [](const Step& s) { queue_at(s, 0).stream.flush(); }},
    {"sleep",
     [](const Step& s) { std::this_thread::sleep_for(std::chrono::milliseconds(s.number_at(0))); }},
    {"release",
     [](const Step& s) {
       if (s.word(0) == "memory") world->memories[s.number_at(1)].buffer = {};
       if (s.word(0) == "event") world->events[s.number_at(1)] = {};
     }},
    {"capture", capture},
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "Usage: oracle_own DEVICE PROGRAM\n");
    return 2;
  }
  return run_program(
      words[2],
      [&](std::size_t steps) -> Said& {
        world = new World(steps, words[1]);
        return world->said;
      },
      [](const Step& step) {
        try {
          operate(operations, step);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "step %zu, %s: %s\n", step.number, step.operation.c_str(),
                       error.what());
          world->said.say(step, step.operation + " failed");
        }
      });
}
