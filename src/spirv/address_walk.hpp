// address_walk.hpp - follows addresses from what a kernel is given to all memory that it may reach.
//
// What records programs and what replays them both walk here, so that they reach the same. A Host
// knows memory: somewhere in it is an owner (anything that can be compared) and an offset.
//
//   using Owner = …;
//   // The buffer that has this address; none: nobody knows.
//   std::optional<Reached<Owner>> find(std::uint64_t address);
//   // An address that lies in a value, or in memory. True: go on from there by `value`.
//   bool in_value(std::uint64_t offset, std::uint64_t value);
//   bool in_memory(const Owner& owner, std::uint64_t offset, bool leads_on, std::uint64_t& value);
//   // Memory that is used; a part of a buffer.
//   void touch(const Reached<Owner>& at, std::uint64_t begin, std::uint64_t end, VariableUse use);
//   // A null value is none of these. Where an address leads nowhere:
//   void lost(std::uint64_t value);
//   bool gave_up() const;  // then the walk ends
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "spirv/addresses.hpp"

namespace reel::spirv {

template <class Owner>
struct Reached {
  Owner owner{};
  std::uint64_t offset = 0;          // of the address
  std::uint64_t begin = 0, end = 0;  // of the program's buffer
};

template <class Host>
class AddressWalk {
 public:
  AddressWalk(const Addresses& addresses, Host& host) : addresses_(addresses), host_(host) {}

  void value(const std::vector<AddressSlot>& slots, std::span<const std::byte> bytes) {
    for_each(slots, bytes.size(), [&](std::uint64_t at, const AddressSlot& slot) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      if (value && host_.in_value(at, value)) go(value, slot);
    });
    follow();
  }
  void block(const std::vector<AddressSlot>& slots, const typename Host::Owner& owner,
             std::uint64_t offset, std::uint64_t size) {
    look(slots, owner, offset, size);
    follow();
  }

 private:
  struct Way {
    Reached<typename Host::Owner> at;
    std::uint32_t target;
    VariableUse use;
  };

  // visit(offset, slot) of each that lies within `size` bytes.
  template <class Visit>
  void for_each(const std::vector<AddressSlot>& slots, std::uint64_t size, Visit&& visit) {
    for (const AddressSlot& slot : slots) repeat(slot, 0, slot.offset_bytes, size, visit);
  }
  template <class Visit>
  void repeat(const AddressSlot& slot, std::size_t level, std::uint64_t at, std::uint64_t size,
              Visit& visit) {
    if (host_.gave_up()) return;
    if (level == slot.repeats.size()) {
      if (at + address_bytes <= size) visit(at, slot);
      return;
    }
    const AddressSlot::Repeat& one = slot.repeats[level];
    for (std::uint64_t i = 0; (one.count == 0 || i < one.count) && at + address_bytes <= size;
         ++i, at += one.stride_bytes)
      repeat(slot, level + 1, at, size, visit);
  }

  void look(const std::vector<AddressSlot>& slots, const typename Host::Owner& owner,
            std::uint64_t offset, std::uint64_t size) {
    for_each(slots, size, [&](std::uint64_t at, const AddressSlot& slot) {
      std::uint64_t value = 0;
      const bool leads_on = !addresses_.targets[slot.target].slots.empty();
      if (host_.in_memory(owner, offset + at, leads_on, value) && value) go(value, slot);
    });
  }

  void go(std::uint64_t value, const AddressSlot& slot) {
    const auto found = host_.find(value);
    if (!found) return host_.lost(value);
    const VariableUse other = addresses_.targets[slot.target].use;
    const VariableUse use{slot.use.is_read || other.is_read,
                          slot.use.is_written || other.is_written};
    if (known_.insert({found->owner, found->offset, slot.target, use.is_read, use.is_written})
            .second)
      ways_.push_back({*found, slot.target, use});
  }

  // Lists may be long: no recursion.
  void follow() {
    while (!ways_.empty() && !host_.gave_up()) {
      const Way way = ways_.back();
      ways_.pop_back();
      const AddressTarget& target = addresses_.targets[way.target];
      const std::uint64_t begin = target.is_stepped ? way.at.begin : way.at.offset;
      const std::uint64_t end = target.size_bytes && target.size_bytes < way.at.end - way.at.offset
                                    ? way.at.offset + target.size_bytes
                                    : way.at.end;
      if (way.use.is_read || way.use.is_written)
        host_.touch(way.at, begin, end, way.use);
      else if (addresses_.are_stored)  // it is to be known where it leads, all the same
        host_.touch(way.at, way.at.offset, std::min(end, way.at.offset + address_bytes),
                    {.is_read = true, .is_written = false});
      look(target.slots, way.at.owner, way.at.offset, end - way.at.offset);
    }
  }

  const Addresses& addresses_;
  Host& host_;
  std::vector<Way> ways_;
  std::set<std::tuple<typename Host::Owner, std::uint64_t, std::uint32_t, bool, bool>> known_;
};

}  // namespace reel::spirv
