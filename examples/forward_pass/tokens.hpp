// tokens.hpp - text as tokens, a byte each, and back.
//
// Without a vocabulary a token is the byte of its number. A vocabulary with a token for each byte
// ("<0x41>", as SentencePiece has them) says which one that is, and what all others stand for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forward_pass {

class Tokens {
 public:
  // Throws where a model of so many tokens has none for some byte.
  Tokens(std::vector<std::string> pieces, std::uint32_t vocabulary);

  std::vector<std::uint32_t> of(std::string_view text) const;
  // What can't be shown on a terminal is escaped (\x0b), a token without a text is its number
  // (‹1017›).
  std::string text(std::span<const std::uint32_t> tokens) const;

 private:
  std::vector<std::string> texts_;  // by token; empty: its number
  std::array<std::uint32_t, 256> of_byte_{};
};

}  // namespace forward_pass
