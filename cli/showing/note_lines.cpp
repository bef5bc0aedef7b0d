#include "cli/showing/note_lines.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "reel/units.hpp"

namespace reel::cli {

std::vector<std::string> note_lines(const std::vector<TraceNote>& notes) {
  constexpr std::size_t most = 3;
  std::set<std::string_view> seen;
  std::map<std::string_view, std::size_t> counts;
  std::vector<std::string> lines;
  for (const TraceNote& note : notes)
    if (seen.insert(note.text).second && ++counts[note.kind] <= most) lines.push_back(note.text);
  for (const auto& [kind, count] : counts)
    if (count > most)
      lines.push_back(fmt::format("{} more of the kind '{}': reel info --json has them all",
                                  count_text(count - most, "note"), kind));
  return lines;
}

}  // namespace reel::cli
