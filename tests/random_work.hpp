// random_work.hpp - a seeded sequence of commands on a few buffers, and what it must do.
//
// The same sequence is given to streams, sessions, captures and graphs; the reference runs it on
// plain memory, one command after another. A missing hazard, a wrong range or a stale argument
// anywhere shows as a byte that differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reel/reel.hpp"

namespace reel::test {

using Bytes = std::vector<std::byte>;

// Everything that a run can be seen to have done.
struct Outcome {
  std::vector<Bytes> buffers;
  std::vector<Bytes> reads;        // the target of each read
  std::vector<std::uint64_t> log;  // what host calls saw, in the order they ran
};
// Empty when equal; otherwise where they part first, in words.
std::string difference(const Outcome& expected, const Outcome& found);

struct WorkKernels {
  Kernel mad, mix, reverse;
};

struct WorkOptions {
  std::size_t commands = 60;
  std::uint64_t slot_bytes = 256;  // kernels work on whole slots; everything else on any bytes
  bool host_calls = true;
  std::uint32_t kinds_seed = 0;  // 0: the seed; the same one gives the same kinds in the same order
};

class RandomWork {
 public:
  RandomWork(const Device& device, const WorkKernels& kernels, std::uint32_t seed,
             const WorkOptions& options = {});

  std::size_t size() const { return commands_.size(); }

  // To a Stream or a GraphSession.
  template <class Line>
  void give(Line& line, std::size_t index);
  template <class Line>
  void give_all(Line& line) {
    for (std::size_t i = 0; i < size(); ++i) give(line, i);
  }
  NodeId add(Graph& graph, std::size_t index);

  // The same commands on the same buffers, with other values; this many of a hundred ranges lie
  // elsewhere. Each time from the commands as they were made.
  void vary(std::uint32_t seed, std::uint32_t percent_of_ranges);

  // The initial bytes back into the buffers; nothing read, nothing logged.
  void reset();
  // What the device's buffers and the host hold now. Waits for the device.
  Outcome outcome() const;
  // What the commands do in this order, `times` over, from the initial bytes.
  Outcome reference(const std::vector<std::size_t>& order, int times = 1) const;
  Outcome reference(int times = 1) const;

 private:
  struct Range {
    std::size_t buffer;
    std::uint64_t offset, size;
  };
  struct Mad {
    Range target;
    std::uint32_t a, b;
  };
  struct Mix {
    Range p, q, target;
    std::uint32_t k;
  };
  struct Reverse {
    Range source, target;
  };
  struct Move {
    Range source, target;
  };
  struct Set {
    Range target;
    std::uint8_t value;
  };
  struct Put {
    Range target;
    Bytes data;
  };
  struct Get {
    Range source;
    std::size_t read;
  };
  struct Look {  // a host call that logs a hash of what a read got
    std::size_t read;
  };
  struct Fence {};
  using One = std::variant<Mad, Mix, Reverse, Move, Set, Put, Get, Look, Fence>;

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  Range slots(std::uint64_t count);
  Range any_bytes(std::uint64_t size);
  Range slots_apart_from(std::uint64_t count, std::initializer_list<Range> others);
  One choose(const WorkOptions& options);
  void move(Range& range, std::uint64_t step);
  void run(const One& command, Outcome& memory) const;

  BufferRange on_device(const Range& range) const {
    return buffers_[range.buffer].range(range.offset, range.size);
  }
  std::span<std::byte> target_of(std::size_t read) { return reads_[read]; }
  std::function<void()> look(std::size_t read);

  WorkKernels kernels_;
  std::mt19937 random_, kinds_;
  std::uint64_t slot_bytes_;
  std::vector<Buffer> buffers_;
  std::vector<Bytes> initial_;
  std::vector<One> commands_, made_;
  std::vector<Bytes> reads_;
  std::vector<std::uint64_t> log_;
};

template <class Line>
void RandomWork::give(Line& line, std::size_t index) {
  const auto over_words = [](const Range& range) {
    return Launch{.groups = {range.size / 256}, .group_size = {64}};
  };
  const auto words_of = [](const Range& range) {
    return static_cast<std::uint32_t>(range.size / 4);
  };
  std::visit(overloaded{
                 [&](const Mad& c) {
                   line.dispatch(kernels_.mad, over_words(c.target), inout(on_device(c.target)),
                                 c.a, c.b, words_of(c.target));
                 },
                 [&](const Mix& c) {
                   line.dispatch(kernels_.mix, over_words(c.target), in(on_device(c.p)),
                                 in(on_device(c.q)), out(on_device(c.target)), c.k,
                                 words_of(c.target));
                 },
                 [&](const Reverse& c) {
                   line.dispatch(kernels_.reverse, over_words(c.target), in(on_device(c.source)),
                                 out(on_device(c.target)), shared(256));
                 },
                 [&](const Move& c) { line.copy(on_device(c.target), on_device(c.source)); },
                 [&](const Set& c) { line.fill(on_device(c.target), c.value); },
                 [&](const Put& c) {
                   line.write(on_device(c.target), std::span<const std::byte>(c.data));
                 },
                 [&](const Get& c) { line.read(on_device(c.source), target_of(c.read)); },
                 [&](const Look& c) { line.host_call(look(c.read)); },
                 [&](const Fence&) { line.barrier(); },
             },
             commands_[index]);
}

}  // namespace reel::test
