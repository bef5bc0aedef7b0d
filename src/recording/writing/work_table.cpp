#include "recording/writing/work_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace reel::capture {

namespace {
constexpr std::size_t first_slots = 1u << 10;
// 4 MB, half of it used. With 12 MB each look missed the processor's caches, which took an eighth
// of all CPU time of a program whose arguments are new each time.
constexpr std::size_t most_slots = 1u << 18;
// 128 KB, which stay in the caches. With 4 MB a look still missed them: 100 ns for each command.
constexpr std::size_t few_slots = 1u << 13;
// One work in 64 is a sample. So many that come again after they were forgotten, and there is more
// room from then on.
constexpr std::uint64_t sampled_of = 64;
constexpr std::size_t sample_places = 1u << 13;
constexpr std::uint32_t most_forgotten = 4;
}  // namespace

// Where it is, or where it belongs.
template <class IsOf>
WorkTable::Slot& WorkTable::slot_of(std::uint64_t low, IsOf&& is_of) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = low & mask;
  while (slots_[i].number != no_index && !is_of(slots_[i])) i = (i + 1) & mask;
  return slots_[i];
}

std::uint32_t WorkTable::number_of(const PackedCommand& command,
                                   document::DocumentWriter& document) {
  return number_at(hash128(command.what()), command, document);
}

std::uint32_t WorkTable::number_of(const PackedCommand& command, const Hash128& without_values,
                                   document::DocumentWriter& document) {
  std::array<std::byte, 240> key;  // up to which the hash is at its fastest
  if (command.value_bytes > key.size() - sizeof without_values) return number_of(command, document);
  std::memcpy(key.data(), &without_values, sizeof without_values);
  std::memcpy(key.data() + sizeof without_values, command.values(), command.value_bytes);
  const std::size_t size = sizeof without_values + command.value_bytes;
  return number_at(hash128(std::span(key).first(size)), command, document);
}

std::uint32_t WorkTable::number_at(const Hash128& hash, const PackedCommand& command,
                                   document::DocumentWriter& document) {
  if (hash == last_ && last_number_ != no_index) return last_number_;
  if (used_ * 2 >= slots_.size()) make_room();
  Slot& slot = slot_of(hash.low, [&](const Slot& one) { return one.is_of(hash); });
  if (slot.number == no_index) {
    slot = Slot(hash, write(command, document));
    ++used_;
    if (hash.high % sampled_of == 0) look_for_forgotten(hash);
  } else {
    is_found_ = true;
  }
  last_ = hash;
  return last_number_ = slot.number;
}

void WorkTable::look_for_forgotten(const Hash128& hash) {
  sampled_.resize(sample_places);
  std::uint64_t& place = sampled_[hash.low % sample_places];
  if (place == hash.low) ++forgotten_;
  place = hash.low;
}

void WorkTable::make_room() {
  const bool is_worth_room =
      forgotten_ >= most_forgotten && (slots_.size() < most_slots || is_found_);
  const std::size_t most = is_worth_room ? most_slots : few_slots;
  if (slots_.size() >= most) {
    if (!is_worth_room) forgotten_ = 0;
    slots_.assign(most, Slot{});
    used_ = 0;
    is_found_ = false;
    return;
  }
  std::vector<Slot> old(std::max(first_slots, 2 * slots_.size()));
  slots_.swap(old);
  for (const Slot& slot : old)
    if (slot.number != no_index) slot_of(slot.low, [](const Slot&) { return false; }) = slot;
}

std::uint32_t WorkTable::scope_text(const void* scope, document::DocumentWriter& document) {
  if (!scope) return 0;
  const auto [it, is_new] = scopes_.try_emplace(scope, 0);
  if (is_new) it->second = document.text(*static_cast<const std::string*>(scope));
  return it->second;
}

std::uint32_t WorkTable::label_text(std::string_view label, document::DocumentWriter& document) {
  if (label != last_label_) {
    last_label_number_ = document.text(label);
    last_label_ = label;
  }
  return last_label_number_;
}

std::uint32_t WorkTable::write(const PackedCommand& command, document::DocumentWriter& document) {
  document::WorkRow row{command.work};
  row.label = label_text(command.label(), document);
  row.scope = scope_text(command.scope, document);
  row.arguments = {command.arguments(), command.work.argument_count};
  row.values = {command.values(), command.value_bytes};
  return document.add(row);
}

}  // namespace reel::capture
