// reading.hpp - bytes of a device on their way into memory of ours, and from there to the document.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "recording/memory_budget.hpp"
#include "reel/trace.hpp"

namespace reel::capture {

struct Reading {
  ContentRole role = ContentRole::check;
  std::uint32_t command = no_index, buffer = 0;
  std::uint64_t offset_bytes = 0;
  Block block;
  // Of an image that is read whole: offset and size of what is wanted of it. Else all is.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts = {};
  std::uint32_t final_check = no_index;  // of FinalChecks; none: nobody may spoil it
};

}  // namespace reel::capture
