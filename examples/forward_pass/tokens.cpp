#include "tokens.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "reel/error.hpp"

namespace forward_pass {
namespace {

// "<0x41>" is the byte 0x41.
std::optional<std::uint8_t> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  const std::string digits(piece.substr(3, 2));
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
  return static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16));
}

// SentencePiece writes a space as U+2581.
std::string with_spaces(std::string piece) {
  constexpr std::string_view mark = "\xe2\x96\x81";
  for (std::size_t at = 0; (at = piece.find(mark, at)) != std::string::npos; ++at)
    piece.replace(at, mark.size(), " ");
  return piece;
}

std::string shown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Bytes from 0x80 on may be parts of a character that only a terminal puts together.
    result += byte < 0x20 && c != '\n' ? fmt::format("\\x{:02x}", byte)
              : byte == 0x7f           ? std::string("\\x7f")
                                       : std::string(1, c);
  }
  return result;
}

}  // namespace

Tokens::Tokens(std::vector<std::string> pieces, std::uint32_t vocabulary) {
  std::array<bool, 256> known{};
  if (pieces.empty())
    for (std::uint32_t byte = 0; byte < 256 && byte < vocabulary; ++byte)
      pieces.push_back(fmt::format("<0x{:02X}>", byte));
  for (std::uint32_t token = 0; token < pieces.size() && token < vocabulary; ++token) {
    const auto byte = byte_of(pieces[token]);
    if (byte && !std::exchange(known[*byte], true)) of_byte_[*byte] = token;
    texts_.push_back(byte ? std::string(1, static_cast<char>(*byte))
                          : with_spaces(std::move(pieces[token])));
  }
  for (std::size_t byte = 0; byte < known.size(); ++byte)
    if (!known[byte])
      throw reel::Error(reel::Code::invalid_argument,
                        fmt::format("The model has no token for the byte 0x{:02x} among its {}, so "
                                    "no text can be given to it; "
                                    "leave out --prompt.",
                                    byte, vocabulary));
}

std::vector<std::uint32_t> Tokens::of(std::string_view text) const {
  std::vector<std::uint32_t> result;
  for (const char c : text) result.push_back(of_byte_[static_cast<unsigned char>(c)]);
  return result;
}

std::string Tokens::text(std::span<const std::uint32_t> tokens) const {
  std::string result;
  for (const std::uint32_t token : tokens)
    result += token < texts_.size() && !texts_[token].empty() ? shown(texts_[token])
                                                              : fmt::format("‹{}›", token);
  return result;
}

}  // namespace forward_pass
