// types.hpp - how large the types of a module are, and of what numbers they are made.
//
// Borrows module and constants, which say how long arrays are. One thread at a time: it remembers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "reel/elements.hpp"
#include "spirv/constants.hpp"
#include "spirv/module.hpp"

namespace reel::spirv {

class Types {
 public:
  Types(const Module& module, const Constants& constants)
      : module_(module), constants_(constants) {}

  // Of a type with an explicit layout, from its first byte to the last that is used; 0: not known.
  std::uint64_t size_bytes(std::uint32_t type) { return size_bytes(type, 0); }
  // Of a member of a struct, whose matrices are laid out by its decorations.
  std::uint64_t member_bytes(std::uint32_t structure, std::uint32_t member);
  // The one type of number that all of it is made of; none where there are several, or none.
  std::optional<ElementType> element(std::uint32_t type) { return element(type, 0); }

 private:
  std::uint64_t size_bytes(std::uint32_t type, int depth);
  std::uint64_t member_bytes(std::uint32_t structure, std::uint32_t member, int depth);
  std::optional<ElementType> element(std::uint32_t type, int depth);

  const Module& module_;
  const Constants& constants_;
  std::unordered_map<std::uint32_t, std::uint64_t> sizes_;
  std::unordered_map<std::uint32_t, std::optional<ElementType>> elements_;
};

}  // namespace reel::spirv
