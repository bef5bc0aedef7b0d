// kept_works.hpp - what the last commands of a stream did: who does the same again says which of
// them it is, in place of telling it once more.
//
// Each is kept as the bytes that tell it (PackedCommand::what), at a place that follows from them,
// and the writer has its number under the same place. With the stream's lock held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "recording/writing/packed_command.hpp"

namespace reel::capture {

class KeptWorks {
 public:
  // Where this work belongs; no_index while it isn't worth a look, because nothing comes again.
  std::uint32_t place_of(const PackedCommand& command) noexcept {
    if (resting_ > 0) [[unlikely]] {
      --resting_;
      return no_index;
    }
    std::uint64_t sum = std::uint64_t{command.work.groups.x} << 32 | command.work.kernel;
    const TraceArgument* const arguments = command.arguments();
    for (std::uint32_t i = 0; i < command.work.argument_count; ++i)
      sum = sum * 0x100000001b3u + ((arguments[i].offset_bytes << 16) ^ arguments[i].buffer);
    return static_cast<std::uint32_t>((sum * 0x9e3779b97f4a7c15u) >> 32) % known_places;
  }

  // Is it there? From now on it is.
  bool has(std::uint32_t place, std::span<const std::byte> what) {
    std::vector<std::byte>& kept = works_[place];
    if (kept.size() == what.size() && std::memcmp(kept.data(), what.data(), what.size()) == 0) {
      in_vain_ = 0;
      return true;
    }
    if (++in_vain_ == most_in_vain) {
      in_vain_ = 0;
      resting_ = rest;
    }
    ++versions_[place];
    kept.assign(what.begin(), what.end());
    return false;
  }
  // Another one when another work is there.
  std::uint32_t version(std::uint32_t place) const noexcept { return versions_[place]; }

 private:
  // A program whose arguments are new each time would pay for each of its commands.
  static constexpr std::uint32_t most_in_vain = 4 * known_places, rest = 64 * known_places;

  std::array<std::vector<std::byte>, known_places> works_;
  std::array<std::uint32_t, known_places> versions_{};
  std::uint32_t in_vain_ = 0, resting_ = 0;  // looks since one was found; commands without a look
};

}  // namespace reel::capture
