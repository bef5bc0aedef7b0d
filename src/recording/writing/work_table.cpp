#include "recording/writing/work_table.hpp"

#include <string>

namespace reel::capture {

namespace {
constexpr std::size_t most_works = 1u << 18;  // some 12 MB
}

std::uint32_t WorkTable::number_of(const PackedCommand& command,
                                   document::DocumentWriter& document) {
  const Hash128 hash = hash128(command.what());
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
  document::WorkRow row{command.work};
  row.label = document.text(command.label());
  row.scope = scope_text(command.scope, document);
  row.arguments = {command.arguments(), command.work.argument_count};
  row.values = {command.values(), command.value_bytes};
  return document.add(row);
}

}  // namespace reel::capture
