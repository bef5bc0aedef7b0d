// problems.hpp - what is wrong with a document, counted by kind while it is loaded.
//
// One sentence a kind, however many rows it takes: a damaged file may have a million bad rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reel::document {

class Problems {
 public:
  // Rows that could not be kept. Both texts are literals.
  void left_out(std::string_view table, std::string_view reason, std::uint64_t rows = 1);
  // Something else that is damaged: a whole sentence.
  void damage(std::string sentence);
  // Something that others refer to is not there: a whole sentence. Damage, as left_out() is, unless
  // losses are expected: the document was recovered, and what is left of it is as it should be.
  void missing(std::string sentence);
  void expect_losses() noexcept { expects_losses_ = true; }
  // Something to know that is no damage: a whole sentence.
  void remark(std::string sentence) { remarks_.push_back(std::move(sentence)); }

  bool is_damaged() const noexcept {
    return !damages_.empty() || (!left_out_.empty() && !expects_losses_);
  }
  // Damage first, then rows, then remarks.
  std::vector<std::string> sentences() const;

 private:
  std::vector<std::string> damages_, remarks_;
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> left_out_;
  bool expects_losses_ = false;
};

}  // namespace reel::document
