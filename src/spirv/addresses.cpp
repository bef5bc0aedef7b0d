#include "spirv/addresses.hpp"

#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace reel::spirv {
namespace {

// Structs within structs; what is deeper was made to be deep.
constexpr int deepest = 32;
constexpr std::size_t most_slots = 4096;  // of one block, arrays counted once

constexpr const char* from_number =
    "it makes addresses of numbers, so that no type says where they lie";
constexpr const char* to_number =
    "it computes with addresses as numbers, which are others in another process";
constexpr const char* by_cast = "it takes an address of one type for one of another";
constexpr const char* with_steps = "it steps through memory that has addresses in it";
constexpr const char* too_many = "it has more addresses in one block than are followed";

using Member = std::pair<std::uint32_t, std::uint32_t>;  // type of a struct, number

class Finder {
 public:
  Finder(const Module& module, const Constants& constants, Types& types, const Usage& usage)
      : module_(module), constants_(constants), types_(types), usage_(usage) {}

  Addresses run() {
    const auto is_address_type = [&](const Instruction& i) { return is_pointer(i.result); };
    if (std::ranges::none_of(module_.instructions(), is_address_type)) return {};
    read_code();
    for (const Instruction& i : module_.instructions())
      if (i.opcode == SpvOpVariable && usage_.variables.contains(i.result)) read_variable(i);
    read_targets();
    found_.are_followed = found_.are_followed || found_.are_stored;
    for (AddressTarget& target : found_.targets) {
      if (!target.is_stepped) continue;
      target.size_bytes = 0;
      if (!target.slots.empty()) give_up(with_steps);
    }
    return std::move(found_);
  }

 private:
  void give_up(const char* why) {
    if (!found_.why_not) found_.why_not = why;
  }

  // --- types
  bool is_pointer(std::uint32_t type) const {
    const Instruction& t = module_.definition(type);
    return t.opcode == SpvOpTypePointer && t.operand(0) == SpvStorageClassPhysicalStorageBuffer;
  }
  std::uint32_t type_of(std::uint32_t id) const { return module_.definition(id).type; }
  bool is_address(std::uint32_t id) const { return is_pointer(type_of(id)); }

  // Of a type that pointers lead to; each once, so that lists that lead back to themselves end.
  std::uint32_t target_of(std::uint32_t pointee) {
    const auto [place, is_new] =
        targets_.try_emplace(pointee, static_cast<std::uint32_t>(found_.targets.size()));
    if (!is_new) return place->second;
    found_.targets.emplace_back();
    pointees_.push_back(pointee);
    return place->second;
  }
  // Of types that are found meanwhile, too.
  void read_targets() {
    for (std::size_t i = 0; i < pointees_.size(); ++i) {
      std::vector<AddressSlot> slots;
      add_slots(pointees_[i], 0, {}, slots, 0, {});
      AddressTarget& target = found_.targets[i];
      target.slots = std::move(slots);
      target.size_bytes = has_end(pointees_[i]) ? types_.size_bytes(pointees_[i]) : 0;
    }
  }

  // Only the last member of the outermost struct may be without end.
  bool has_end(std::uint32_t type) const {
    const auto is_endless = [&](std::uint32_t id) {
      return module_.definition(id).opcode == SpvOpTypeRuntimeArray;
    };
    const Instruction& t = module_.definition(type);
    return !is_endless(type) &&
           (t.opcode != SpvOpTypeStruct || std::ranges::none_of(t.operands, is_endless));
  }

  // Each type is looked at once, so that structs of structs of structs take no longer.
  bool has_slots(std::uint32_t type, int depth) {
    if (is_pointer(type)) return true;
    const Instruction& t = module_.definition(type);
    const bool is_array = t.opcode == SpvOpTypeArray || t.opcode == SpvOpTypeRuntimeArray;
    if ((!is_array && t.opcode != SpvOpTypeStruct) || depth > deepest) return false;
    const auto [known, is_new] = have_slots_.try_emplace(type, false);
    if (!is_new) return known->second;
    bool found = is_array && has_slots(t.operand(0), depth + 1);
    for (std::size_t m = 0; !is_array && m < t.operands.size(); ++m)
      found = found || has_slots(t.operand(m), depth + 1);
    return have_slots_[type] = found;
  }

  void add_slots(std::uint32_t type, std::uint64_t offset,
                 const std::vector<AddressSlot::Repeat>& repeats, std::vector<AddressSlot>& slots,
                 int depth, Member within) {
    if (!has_slots(type, 0)) return;
    if (depth > deepest || slots.size() > most_slots) return give_up(too_many);
    const Instruction& t = module_.definition(type);
    switch (t.opcode) {
      case SpvOpTypePointer:
        if (is_pointer(type))
          slots.push_back({offset, repeats, target_of(t.operand(1)), member_uses_[within]});
        return;
      case SpvOpTypeStruct:
        for (std::uint32_t m = 0; m < t.operands.size(); ++m)
          add_slots(t.operand(m),
                    offset + module_.member_decoration(type, m, SpvDecorationOffset).value_or(0),
                    repeats, slots, depth + 1, {type, m});
        return;
      case SpvOpTypeArray:
      case SpvOpTypeRuntimeArray: {
        const bool is_endless = t.opcode == SpvOpTypeRuntimeArray;
        const std::uint64_t count = is_endless ? 0 : constants_.value(t.operand(1)).value_or(0);
        const auto stride = module_.decoration(type, SpvDecorationArrayStride).value_or(0);
        if ((!is_endless && count == 0) || stride == 0) return;  // of no memory
        std::vector<AddressSlot::Repeat> more = repeats;
        more.push_back({stride, count});
        return add_slots(t.operand(0), offset, more, slots, depth + 1, within);
      }
      default:
        return;
    }
  }

  void read_variable(const Instruction& variable) {
    const std::uint32_t storage = variable.operand(0);
    std::uint32_t type = module_.definition(variable.type).operand(1);
    if (storage == SpvStorageClassPushConstant) return add_slots(type, 0, {}, found_.values, 0, {});
    if (storage != SpvStorageClassStorageBuffer && storage != SpvStorageClassUniform) return;
    // Arrays of descriptors.
    for (int depth = 0; depth < 8; ++depth) {
      const Instruction& t = module_.definition(type);
      if (t.opcode != SpvOpTypeArray && t.opcode != SpvOpTypeRuntimeArray) break;
      type = t.operand(0);
    }
    Addresses::Block block;
    block.set = module_.decoration(variable.result, SpvDecorationDescriptorSet).value_or(0);
    block.binding = module_.decoration(variable.result, SpvDecorationBinding).value_or(0);
    add_slots(type, 0, {}, block.slots, 0, {});
    if (!block.slots.empty()) found_.blocks.push_back(std::move(block));
  }

  // --- code
  void read_code() {
    bool is_in_function = false;
    for (int round = 0; round < 2; ++round)  // phis name what comes later
      for (const Instruction& i : module_.instructions()) {
        if (i.opcode == SpvOpFunction) is_in_function = true;
        if (i.opcode == SpvOpFunctionEnd) is_in_function = false;
        if (!is_in_function) continue;
        if (round == 0)
          find_numbers(i);
        else
          look_at(i);
      }
  }

  // Numbers that are addresses, with what is added to them, by the type that they lead to. They may
  // become addresses again.
  void find_numbers(const Instruction& i) {
    const auto inherit = [&](std::uint32_t from) {
      if (const auto known = numbers_.find(from); known != numbers_.end())
        numbers_.emplace(i.result, known->second);
    };
    switch (i.opcode) {
      case SpvOpConvertPtrToU:
        numbers_.emplace(i.result, type_of(i.operand(0)));
        return;
      case SpvOpIAdd:
        inherit(i.operand(0));
        inherit(i.operand(1));
        return;
      case SpvOpISub:
      case SpvOpBitcast:
      case SpvOpCopyObject:
        inherit(i.operand(0));
        return;
      default:
        return;
    }
  }

  bool is_zero(std::uint32_t id) const { return constants_.value(id) == std::uint64_t{0}; }
  bool is_number(std::uint32_t id) const { return numbers_.contains(id); }

  // What an address or a pointer into its memory was made of: the address itself.
  std::uint32_t root_of(std::uint32_t id) const {
    for (int depth = 0; depth < deepest * deepest; ++depth) {
      const Instruction& i = module_.definition(id);
      switch (i.opcode) {
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpPtrAccessChain:
        case SpvOpInBoundsPtrAccessChain:
        case SpvOpCopyObject:
          id = i.operand(0);
          break;
        default:
          return id;
      }
    }
    return id;
  }

  AddressTarget& target_at(std::uint32_t id) {
    const std::uint32_t pointee = module_.definition(type_of(root_of(id))).operand(1);
    return found_.targets[target_of(pointee)];
  }

  // The member of a struct that a pointer leads to, or to an element of; none: not known.
  std::optional<Member> member_at(std::uint32_t pointer, int depth) const {
    const Instruction& chain = module_.definition(pointer);
    if ((chain.opcode != SpvOpAccessChain && chain.opcode != SpvOpInBoundsAccessChain) ||
        depth > deepest)
      return std::nullopt;
    std::optional<Member> found;
    std::uint32_t type = module_.definition(type_of(chain.operand(0))).operand(1);
    for (std::size_t i = 1; i < chain.operands.size(); ++i) {
      const Instruction& t = module_.definition(type);
      if (t.opcode == SpvOpTypeStruct) {
        const auto member = constants_.value(chain.operand(i));
        if (!member || *member >= t.operands.size()) return std::nullopt;
        found = Member{type, static_cast<std::uint32_t>(*member)};
        type = t.operand(*member);
      } else {
        type = t.operand(0);
      }
    }
    return found ? found : member_at(chain.operand(0), depth + 1);
  }

  // An address that was just loaded is one of those that lie there. Of others, which come by way of
  // variables and functions, only their type is known.
  void touch(std::uint32_t id, bool reads, bool writes) {
    if (!is_address(id)) return;
    found_.are_followed = true;
    AddressTarget& target = target_at(id);
    const Instruction& root = module_.definition(root_of(id));
    const auto member =
        root.opcode == SpvOpLoad ? member_at(root.operand(0), 0) : std::optional<Member>();
    VariableUse& use = member ? member_uses_[*member] : target.use;
    use = {use.is_read || reads, use.is_written || writes};
  }

  // Without literals, which may be equal to anything.
  static std::span<const std::uint32_t> ids_of(const Instruction& i) {
    const auto first = [&](std::size_t count) {
      return i.operands.first(std::min(count, i.operands.size()));
    };
    switch (i.opcode) {
      case SpvOpLoad:
      case SpvOpCompositeExtract:
      case SpvOpSwitch:
        return first(1);
      case SpvOpStore:
      case SpvOpCopyMemory:
      case SpvOpCompositeInsert:
      case SpvOpVectorShuffle:
        return first(2);
      case SpvOpVariable:
      case SpvOpFunction:
        return {};
      default:
        return i.operands;
    }
  }

  bool is_memory(std::uint32_t pointer) const {
    const std::uint32_t storage = module_.definition(type_of(pointer)).operand(0);
    return storage == SpvStorageClassPhysicalStorageBuffer ||
           storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform;
  }

  // A pointer to a part of what an address leads to goes somewhere that nobody looks for it.
  void hand_on(const Instruction& i) {
    for (const std::uint32_t id : ids_of(i))
      if (is_address(id) && root_of(id) != id) touch(id, true, true);
  }

  void check_number(const Instruction& i) {
    const auto numbers =
        std::ranges::count_if(ids_of(i), [&](std::uint32_t id) { return is_number(id); });
    if (numbers == 0) return;
    switch (i.opcode) {
      case SpvOpIAdd:
        if (numbers > 1) give_up(to_number);
        return;
      case SpvOpISub:
        if (is_number(i.operand(1))) give_up(to_number);
        return;
      case SpvOpBitcast:
        if (module_.definition(i.type).opcode != SpvOpTypeInt) give_up(to_number);
        return;
      case SpvOpCopyObject:
      case SpvOpConvertUToPtr:
        return;
      case SpvOpIEqual:
      case SpvOpINotEqual:  // whether it leads anywhere is the same in each process
        if (!is_zero(i.operand(0)) && !is_zero(i.operand(1))) give_up(to_number);
        return;
      default:
        return give_up(to_number);
    }
  }

  void look_at(const Instruction& i) {
    check_number(i);
    switch (i.opcode) {
      case SpvOpConvertUToPtr: {
        const auto number = numbers_.find(i.operand(0));
        if (number == numbers_.end()) {
          if (!is_zero(i.operand(0))) give_up(from_number);
        } else if (number->second != i.type) {
          give_up(by_cast);
        } else if (module_.definition(i.operand(0)).opcode != SpvOpConvertPtrToU) {
          target_at(i.result).is_stepped = true;
        }
        return;
      }
      case SpvOpBitcast:
        if (is_pointer(i.type) && type_of(i.operand(0)) != i.type)
          give_up(is_address(i.operand(0)) ? by_cast : from_number);
        if (is_address(i.operand(0)) && !is_pointer(i.type)) give_up(to_number);
        return;
      case SpvOpPtrDiff:
        if (is_address(i.operand(0))) give_up(to_number);
        return;
      case SpvOpPtrAccessChain:
      case SpvOpInBoundsPtrAccessChain:
        if (is_address(i.operand(0))) target_at(i.operand(0)).is_stepped = true;
        return;
      case SpvOpLoad:
      case SpvOpAtomicLoad:
        return touch(i.operand(0), true, false);
      case SpvOpStore:
        touch(i.operand(0), false, true);
        if (is_memory(i.operand(0)) && has_slots(type_of(i.operand(1)), 0))
          found_.are_stored = true;
        if (is_address(i.operand(1)) && root_of(i.operand(1)) != i.operand(1))
          touch(i.operand(1), true, true);
        return;
      case SpvOpAtomicStore:
        return touch(i.operand(0), false, true);
      case SpvOpCopyMemory:
      case SpvOpCopyMemorySized:
        touch(i.operand(0), false, true);
        if (is_memory(i.operand(0))) found_.are_stored = true;
        return touch(i.operand(1), true, false);
      // They hand it on, or ask for nothing that lies there.
      case SpvOpAccessChain:
      case SpvOpInBoundsAccessChain:
      case SpvOpArrayLength:
      case SpvOpCopyObject:
      case SpvOpCopyLogical:
      case SpvOpPtrEqual:
      case SpvOpPtrNotEqual:
        return;
      case SpvOpConvertPtrToU:
      case SpvOpSelect:
      case SpvOpPhi:
      case SpvOpFunctionCall:
      case SpvOpReturnValue:
      case SpvOpCompositeConstruct:
      case SpvOpCompositeInsert:
      case SpvOpCompositeExtract:
        return hand_on(i);
      default:
        // Atomics, matrices of groups, what extensions have: read and written.
        for (const std::uint32_t id : ids_of(i)) touch(id, true, true);
    }
  }

  const Module& module_;
  const Constants& constants_;
  Types& types_;
  const Usage& usage_;
  Addresses found_;
  std::unordered_map<std::uint32_t, std::uint32_t> targets_;  // by type
  std::map<Member, VariableUse> member_uses_;
  std::vector<std::uint32_t> pointees_;                       // the types of targets
  std::unordered_map<std::uint32_t, bool> have_slots_;        // by type
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // and the type they were of
};

}  // namespace

Addresses addresses_of(const Module& module, const Constants& constants, Types& types,
                       const Usage& usage) {
  return Finder(module, constants, types, usage).run();
}

}  // namespace reel::spirv
