#include "random_work.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

namespace reel::test {

namespace {

constexpr std::size_t buffer_count = 4;
constexpr std::uint64_t slots_per_buffer = 6;

std::uint64_t hash(const Bytes& bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::uint32_t load(const Bytes& memory, std::uint64_t offset) {
  std::uint32_t word;
  std::memcpy(&word, memory.data() + offset, 4);
  return word;
}

void store(Bytes& memory, std::uint64_t offset, std::uint32_t word) {
  std::memcpy(memory.data() + offset, &word, 4);
}

std::string first_difference(const std::vector<Bytes>& expected, const std::vector<Bytes>& found,
                             const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t at = 0; at < expected[i].size(); ++at)
      if (expected[i][at] != found[i][at])
        return std::string(what) + " " + std::to_string(i) + " of " +
               std::to_string(expected[i].size()) + " bytes differs first at byte " +
               std::to_string(at) + ": " + std::to_string(static_cast<int>(found[i][at])) +
               " found, " + std::to_string(static_cast<int>(expected[i][at])) + " expected";
  return {};
}

// Takes the calls of a stream; the nodes it adds are ordered by hazards alone.
struct ToGraph {
  Graph& graph;
  NodeId last{};

  template <class... A>
  void dispatch(const Kernel& kernel, const Launch& launch, const A&... arguments) {
    last = graph.add_dispatch(kernel, launch, arguments...);
  }
  void copy(BufferRange target, BufferRange source) { last = graph.add_copy(target, source); }
  void fill(BufferRange target, std::uint8_t value) { last = graph.add_fill(target, value); }
  void write(BufferRange target, std::span<const std::byte> data) {
    last = graph.add_write(target, data);
  }
  void read(BufferRange source, std::span<std::byte> target) {
    last = graph.add_read(source, target);
  }
  void host_call(std::function<void()> call) { last = graph.add_host_call(std::move(call)); }
  void barrier() { last = graph.add_barrier(); }
};

}  // namespace

std::string difference(const Outcome& expected, const Outcome& found) {
  if (auto said = first_difference(expected.buffers, found.buffers, "buffer"); !said.empty())
    return said;
  if (auto said = first_difference(expected.reads, found.reads, "read"); !said.empty()) return said;
  if (expected.log.size() != found.log.size())
    return std::to_string(found.log.size()) + " host calls ran, " +
           std::to_string(expected.log.size()) + " expected";
  for (std::size_t i = 0; i < expected.log.size(); ++i)
    if (expected.log[i] != found.log[i])
      return "host call " + std::to_string(i) + " saw other bytes than expected";
  return {};
}

RandomWork::RandomWork(const Device& device, const WorkKernels& kernels, std::uint32_t seed,
                       const WorkOptions& options)
    : kernels_(kernels),
      random_(seed),
      kinds_(options.kinds_seed ? options.kinds_seed : seed),
      slot_bytes_(
          std::max<std::uint64_t>(options.slot_bytes, device.info().binding_alignment_bytes)) {
  for (std::size_t i = 0; i < buffer_count; ++i) {
    Bytes bytes(slots_per_buffer * slot_bytes_);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(pick(256));
    buffers_.push_back(device.buffer(bytes.size(), "random " + std::to_string(i)));
    initial_.push_back(std::move(bytes));
  }
  for (std::size_t i = 0; i < options.commands; ++i) commands_.push_back(choose(options));
  made_ = commands_;
  reset();
}

RandomWork::Range RandomWork::slots(std::uint64_t count) {
  return {pick(buffer_count), pick(slots_per_buffer + 1 - count) * slot_bytes_,
          count * slot_bytes_};
}

RandomWork::Range RandomWork::any_bytes(std::uint64_t size) {
  return {pick(buffer_count), pick(slots_per_buffer * slot_bytes_ + 1 - size), size};
}

RandomWork::Range RandomWork::slots_apart_from(std::uint64_t count,
                                               std::initializer_list<Range> others) {
  for (;;) {
    const Range range = slots(count);
    if (std::none_of(others.begin(), others.end(), [&](const Range& other) {
          return other.buffer == range.buffer && other.offset < range.offset + range.size &&
                 range.offset < other.offset + other.size;
        }))
      return range;
  }
}

void RandomWork::move(Range& range, std::uint64_t step) {
  const std::uint64_t places = (slots_per_buffer * slot_bytes_ - range.size) / step + 1;
  range.offset = pick(places) * step;
}

void RandomWork::vary(std::uint32_t seed, std::uint32_t percent_of_ranges) {
  random_.seed(seed);
  commands_ = made_;
  const auto value = [&] { return static_cast<std::uint32_t>(random_()); };
  const auto moves = [&] { return pick(100) < percent_of_ranges; };
  const auto are_apart = [](const Range& a, const Range& b) {
    return a.buffer != b.buffer || a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
  };
  // A command whose target would lie on its source stays as it is.
  const auto move_apart = [&](Range& target, const Range& source, std::uint64_t step) {
    Range moved = target;
    move(moved, step);
    if (are_apart(moved, source)) target = moved;
  };
  for (One& one : commands_)
    std::visit(overloaded{
                   [&](Mad& c) {
                     c.a = value() | 1;
                     if (moves()) move(c.target, slot_bytes_);
                   },
                   [&](Mix& c) {
                     c.k = value() | 1;
                     if (moves() && are_apart(c.p, c.target))
                       move_apart(c.q, c.target, slot_bytes_);
                   },
                   [&](Reverse& c) {
                     if (moves()) move_apart(c.target, c.source, slot_bytes_);
                   },
                   [&](Move& c) {
                     if (moves()) move_apart(c.target, c.source, 1);
                   },
                   [&](Set& c) {
                     c.value = static_cast<std::uint8_t>(value());
                     if (moves()) move(c.target, 1);
                   },
                   [&](Put& c) {
                     c.data.front() = static_cast<std::byte>(value());
                     if (moves()) move(c.target, 1);
                   },
                   [&](Get& c) {
                     if (moves()) move(c.source, 1);
                   },
                   [](const Look&) {},
                   [](const Fence&) {},
               },
               one);
}

RandomWork::One RandomWork::choose(const WorkOptions& options) {
  const std::uint64_t count = 1 + pick(3);
  const std::uint64_t size = 1 + pick(2 * slot_bytes_);
  const auto value = static_cast<std::uint32_t>(random_());
  const std::uint64_t kind = kinds_() % 100;
  if (kind < 25) return Mad{slots(count), value | 1, static_cast<std::uint32_t>(random_())};
  if (kind < 45) {
    const Range p = slots(count), q = slots(count);
    return Mix{p, q, slots_apart_from(count, {p, q}), value | 1};
  }
  if (kind < 55) {
    const Range source = slots(count);
    return Reverse{source, slots_apart_from(count, {source})};
  }
  if (kind < 70)
    for (;;) {
      const Range source = any_bytes(size), target = any_bytes(size);
      if (source.buffer != target.buffer || source.offset + size <= target.offset ||
          target.offset + size <= source.offset)
        return Move{source, target};
    }
  if (kind < 80) return Set{any_bytes(size), static_cast<std::uint8_t>(value)};
  if (kind < 88) {
    Bytes data(size);
    for (std::byte& byte : data) byte = static_cast<std::byte>(pick(256));
    return Put{any_bytes(size), std::move(data)};
  }
  if (kind < 96) {
    reads_.emplace_back(size);
    return Get{any_bytes(size), reads_.size() - 1};
  }
  if (kind < 98 && options.host_calls && !reads_.empty()) return Look{pick(reads_.size())};
  return Fence{};
}

std::function<void()> RandomWork::look(std::size_t read) {
  return [this, read] { log_.push_back(hash(reads_[read])); };
}

NodeId RandomWork::add(Graph& graph, std::size_t index) {
  ToGraph line{graph};
  give(line, index);
  return line.last;
}

void RandomWork::reset() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].write_bytes(initial_[i]);
  for (Bytes& read : reads_) std::fill(read.begin(), read.end(), std::byte{0});
  log_.clear();
}

Outcome RandomWork::outcome() const {
  Outcome result;
  for (const Buffer& buffer : buffers_) {
    Bytes bytes(buffer.size_bytes());
    buffer.read_bytes(bytes);
    result.buffers.push_back(std::move(bytes));
  }
  result.reads = reads_;  // after the buffers: reading those waited for everything
  result.log = log_;
  return result;
}

Outcome RandomWork::reference(int times) const {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return reference(order, times);
}

Outcome RandomWork::reference(const std::vector<std::size_t>& order, int times) const {
  Outcome memory{.buffers = initial_, .reads = {}, .log = {}};
  for (const Bytes& read : reads_) memory.reads.emplace_back(read.size());
  for (int i = 0; i < times; ++i)
    for (const std::size_t index : order) run(commands_[index], memory);
  return memory;
}

void RandomWork::run(const One& command, Outcome& memory) const {
  const auto at = [&](const Range& range) {
    return memory.buffers[range.buffer].begin() + static_cast<std::ptrdiff_t>(range.offset);
  };
  const auto size = [](const Range& range) { return static_cast<std::ptrdiff_t>(range.size); };
  std::visit(overloaded{
                 [&](const Mad& c) {
                   Bytes& bytes = memory.buffers[c.target.buffer];
                   for (std::uint64_t i = c.target.offset; i < c.target.offset + c.target.size;
                        i += 4)
                     store(bytes, i, c.a * load(bytes, i) + c.b);
                 },
                 [&](const Mix& c) {
                   for (std::uint64_t i = 0; i < c.target.size; i += 4)
                     store(memory.buffers[c.target.buffer], c.target.offset + i,
                           c.k * load(memory.buffers[c.p.buffer], c.p.offset + i) +
                               load(memory.buffers[c.q.buffer], c.q.offset + i));
                 },
                 [&](const Reverse& c) {
                   for (std::uint64_t i = 0; i < c.target.size; i += 4)
                     store(memory.buffers[c.target.buffer], c.target.offset + i,
                           load(memory.buffers[c.source.buffer],
                                c.source.offset + i / 256 * 256 + (252 - i % 256)));
                 },
                 [&](const Move& c) { std::copy_n(at(c.source), size(c.source), at(c.target)); },
                 [&](const Set& c) {
                   std::fill_n(at(c.target), size(c.target), static_cast<std::byte>(c.value));
                 },
                 [&](const Put& c) { std::copy(c.data.begin(), c.data.end(), at(c.target)); },
                 [&](const Get& c) {
                   std::copy_n(at(c.source), size(c.source), memory.reads[c.read].begin());
                 },
                 [&](const Look& c) { memory.log.push_back(hash(memory.reads[c.read])); },
                 [](const Fence&) {},
             },
             command);
}

}  // namespace reel::test
