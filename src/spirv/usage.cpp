#include "spirv/usage.hpp"

#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/fail.hpp"

namespace reel::spirv {
namespace {

using Ids = std::vector<std::uint32_t>;  // sorted

// From these numbers on, opcodes are of extensions, of which there are ever more.
constexpr std::uint16_t first_of_extensions = 4096;
// A pointer that may come from more than this many variables is taken to come from none in
// particular, and all of them are read and written.
constexpr std::size_t most_roots = 64;
// Rounds until pointers in loops have settled; valid modules take two or three.
constexpr int most_rounds = 8;

bool add_to(Ids& to, const Ids& from) {
  const std::size_t before = to.size();
  for (const std::uint32_t id : from)
    if (const auto at = std::ranges::lower_bound(to, id); at == to.end() || *at != id)
      to.insert(at, id);
  return to.size() != before;
}

struct Function {
  std::size_t begin = 0, end = 0;  // of its instructions
  Ids parameters;                  // in order of declaration, not sorted
  Ids calls;                       // of functions, in order of instructions
  Ids returned;                    // variables and parameters that a pointer it returns may be of
};

class Follower {
 public:
  explicit Follower(const Module& module) : module_(module) { list_functions(); }

  Usage run(std::uint32_t entry) {
    order_calls(entry);
    bool changed = true;
    for (int round = 0; changed && round < most_rounds; ++round) {
      changed = false;
      for (const std::uint32_t id : order_) changed = follow(functions_.at(id)) || changed;
    }
    Usage usage;
    for (const std::uint32_t id : named_) {
      VariableUse use = uses_[id];
      if (changed || gave_up_) use = {true, true};  // not settled: nothing is known
      usage.variables.emplace(id, use);
    }
    return usage;
  }

 private:
  void list_functions() {
    const auto& all = module_.instructions();
    Function* open = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].opcode == SpvOpFunction) {
        open = &functions_[all[i].result];
        open->begin = i + 1;
      } else if (!open) {
        continue;
      } else if (all[i].opcode == SpvOpFunctionEnd) {
        open->end = i;
        open = nullptr;
      } else if (all[i].opcode == SpvOpFunctionParameter) {
        open->parameters.push_back(all[i].result);
      } else if (all[i].opcode == SpvOpFunctionCall) {
        open->calls.push_back(all[i].operand(0));
      }
    }
    if (open) open->end = all.size();
  }

  // Every function that is called comes before those that call it.
  void order_calls(std::uint32_t entry) {
    struct Visit {
      std::uint32_t id;
      std::size_t next_call;
    };
    std::unordered_map<std::uint32_t, bool> done;  // false: being visited
    std::vector<Visit> stack;
    const auto visit = [&](std::uint32_t id) {
      if (!functions_.contains(id) || (done.contains(id) && done[id])) return;
      if (done.contains(id)) fail(Code::build_failed, "broken SPIR-V: a function calls itself");
      done[id] = false;
      stack.push_back({id, 0});
    };
    visit(entry);
    while (!stack.empty()) {
      Visit& top = stack.back();
      const Ids& calls = functions_.at(top.id).calls;
      if (top.next_call < calls.size()) {
        visit(calls[top.next_call++]);
      } else {
        done[top.id] = true;
        order_.push_back(top.id);
        stack.pop_back();
      }
    }
  }

  // Variables, and parameters of the function, that `id` may point into or be a handle of.
  Ids roots(std::uint32_t id) {
    const Instruction& definition = module_.definition(id);
    if (definition.opcode == SpvOpVariable || definition.opcode == SpvOpFunctionParameter) {
      if (definition.opcode == SpvOpVariable) named_.insert(id);
      return {id};
    }
    const auto found = roots_.find(id);
    return found == roots_.end() ? Ids{} : found->second;
  }

  void inherit(std::uint32_t result, const Ids& from) {
    if (from.empty() || result == 0) return;
    Ids& to = roots_[result];
    if (to.size() + from.size() > most_roots)
      gave_up_ = true;
    else
      changed_ = add_to(to, from) || changed_;
  }

  void touch(const Ids& ids, bool reads, bool writes) {
    for (const std::uint32_t id : ids) {
      VariableUse& use = uses_[id];
      const VariableUse now{use.is_read || reads, use.is_written || writes};
      changed_ = changed_ || now != use;
      use = now;
    }
  }

  bool is_handle_or_pointer(std::uint32_t type) const {
    switch (module_.definition(type).opcode) {
      case SpvOpTypePointer:
      case SpvOpTypeImage:
      case SpvOpTypeSampler:
      case SpvOpTypeSampledImage:
      case SpvOpTypeArray:  // of handles; of numbers nobody follows
        return true;
      default:
        return module_.definition(type).opcode >= first_of_extensions;
    }
  }
  bool is_opaque(std::uint32_t type) const {
    for (int depth = 0; depth < 8; ++depth) {
      const Instruction& t = module_.definition(type);
      if (t.opcode != SpvOpTypeArray && t.opcode != SpvOpTypeRuntimeArray)
        return t.opcode == SpvOpTypeImage || t.opcode == SpvOpTypeSampler ||
               t.opcode == SpvOpTypeSampledImage || t.opcode == SpvOpTypePointer;
      type = t.operand(0);
    }
    return false;
  }

  bool is_address(std::uint32_t type) const {
    const Instruction& t = module_.definition(type);
    return t.opcode == SpvOpTypePointer && t.operand(0) == SpvStorageClassPhysicalStorageBuffer;
  }

  void load(const Instruction& i) {
    const Ids from = roots(i.operand(0));
    // An address is a number in memory; what it leads to is none of the variables.
    if (!is_opaque(i.type) || is_address(i.type)) return touch(from, true, false);
    for (const std::uint32_t id : from) {
      // Of a variable that holds pointers come those that were stored there; of an image itself.
      const auto held = held_.find(id);
      if (held != held_.end()) inherit(i.result, held->second);
      inherit(i.result, {id});
    }
  }

  void store(const Instruction& i) {
    const Ids to = roots(i.operand(0));
    touch(to, false, true);
    const std::uint32_t value = i.operand(1);
    if (!is_handle_or_pointer(module_.definition(value).type)) return;
    const Ids stored = roots(value);
    if (stored.empty()) return;
    for (const std::uint32_t id : to) {
      Ids& held = held_[id];
      if (held.size() + stored.size() > most_roots)
        gave_up_ = true;
      else
        changed_ = add_to(held, stored) || changed_;
    }
  }

  void call(const Instruction& i) {
    const auto found = functions_.find(i.operand(0));
    if (found == functions_.end()) return;
    const Function& called = found->second;
    Ids returned;
    for (std::size_t p = 0; p < called.parameters.size(); ++p) {
      const std::uint32_t parameter = called.parameters[p];
      const Ids given = roots(i.operand(p + 1));
      const VariableUse use = uses_[parameter];
      touch(given, use.is_read, use.is_written);
      if (std::ranges::binary_search(called.returned, parameter)) add_to(returned, given);
      if (const auto held = held_.find(parameter); held != held_.end())
        add_to(returned, held->second);
    }
    for (const std::uint32_t id : called.returned)
      if (module_.definition(id).opcode == SpvOpVariable) add_to(returned, {id});
    inherit(i.result, returned);
  }

  // True when anything is known now that wasn't before.
  bool follow(Function& function) {
    changed_ = false;
    for (std::size_t at = function.begin; at < function.end; ++at)
      follow(module_.instructions()[at], function);
    return changed_;
  }

  void follow(const Instruction& i, Function& function) {
    switch (i.opcode) {
      case SpvOpLoad:
        return load(i);
      case SpvOpStore:
        return store(i);
      case SpvOpFunctionCall:
        return call(i);
      case SpvOpReturnValue:
        changed_ = add_to(function.returned, roots(i.operand(0))) || changed_;
        return;
      case SpvOpCopyMemory:
      case SpvOpCopyMemorySized:
        touch(roots(i.operand(0)), false, true);
        return touch(roots(i.operand(1)), true, false);
      case SpvOpImageTexelPointer:
      case SpvOpAccessChain:
      case SpvOpInBoundsAccessChain:
      case SpvOpPtrAccessChain:
      case SpvOpInBoundsPtrAccessChain:
      case SpvOpCopyObject:
      case SpvOpCopyLogical:
      case SpvOpBitcast:
      case SpvOpImage:
      case SpvOpCompositeExtract:
        return inherit(i.result, roots(i.operand(0)));
      case SpvOpArrayLength:
        roots(i.operand(0));  // named, and no byte of it touched
        return;
      case SpvOpSampledImage:
        inherit(i.result, roots(i.operand(0)));
        return inherit(i.result, roots(i.operand(1)));
      case SpvOpSelect:
        inherit(i.result, roots(i.operand(1)));
        return inherit(i.result, roots(i.operand(2)));
      case SpvOpPhi:
        for (std::size_t o = 0; o < i.operands.size(); o += 2)
          inherit(i.result, roots(i.operand(o)));
        return;
      case SpvOpAtomicLoad:
        return touch(roots(i.operand(0)), true, false);
      case SpvOpAtomicStore:
      case SpvOpAtomicFlagClear:
        return touch(roots(i.operand(0)), false, true);
      case SpvOpImageWrite:
        return touch(roots(i.operand(0)), false, true);
      case SpvOpImageQueryFormat:
      case SpvOpImageQueryOrder:
      case SpvOpImageQuerySizeLod:
      case SpvOpImageQuerySize:
      case SpvOpImageQueryLod:
      case SpvOpImageQueryLevels:
      case SpvOpImageQuerySamples:
        roots(i.operand(0));
        return;
      case SpvOpExtInst:  // modf and frexp write through a pointer
        if (is_non_semantic(i.operand(0))) return;
        for (std::size_t o = 2; o < i.operands.size(); ++o) touch(roots(i.operand(o)), true, true);
        return;
      default:
        break;
    }
    if (is_image_read(i.opcode)) return touch(roots(i.operand(0)), true, false);
    if (is_atomic(i.opcode)) return touch(roots(i.operand(0)), true, true);
    if (i.opcode < first_of_extensions) return;
    // Not known: what it names may be read and written, and go on in its result.
    for (const std::uint32_t word : i.words.subspan(1)) {
      const Ids touched = roots(word);
      touch(touched, true, true);
      inherit(i.result, touched);
    }
  }

  // Sets of instructions for debuggers, which name variables and do nothing.
  bool is_non_semantic(std::uint32_t set) const {
    const std::string name = text_at(module_.definition(set).operands, 0, nullptr);
    return name.starts_with("NonSemantic.") || name.find("DebugInfo") != std::string::npos;
  }
  static bool is_image_read(std::uint16_t opcode) {
    return (opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageRead) ||
           (opcode >= SpvOpImageSparseSampleImplicitLod && opcode <= SpvOpImageSparseDrefGather) ||
           opcode == SpvOpImageSparseRead;
  }
  static bool is_atomic(std::uint16_t opcode) {
    return (opcode >= SpvOpAtomicExchange && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFlagTestAndSet;
  }

  const Module& module_;
  std::unordered_map<std::uint32_t, Function> functions_;
  Ids order_;
  std::unordered_map<std::uint32_t, Ids> roots_;  // of results
  std::unordered_map<std::uint32_t, Ids> held_;   // pointers stored in a variable
  std::unordered_map<std::uint32_t, VariableUse> uses_;
  std::set<std::uint32_t> named_;
  bool changed_ = false, gave_up_ = false;
};

}  // namespace

Usage usage_of(const Module& module, std::uint32_t function) {
  return Follower(module).run(function);
}

}  // namespace reel::spirv
