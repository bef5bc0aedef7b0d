// writers.hpp - which command wrote a byte last, and as what type.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reel/replay.hpp"

namespace reel::rerun {

// Of the kernel's buffer parameter at this place among its buffers: SPIR-V doesn't tell how buffers
// and values are mixed.
std::optional<ElementType> buffer_element(const Trace& trace, std::uint32_t kernel,
                                          std::size_t place);

class Writers {
 public:
  explicit Writers(const Trace& trace);

  // The last command up to `until` that wrote some byte of the range; none: no recorded one did.
  std::uint32_t last(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
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
