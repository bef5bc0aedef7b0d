// work_table.hpp - finds the number of work that was written before.
//
// Bounded: it forgets all when it is full, and what comes again gets a new number. A document
// with two numbers for one work is still right. It stays small until work comes again that it has
// forgotten: a program whose arguments are new each time never asks for what was before.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "document/document_writer.hpp"
#include "recording/writing/packed_command.hpp"

namespace reel::capture {

class WorkTable {
 public:
  std::uint32_t number_of(const PackedCommand& command, document::DocumentWriter& document);
  // The same where the hash of all but its values is known, which is most of the work. What is
  // asked for in both ways has a number for each.
  std::uint32_t number_of(const PackedCommand& command, const Hash128& without_values,
                          document::DocumentWriter& document);

 private:
  std::uint32_t number_at(const Hash128& hash, const PackedCommand& command,
                          document::DocumentWriter& document);
  // Four to a cache line, with 96 bits of the hash.
  struct Slot {
    Slot() = default;
    Slot(const Hash128& hash, std::uint32_t given)
        : low(hash.low), high(static_cast<std::uint32_t>(hash.high)), number(given) {}
    bool is_of(const Hash128& hash) const noexcept {
      return low == hash.low && high == static_cast<std::uint32_t>(hash.high);
    }
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t number = no_index;  // none: the slot is free
  };
  template <class IsOf>
  Slot& slot_of(std::uint64_t low, IsOf&& is_of);
  void make_room();
  void look_for_forgotten(const Hash128& hash);
  std::uint32_t write(const PackedCommand& command, document::DocumentWriter& document);
  std::uint32_t scope_text(const void* scope, document::DocumentWriter& document);
  std::uint32_t label_text(std::string_view label, document::DocumentWriter& document);

  // In one piece: a program whose arguments are new each time takes a slot for each command.
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  // Some of the works that were written, each at its place: what is found here and not above was
  // forgotten.
  std::vector<std::uint64_t> sampled_;
  std::uint32_t forgotten_ = 0;  // of those that came again
  bool is_found_ = false;        // any, since it last was full
  std::unordered_map<const void*, std::uint32_t> scopes_;
  Hash128 last_{};  // a loop gives the same again
  std::uint32_t last_number_ = no_index;
  std::string last_label_;
  std::uint32_t last_label_number_ = 0;  // of the empty one
};

}  // namespace reel::capture
