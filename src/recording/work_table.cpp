#include "recording/work_table.hpp"

#include <string>

namespace reel::capture {

namespace {
constexpr std::size_t most_works = 1u << 18;  // some 12 MB
}

std::uint32_t WorkTable::number_of(const PackedCommand& command,
                                   document::DocumentWriter& document) {
  const auto* begin = reinterpret_cast<const std::byte*>(&command.work);
  const auto* end = reinterpret_cast<const std::byte*>(&command) + command.header.size_bytes;
  const Hash128 hash = hash128({begin, end});
  if (hash == last_ && last_number_ != no_index) return last_number_;
  if (numbers_.size() >= most_works) numbers_.clear();
  const auto [it, is_new] = numbers_.try_emplace(hash, no_index);
  if (is_new) it->second = write(command, document);
  last_ = hash;
  return last_number_ = it->second;
}

std::uint32_t WorkTable::scope_text(const void* scope, document::DocumentWriter& document) {
  if (!scope) return 0;
  const auto [it, is_new] = scopes_.try_emplace(scope, 0);
  if (is_new) it->second = document.text(*static_cast<const std::string*>(scope));
  return it->second;
}

std::uint32_t WorkTable::write(const PackedCommand& command, document::DocumentWriter& document) {
  const PackedWork& work = command.work;
  const auto* packed = reinterpret_cast<const PackedArgument*>(&command + 1);
  arguments_.clear();
  for (std::uint32_t i = 0; i < work.argument_count; ++i)
    arguments_.push_back({static_cast<ArgumentKind>(packed[i].kind_and_access & 0xff),
                          static_cast<Access>(packed[i].kind_and_access >> 8), packed[i].buffer,
                          packed[i].offset_bytes, packed[i].size_bytes, packed[i].view});
  const auto* values = reinterpret_cast<const std::byte*>(packed + work.argument_count);
  const auto* label = reinterpret_cast<const char*>(values + work.value_bytes);
  document::WorkRow row{};
  row.kind = static_cast<WorkKind>(work.kind);
  row.kernel = work.kernel;
  row.label = document.text({label, work.label_bytes});
  row.scope = scope_text(work.scope, document);
  row.groups = {work.groups[0], work.groups[1], work.groups[2]};
  row.group_size = {work.group_size[0], work.group_size[1], work.group_size[2]};
  row.offset = {work.offset[0], work.offset[1], work.offset[2]};
  row.items = {work.items[0], work.items[1], work.items[2]};
  row.dimensions = work.dimensions;
  row.pattern = work.pattern;
  row.arguments = arguments_;
  row.values = {values, work.value_bytes};
  return document.add(row);
}

}  // namespace reel::capture
