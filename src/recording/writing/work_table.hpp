// work_table.hpp - finds the number of work that was written before.
//
// Bounded: it forgets all when it is full, and what comes again gets a new number. A document
// with two numbers for one work is still right.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/hash128.hpp"
#include "document/document_writer.hpp"
#include "recording/writing/packed_command.hpp"

namespace reel::capture {

class WorkTable {
 public:
  std::uint32_t number_of(const PackedCommand& command, document::DocumentWriter& document);

 private:
  std::uint32_t write(const PackedCommand& command, document::DocumentWriter& document);
  std::uint32_t scope_text(const void* scope, document::DocumentWriter& document);

  std::unordered_map<Hash128, std::uint32_t> numbers_;
  std::unordered_map<const void*, std::uint32_t> scopes_;
  Hash128 last_{};  // a loop gives the same again
  std::uint32_t last_number_ = no_index;
};

}  // namespace reel::capture
