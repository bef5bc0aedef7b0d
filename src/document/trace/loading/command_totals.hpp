// command_totals.hpp - commands and stamps counted as they pass by, for who needs no list of them.
//
// Only where that gives the same as joining them would: each command and each stamp is there once,
// nothing was launched by a graph, and one clock runs as fast as the host's. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "reel/trace.hpp"

namespace reel::document {

// Numbers from 0 on, each of which should come once.
class SeenIds {
 public:
  void add(std::uint64_t id) {
    ++count_;
    if (id / 64 >= words_.size()) {
      if (id > most_id) {
        is_once_ = false;
        return;
      }
      words_.resize(std::max(id / 64 + 1, 2 * words_.size()));
    }
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    is_once_ = is_once_ && (words_[id / 64] & bit) == 0;
    words_[id / 64] |= bit;
    largest_ = std::max(largest_, id);
  }
  std::uint64_t count() const noexcept { return count_; }
  bool are_once_below(std::uint64_t end) const noexcept {
    return is_once_ && (count_ == 0 || largest_ < end);
  }

 private:
  static constexpr std::uint64_t most_id = 1u << 28;  // 32 MB of bits
  std::vector<std::uint64_t> words_;
  std::uint64_t count_ = 0, largest_ = 0;
  bool is_once_ = true;
};

class CommandTotals {
 public:
  void add_command(std::uint64_t id, std::uint64_t work, std::uint64_t stream, std::uint64_t launch,
                   std::uint64_t begin_ns, std::uint64_t end_ns) {
    ids_.add(id);
    count(works_, work);
    count(streams_, stream);
    is_plain_ = is_plain_ && launch == no_index && begin_ns <= end_ns;
    first_ns_ = std::min(first_ns_, begin_ns);
    last_ns_ = std::max(last_ns_, end_ns);
  }
  // Times of the device, in their order.
  void add_stamp(std::uint64_t command, std::uint64_t known, std::uint64_t queued,
                 std::uint64_t submitted, std::uint64_t started, std::uint64_t ended) {
    stamped_.add(command);
    const auto see = [&](unsigned bit, std::uint64_t time) {
      if (((known >> bit) & 1U) == 0) return;
      least_stamp_ = std::min(least_stamp_, time);
      most_stamp_ = std::max(most_stamp_, time);
    };
    see(0, queued);
    see(1, submitted);
    see(2, started);
    see(3, ended);
    if ((known & 12U) == 12U && ended > started) busy_ns_ += ended - started;
    if ((known & 8U) != 0) last_end_ = std::max(last_end_, ended);
  }
  void give_up() noexcept { is_plain_ = false; }

  // What only the whole document tells: told by TraceAssembler.
  std::array<std::uint64_t, static_cast<std::size_t>(WorkKind::unknown) + 1> by_kind{};
  std::uint64_t last_end_ns = 0;  // last_end() on the host's clock

  bool is_plain() const noexcept {
    return is_plain_ && ids_.are_once_below(ids_.count()) && stamped_.are_once_below(ids_.count());
  }
  std::uint64_t commands() const noexcept { return ids_.count(); }
  std::uint64_t stamps() const noexcept { return stamped_.count(); }
  const std::vector<std::uint64_t>& works() const noexcept { return works_; }  // by id: how many
  const std::vector<std::uint64_t>& streams() const noexcept { return streams_; }  // the same
  std::uint64_t first_ns() const noexcept { return first_ns_; }
  std::uint64_t last_ns() const noexcept { return last_ns_; }
  std::uint64_t busy_ns() const noexcept { return busy_ns_; }
  // The smallest and the largest of all, and of ends.
  std::uint64_t least_stamp() const noexcept { return least_stamp_; }
  std::uint64_t most_stamp() const noexcept { return most_stamp_; }
  std::uint64_t last_end() const noexcept { return last_end_; }

 private:
  void count(std::vector<std::uint64_t>& counts, std::uint64_t id) {
    constexpr std::uint64_t most_ids = 1u << 20;
    if (id >= counts.size()) {
      if (id >= most_ids) {
        is_plain_ = false;
        return;
      }
      counts.resize(id + 1);
    }
    ++counts[id];
  }

  bool is_plain_ = true;
  SeenIds ids_, stamped_;
  std::vector<std::uint64_t> works_, streams_;
  std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max(), last_ns_ = 0, busy_ns_ = 0;
  std::uint64_t least_stamp_ = std::numeric_limits<std::uint64_t>::max(), most_stamp_ = 0,
                last_end_ = 0;
};

}  // namespace reel::document
