// load_budget.hpp - how much a document may make its reader keep.
//
// A column of equal values takes no bytes in the file, so a few bytes may claim a billion rows.
// Half a gigabyte is free for everyone, enough for three million commands; beyond it a document
// pays with its own size, of which real rows take some fifteen bytes each.
#pragma once

#include <cstdint>

namespace reel::document {

class LoadBudget {
 public:
  explicit LoadBudget(std::uint64_t file_bytes) : left_((512ULL << 20) + 64 * file_bytes) {}

  // False, and nothing is taken, where it is more than what is left.
  bool take(std::uint64_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::uint64_t left_;
};

}  // namespace reel::document
