#include "add_one.hpp"

#include <fmt/format.h>

namespace bench {

std::string check_counters(std::span<const std::uint32_t> counters, const Case& work,
                           std::uint64_t passes) {
  const std::uint64_t increments = work.shape == Shape::chain ? passes * work.nodes : passes;
  const auto expected = static_cast<std::uint32_t>(increments);  // counters wrap, and so does this
  for (std::size_t i = 0; i < counters.size(); ++i)
    if (counters[i] != expected)
      return fmt::format("counter {} is {} after {} passes, expected {}", i, counters[i], passes,
                         expected);
  return {};
}

}  // namespace bench
