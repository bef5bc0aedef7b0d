#include "replay/run/runner.hpp"

#include <algorithm>

namespace reel::rerun {

void look_at_pages(std::uint32_t contents, std::span<const std::byte> bytes, const Look& look) {
  for (std::uint64_t at = 0; at < bytes.size(); at += page_bytes)
    look(contents, static_cast<std::uint32_t>(at / page_bytes),
         bytes.subspan(at, std::min<std::size_t>(page_bytes, bytes.size() - at)));
}

void look_at_end(Stage& stage, const Look& look) {
  for (const std::uint32_t i : stage.script().at_end)
    stage.read(stage.trace().contents()[i],
               [&](std::uint32_t page, std::span<const std::byte> found) { look(i, page, found); });
}

}  // namespace reel::rerun
