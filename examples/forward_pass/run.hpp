// run.hpp - generates tokens in one of three modes, and measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoder.hpp"

namespace forward_pass {

enum class Mode : std::uint8_t {
  direct,    // every pass dispatched call by call
  recorded,  // every pass recorded, and run at its end
  graph,     // one pass recorded, then launched for every token
};
inline constexpr Mode all_modes[] = {Mode::direct, Mode::recorded, Mode::graph};
const char* to_string(Mode mode) noexcept;

struct Run {
  std::vector<std::uint32_t> tokens;
  std::vector<float> logits;    // of the last pass
  std::vector<double> pass_us;  // of every pass, until the device is done with it
  std::uint32_t prompt_rows =
      0;                 // tokens of the prompt that went through together, before the first pass
  double prompt_us = 0;  // for all of these
  std::size_t dispatches = 0, barriers = 0, barriers_avoided = 0;  // of a pass

  double median_us() const;  // of a pass
  double longest_us() const;
  // All tokens in the time of all passes: a few that were interrupted count in full, so it may be
  // much less than the median pass allows.
  double tokens_per_second() const;
  double prompt_tokens_per_second() const;  // 0 where there were none
};

// The tokens behind this prompt; the same in every mode. All of the prompt but its last token goes
// through in passes of Sizes::prompt_rows tokens, then every pass makes a token. Each kind of pass
// runs once before it is measured, which takes what drivers do at first use.
Run run(const reel::Device& device, const Decoder& decoder, const reel::ops::Ops& ops, Mode mode,
        std::span<const std::uint32_t> prompt);

}  // namespace forward_pass
