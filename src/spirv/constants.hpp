// constants.hpp - the values of a module's constants, with those that a program specialises.
//
// Borrows the module. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reel/kernel.hpp"
#include "spirv/module.hpp"

namespace reel::spirv {

class Constants {
 public:
  Constants(const Module& module, std::span<const SpecConstant> given)
      : module_(module), given_(given) {}

  // The bits of a whole number or boolean; none where it isn't one, or takes more than reading it
  // (operations on floating point numbers).
  std::optional<std::uint64_t> value(std::uint32_t id) const { return value(id, 0); }
  // constant_id of a constant that is one itself.
  std::optional<std::uint32_t> constant_id(std::uint32_t id) const;

 private:
  std::optional<std::uint64_t> value(std::uint32_t id, int depth) const;
  std::optional<std::uint64_t> operation(const Instruction& instruction, int depth) const;

  const Module& module_;
  std::span<const SpecConstant> given_;
};

}  // namespace reel::spirv
