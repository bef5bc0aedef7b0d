#include "recording/calls/call_work.hpp"

#include <algorithm>
#include <map>

#include "base/range_set.hpp"

namespace reel::capture {

std::vector<Piece> pieces_of(std::span<const WorkArgument> arguments) {
  std::vector<Piece> pieces;
  for (const WorkArgument& argument : arguments)
    if (argument.is_bytes())
      pieces.push_back(
          {argument.range.storage, argument.range.offset_bytes, argument.range.size_bytes});
  return pieces;
}

void CallWork::clear() {
  row = {};
  row.kind = WorkKind::barrier;
  label = {};
  kernel = nullptr;
  arguments.clear();
  values.clear();
  waits_for_all = holds_back_later = false;
  kernel_version = kernel_shape = 0;
  why_not_again = nullptr;
  is_appended = has_other_values = false;
}

void CallWork::add_value(ArgumentKind argument_kind, std::span<const std::byte> bytes,
                         std::size_t size_bytes) {
  arguments.push_back({argument_kind, Access::read, {}, size_bytes, nullptr});
  const std::size_t end = values.size() + size_bytes;
  bytes = bytes.first(std::min(bytes.size(), size_bytes));
  values.insert(values.end(), bytes.begin(), bytes.end());
  values.resize(end);
}

std::vector<std::vector<Piece>> results_of(std::span<const BufferedWork> nodes) {
  std::vector<std::vector<Piece>> results(nodes.size());
  std::map<const BufferResource*, RangeSet> later;
  for (std::size_t i = nodes.size(); i-- > 0;)
    for (const WorkArgument& argument : nodes[i].work.arguments) {
      if (!argument.is_written()) continue;
      const Range& range = argument.range;
      RangeSet& written = later[range.storage];
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      if (argument.is_bytes() && nodes[i].work.row.kind != WorkKind::write)
        written.for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t last) {
          results[i].push_back({range.storage, first, last - first});
        });
      written.add(begin, end);
    }
  return results;
}

}  // namespace reel::capture
