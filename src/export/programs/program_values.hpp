// program_values.hpp - by-value arguments as literals, bit for bit what was recorded.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "reel/elements.hpp"

namespace reel::program {

struct Literal {
  std::string code;     // one line, or several that begin alike
  std::string comment;  // what the code doesn't show, "f16 1.5"; often empty
};

// `element` is what the value is made of, where that is known; otherwise a type that its bits look
// like, or its bytes.
Literal cpp_literal(std::optional<ElementType> element, std::span<const std::byte> bytes);
Literal python_literal(std::optional<ElementType> element, std::span<const std::byte> bytes);

}  // namespace reel::program
