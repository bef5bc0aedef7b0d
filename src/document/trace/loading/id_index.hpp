// id_index.hpp - from the number a row has in the file to its place in a list.
//
// Ids that count up, as a recorder's do, are looked up in a table; any others by binary search, so
// that a document can't make us keep a table for four billion. Immutable after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace reel::document {

class IdIndex {
 public:
  IdIndex() = default;
  // ids[i] is the id of the row at place i; of equal ones the first counts.
  explicit IdIndex(std::span<const std::uint32_t> ids);

  std::uint32_t find(std::uint32_t id) const noexcept;  // no_index where there is none
  std::size_t duplicates() const noexcept { return duplicates_; }

 private:
  std::vector<std::uint32_t> table_;                             // by id
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_;  // id and place
  std::size_t duplicates_ = 0;
};

}  // namespace reel::document
