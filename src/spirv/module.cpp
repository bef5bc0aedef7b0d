#include "spirv/module.hpp"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>

#include <algorithm>

#include "base/fail.hpp"

namespace reel::spirv {
namespace {

constexpr std::uint32_t whole = UINT32_MAX;         // the member of what is no member
constexpr std::uint32_t most_ids = 4'194'304;       // the limit that SPIR-V sets itself
constexpr std::size_t most_decorations = 1u << 20;  // groups of them could multiply without end

const Instruction nothing;

}  // namespace

std::string text_at(std::span<const std::uint32_t> words, std::size_t at, std::size_t* count) {
  std::string text;
  std::size_t i = at;
  for (; i < words.size(); ++i)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>(words[i] >> shift & 0xFF);
      if (c == 0) {
        if (count) *count = i + 1 - at;
        return text;
      }
      text += c;
    }
  if (count) *count = i - std::min(i, at);
  return text;
}

Module::Module(std::span<const std::uint32_t> words) {
  if (words.size() < 5 || words[0] != SpvMagicNumber)
    fail(
        Code::build_failed,
        "not SPIR-V: {} words, the first {:#010x}; at least 5 words are needed, the first {:#010x}",
        words.size(), words.empty() ? 0 : words[0], std::uint32_t{SpvMagicNumber});
  version_ = words[1];
  const std::uint32_t bound = words[3];
  if (bound > most_ids)
    fail(Code::build_failed, "broken SPIR-V: ids up to {}, where {} are allowed", bound, most_ids);
  places_.assign(bound, 0);
  instructions_.reserve(words.size() / 4);
  for (std::size_t at = 5; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at)
      fail(Code::build_failed, "broken SPIR-V: an instruction of {} words at word {} of {}", count,
           at, words.size());
    Instruction instruction;
    instruction.opcode = static_cast<std::uint16_t>(words[at] & 0xFFFF);
    instruction.words = words.subspan(at, count);
    bool has_result = false, has_type = false;
    SpvHasResultAndType(static_cast<SpvOp>(instruction.opcode), &has_result, &has_type);
    const std::size_t leading = 1u + (has_type ? 1u : 0u) + (has_result ? 1u : 0u);
    if (leading > count)
      fail(Code::build_failed, "broken SPIR-V: the instruction at word {} is too short", at);
    if (has_type) instruction.type = instruction.words[1];
    if (has_result) {
      instruction.result = instruction.words[leading - 1];
      if (instruction.result == 0 || instruction.result >= bound || places_[instruction.result])
        fail(Code::build_failed, "broken SPIR-V: id {} at word {} can't be defined there",
             instruction.result, at);
      places_[instruction.result] = static_cast<std::uint32_t>(instructions_.size() + 1);
    }
    instruction.operands = instruction.words.subspan(leading);
    instructions_.push_back(instruction);
    read_annotation(instruction);
    at += count;
  }
  decorate_groups();
  std::ranges::stable_sort(decorations_, {}, &Decoration::key);
  std::ranges::stable_sort(names_, {}, &Name::key);
}

void Module::read_annotation(const Instruction& i) {
  switch (i.opcode) {
    case SpvOpName:
      names_.push_back({i.operand(0), whole, text_at(i.operands, 1, nullptr)});
      break;
    case SpvOpMemberName:
      names_.push_back({i.operand(0), i.operand(1), text_at(i.operands, 2, nullptr)});
      break;
    case SpvOpDecorate:
    case SpvOpDecorateId:
      decorations_.push_back({i.operand(0), whole, i.operand(1), i.operand(2)});
      break;
    case SpvOpMemberDecorate:
      decorations_.push_back({i.operand(0), i.operand(1), i.operand(2), i.operand(3)});
      break;
    default:
      break;
  }
}

// Deprecated, but some old compilers wrote them.
void Module::decorate_groups() {
  const std::size_t own = decorations_.size();
  for (const Instruction& i : instructions_) {
    const bool members = i.opcode == SpvOpGroupMemberDecorate;
    if (i.opcode != SpvOpGroupDecorate && !members) continue;
    for (std::size_t target = 1; target < i.operands.size(); target += members ? 2 : 1)
      for (std::size_t d = 0; d < own; ++d) {
        if (decorations_[d].id != i.operand(0)) continue;
        if (decorations_.size() >= most_decorations)
          fail(Code::build_failed, "broken SPIR-V: more than {} decorations", most_decorations);
        decorations_.push_back({i.operand(target), members ? i.operand(target + 1) : whole,
                                decorations_[d].kind, decorations_[d].literal});
      }
  }
}

std::optional<std::size_t> Module::place_of(std::uint32_t id) const noexcept {
  if (id >= places_.size() || places_[id] == 0) return std::nullopt;
  return places_[id] - 1;
}

const Instruction& Module::definition(std::uint32_t id) const noexcept {
  const auto place = place_of(id);
  return place ? instructions_[*place] : nothing;
}

std::string_view Module::find_name(std::uint32_t id, std::uint32_t member) const noexcept {
  const auto found = std::ranges::lower_bound(names_, std::pair(id, member), {}, &Name::key);
  if (found == names_.end() || found->key() != std::pair(id, member)) return {};
  return found->text;
}

std::string_view Module::name(std::uint32_t id) const noexcept { return find_name(id, whole); }
std::string_view Module::member_name(std::uint32_t id, std::uint32_t member) const noexcept {
  return find_name(id, member);
}

std::optional<std::uint32_t> Module::find_decoration(std::uint32_t id, std::uint32_t member,
                                                     std::uint32_t kind) const noexcept {
  const auto key = std::tuple(id, member, kind);
  const auto found = std::ranges::lower_bound(decorations_, key, {}, &Decoration::key);
  if (found == decorations_.end() || found->key() != key) return std::nullopt;
  return found->literal;
}

bool Module::has_decoration(std::uint32_t id, std::uint32_t kind) const noexcept {
  return find_decoration(id, whole, kind).has_value();
}
std::optional<std::uint32_t> Module::decoration(std::uint32_t id,
                                                std::uint32_t kind) const noexcept {
  return find_decoration(id, whole, kind);
}
std::optional<std::uint32_t> Module::member_decoration(std::uint32_t id, std::uint32_t member,
                                                       std::uint32_t kind) const noexcept {
  return find_decoration(id, member, kind);
}

}  // namespace reel::spirv
