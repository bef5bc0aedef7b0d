// stream_clocks.hpp - how far each stream is known to be done; many such clocks, of many streams.
//
// A clock has a number for every stream. Clocks never change; a new one shares all that it has in
// common with those it was made from, so that a clock that differs in one stream costs a few dozen
// bytes, however many streams there are. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace reel::analysis {

class StreamClocks {
 public:
  using Clock = std::uint32_t;
  static constexpr Clock zero = 0;  // nothing is done of any stream

  explicit StreamClocks(std::size_t streams);

  std::uint32_t at(Clock clock, std::uint32_t stream) const noexcept;
  // The same, with at least `upto` for one stream.
  Clock with(Clock clock, std::uint32_t stream, std::uint32_t upto);
  // Of each stream the larger number.
  Clock join(Clock a, Clock b);

  std::uint64_t bytes() const noexcept { return nodes_.size() * sizeof(Node); }
  std::uint64_t visits() const noexcept { return visits_; }  // nodes that join() looked at

 private:
  static constexpr std::uint32_t fan_out_bits = 3, fan_out = 1u << fan_out_bits;
  struct Node {
    std::array<std::uint32_t, fan_out> parts{};  // nodes; of the lowest level, numbers
    std::uint32_t least = 0, most = 0;           // of all numbers below
  };
  Clock with(Clock clock, std::uint32_t level, std::uint32_t stream, std::uint32_t upto);
  Clock join(Clock a, Clock b, std::uint32_t level);
  Clock add(Node node, std::uint32_t level);
  static std::uint32_t place(std::uint32_t stream, std::uint32_t level) noexcept {
    return (stream >> (level * fan_out_bits)) % fan_out;
  }

  std::uint32_t top_ = 0;  // level of clocks
  std::uint64_t visits_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace reel::analysis
