// usage.hpp - which variables of a module an entry point uses, and whether it reads or writes them.
//
// Found from instructions, not from decorations, which compilers leave out: pointers are followed
// through access chains, calls, selections and variables that hold pointers, handles of images
// through loads. What it can't follow counts as both. Borrows nothing once made; any thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "spirv/module.hpp"

namespace reel::spirv {

struct VariableUse {
  bool is_read = false, is_written = false;
  friend bool operator==(const VariableUse&, const VariableUse&) = default;
};

struct Usage {
  // By id of the variable: those that code reachable from the entry point names.
  std::unordered_map<std::uint32_t, VariableUse> variables;
};

// `function`: of the entry point. Throws build_failed for calls that go in circles.
Usage usage_of(const Module& module, std::uint32_t function);

}  // namespace reel::spirv
