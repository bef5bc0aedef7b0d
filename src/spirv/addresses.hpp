// addresses.hpp - where addresses of buffers lie in what a compute shader is given, and what is
// done by way of them.
//
// Told by types: a pointer to PhysicalStorageBuffer in a block is eight bytes of address. Where
// code makes an address of a number, or a number of an address, types tell nothing, and `why_not`
// says so. Plain values, and a pure function; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "spirv/constants.hpp"
#include "spirv/module.hpp"
#include "spirv/types.hpp"
#include "spirv/usage.hpp"

namespace reel::spirv {

inline constexpr std::uint64_t address_bytes = 8;

// Addresses in a block, all of the same type: one, or those of arrays, the outermost first.
struct AddressSlot {
  struct Repeat {
    std::uint64_t stride_bytes = 0, count = 0;  // 0: as many as there is memory for
  };
  std::uint64_t offset_bytes = 0;
  std::vector<Repeat> repeats = {};
  std::uint32_t target = 0;  // in Addresses::targets
  VariableUse use = {};      // of what they lead to, beside that of the target
};

// What such an address leads to.
struct AddressTarget {
  std::uint64_t size_bytes = 0;  // 0: no end, or code goes beyond it
  bool is_stepped = false;       // code goes to its neighbours, before and behind
  VariableUse use = {};          // by code that may have the address from anywhere
  std::vector<AddressSlot> slots = {};
};

struct Addresses {
  struct Block {
    std::uint32_t set = 0, binding = 0;
    std::vector<AddressSlot> slots = {};
  };
  bool are_followed = false;        // or stored
  bool are_stored = false;          // in memory that others read
  const char* why_not = nullptr;    // the end of a sentence about the kernel; null: types tell
  std::vector<AddressSlot> values;  // in the push constants
  std::vector<Block> blocks;        // of descriptors that have some
  std::vector<AddressTarget> targets;
};

Addresses addresses_of(const Module& module, const Constants& constants, Types& types,
                       const Usage& usage);

}  // namespace reel::spirv
