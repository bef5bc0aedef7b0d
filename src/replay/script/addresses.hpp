// addresses.hpp - addresses of buffers in what a document has, and what stands there in a replay.
//
// Kernels of Vulkan may be given addresses. Those of the program that was recorded mean nothing
// here: wherever types of a kernel say that one lies, in a value or in bytes that the host gave, it
// is exchanged for that of the same byte of the same buffer here. A command has all buffers that it
// reaches by addresses as arguments behind those of its kernel's parameters, and a buffer has the
// address that it had (BufferMemory::address).
//
// Made from the document alone. Empty where no buffer has an address.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "reel/trace.hpp"
#include "replay/script/script.hpp"

namespace reel::rerun {

struct AddressPatch {
  std::uint64_t offset_bytes;  // of the eight bytes, in the contents or the value
  std::uint32_t buffer;        // that they lead to
  std::uint64_t target_bytes;  // and where in there
};
using AddressPatches = std::vector<AddressPatch>;  // ascending, each place once

struct AddressPlan {
  std::map<std::uint32_t, AddressPatches> contents;                          // by row
  std::map<std::pair<std::uint32_t, std::uint32_t>, AddressPatches> values;  // by work and argument
  std::map<std::uint32_t, Obstacle> obstacles;                               // by command
  // Checks of what may have been computed from addresses as numbers: what differs proves nothing.
  std::set<std::uint32_t> doubtful;

  bool empty() const noexcept { return contents.empty() && values.empty(); }
};

AddressPlan plan_addresses(const Trace& trace);

// Does the command's kernel use buffers by their addresses?
bool follows_addresses(const Trace& trace, const TraceWork& work);

// Changes bytes that are those of a row or value from `begin` on. address_of(buffer) is of here.
template <class F>
void patch(const AddressPatches& patches, std::uint64_t begin, std::span<std::byte> bytes,
           F&& address_of) {
  for (const AddressPatch& one : patches) {
    if (one.offset_bytes + sizeof(std::uint64_t) <= begin) continue;
    if (one.offset_bytes >= begin + bytes.size()) return;
    const std::uint64_t first = address_of(one.buffer);
    if (!first) continue;  // of a buffer that nothing here uses
    const std::uint64_t value = first + one.target_bytes;
    for (std::uint64_t i = 0; i < sizeof value; ++i)
      if (const std::uint64_t at = one.offset_bytes + i; at >= begin && at < begin + bytes.size())
        bytes[at - begin] = static_cast<std::byte>(value >> (8 * i));
  }
}

}  // namespace reel::rerun
