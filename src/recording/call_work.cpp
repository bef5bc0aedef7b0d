#include "recording/call_work.hpp"

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
  kernel_version = 0;
  why_not_again = nullptr;
}

void CallWork::add_value(ArgumentKind argument_kind, std::span<const std::byte> bytes) {
  arguments.push_back({argument_kind, Access::read, {}, bytes.size(), nullptr});
  values.insert(values.end(), bytes.begin(), bytes.end());
}

}  // namespace reel::capture
