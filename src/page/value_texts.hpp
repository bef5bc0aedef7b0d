// value_texts.hpp - value arguments as people read them, each text once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::page {

// Of all works, so that a work's first_argument is an index.
std::span<const TraceArgument> all_arguments(const Trace& trace);

class ValueTexts {
 public:
  explicit ValueTexts(const Trace& trace);
  // Of an argument of all_arguments(): an index in texts(); no_index where it is no value.
  std::uint32_t of(std::size_t argument) const { return indices_[argument]; }
  const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace reel::page
