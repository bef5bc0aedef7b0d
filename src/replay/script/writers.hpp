// writers.hpp - which command wrote a byte last, and as what type.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reel/trace.hpp"
#include "replay/script/element_types.hpp"

namespace reel::rerun {

class Writers {
 public:
  Writers(const Trace& trace, const ElementTypes& types);

  // The last command up to `until` that wrote some byte of the range; none: no recorded one did.
  std::uint32_t last(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                     std::uint32_t until) const;
  // Of the commands up to `until` that wrote some byte of the range last, the earliest, and where
  // the first of its bytes is; none: no recorded one did.
  struct Earliest {
    std::uint32_t command = no_index;
    std::uint64_t offset_bytes = 0;
  };
  Earliest earliest(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                    std::uint32_t until) const;
  // What the kernel that wrote it last takes its elements for. Copies hand it on.
  std::optional<ElementType> type(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                                  std::uint32_t until) const;

 private:
  struct Write {
    std::uint32_t command;
    std::uint64_t begin, end;
    std::optional<ElementType> type;
    // Of a copy: where the bytes came from.
    std::uint32_t source = no_index;
    std::uint64_t source_begin = 0;
  };
  const Write* find(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                    std::uint32_t until) const;
  std::vector<std::vector<Write>> by_buffer_;  // each by command
};

}  // namespace reel::rerun
