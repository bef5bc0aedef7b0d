// module.hpp - a SPIR-V module as instructions that can be asked for by the id they define.
//
// Borrows the words, which may be anything: what isn't a module throws build_failed, and nothing
// outside of them is read. Never changes once made; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace reel::spirv {

struct Instruction {
  std::uint16_t opcode = 0;
  std::uint32_t type = 0, result = 0;            // ids; 0: it has none
  std::span<const std::uint32_t> words = {};     // all of it, the opcode first
  std::span<const std::uint32_t> operands = {};  // behind type and result

  // 0, which is no id, where it has fewer.
  std::uint32_t operand(std::size_t i) const noexcept {
    return i < operands.size() ? operands[i] : 0;
  }
};

// The text that begins at words[at], up to its terminating zero or the end. `count`: of its words.
std::string text_at(std::span<const std::uint32_t> words, std::size_t at, std::size_t* count);

class Module {
 public:
  explicit Module(std::span<const std::uint32_t> words);

  std::uint32_t version() const noexcept { return version_; }  // 0x00010500
  const std::vector<Instruction>& instructions() const noexcept { return instructions_; }
  // Where `id` is defined, as an index in instructions().
  std::optional<std::size_t> place_of(std::uint32_t id) const noexcept;
  // A definition of nothing (opcode 0) where there is none.
  const Instruction& definition(std::uint32_t id) const noexcept;

  // As OpName and OpMemberName give it; empty where they don't.
  std::string_view name(std::uint32_t id) const noexcept;
  std::string_view member_name(std::uint32_t id, std::uint32_t member) const noexcept;
  bool has_decoration(std::uint32_t id, std::uint32_t kind) const noexcept;
  // Its first literal, 0 where it has none.
  std::optional<std::uint32_t> decoration(std::uint32_t id, std::uint32_t kind) const noexcept;
  std::optional<std::uint32_t> member_decoration(std::uint32_t id, std::uint32_t member,
                                                 std::uint32_t kind) const noexcept;

 private:
  struct Decoration {
    std::uint32_t id, member, kind, literal;
    auto key() const noexcept { return std::tuple(id, member, kind); }
  };
  struct Name {
    std::uint32_t id, member;
    std::string text;
    auto key() const noexcept { return std::pair(id, member); }
  };
  void read_annotation(const Instruction& instruction);
  void decorate_groups();
  std::optional<std::uint32_t> find_decoration(std::uint32_t id, std::uint32_t member,
                                               std::uint32_t kind) const noexcept;
  std::string_view find_name(std::uint32_t id, std::uint32_t member) const noexcept;

  std::uint32_t version_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> places_;  // by id: index + 1 of its definition, 0: none
  std::vector<Decoration> decorations_;
  std::vector<Name> names_;
};

}  // namespace reel::spirv
