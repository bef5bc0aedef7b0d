#include "spirv/interface.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "spirv/constants.hpp"
#include "spirv/module.hpp"
#include "spirv/types.hpp"
#include "spirv/usage.hpp"

namespace reel::spirv {
namespace {

std::uint32_t to_u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max() / 2));
}

Access access_of(VariableUse use) {
  if (use.is_read == use.is_written) return use.is_read ? Access::read_write : Access::read;
  return use.is_written ? Access::write : Access::read;
}

Access both(Access a, Access b) {
  return static_cast<Access>(static_cast<int>(a) | static_cast<int>(b));
}

class Reader {
 public:
  Reader(std::span<const std::uint32_t> words, std::span<const SpecConstant> given)
      : module_(words), constants_(module_, given), types_(module_, constants_) {}

  Interface run(std::string_view entry) {
    result_.version = module_.version();
    const std::uint32_t function = find_entry(entry);
    usage_ = usage_of(module_, function);
    for (const Instruction& i : module_.instructions()) {
      if (i.opcode == SpvOpCapability) result_.capabilities.push_back(i.operand(0));
      if (i.opcode == SpvOpExtension) result_.extensions.push_back(text_at(i.operands, 0, nullptr));
      if (i.opcode == SpvOpVariable) read_variable(i);
      if (const auto id = constants_.constant_id(i.result); i.result && id) read_constant(i, *id);
      if (i.opcode == SpvOpExecutionMode || i.opcode == SpvOpExecutionModeId)
        if (i.operand(0) == function) read_mode(i);
    }
    read_group_size_constant();
    merge_descriptors();
    std::ranges::sort(result_.values, {}, &Value::offset_bytes);
    std::ranges::sort(result_.constants, {}, &Constant::id);
    result_.uses_device_addresses =
        result_.has_capability(SpvCapabilityPhysicalStorageBufferAddresses);
    if (result_.uses_device_addresses)
      result_.addresses = addresses_of(module_, constants_, types_, usage_);
    return std::move(result_);
  }

 private:
  std::uint32_t find_entry(std::string_view wanted) const {
    std::vector<std::string> names;
    for (const Instruction& i : module_.instructions()) {
      if (i.opcode != SpvOpEntryPoint || i.operand(0) != SpvExecutionModelGLCompute) continue;
      const std::string name = text_at(i.operands, 2, nullptr);
      if (name == wanted) return i.operand(1);
      names.push_back(fmt::format("'{}'", name));
    }
    fail(Code::build_failed, "no compute entry point '{}'; it has {}", wanted,
         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }

  void read_variable(const Instruction& variable) {
    const std::uint32_t storage = variable.operand(0);
    const std::uint32_t pointed = module_.definition(variable.type).operand(1);
    const bool is_used = usage_.variables.contains(variable.result);
    if (storage == SpvStorageClassPushConstant) {
      if (is_used || result_.values.empty()) read_values(pointed, is_used);
      return;
    }
    if (storage != SpvStorageClassStorageBuffer && storage != SpvStorageClassUniform &&
        storage != SpvStorageClassUniformConstant)
      return;
    Descriptor descriptor;
    descriptor.set = module_.decoration(variable.result, SpvDecorationDescriptorSet).value_or(0);
    descriptor.binding = module_.decoration(variable.result, SpvDecorationBinding).value_or(0);
    std::uint32_t type = pointed;
    std::uint64_t count = 1;
    for (int depth = 0; depth < 8; ++depth) {
      const Instruction& t = module_.definition(type);
      if (t.opcode != SpvOpTypeArray && t.opcode != SpvOpTypeRuntimeArray) break;
      const std::uint64_t length =
          t.opcode == SpvOpTypeArray ? constants_.value(t.operand(1)).value_or(0) : 0;
      count = std::min<std::uint64_t>(count * std::min<std::uint64_t>(length, 1u << 24), 1u << 24);
      descriptor.is_array = true;
      type = t.operand(0);
    }
    descriptor.count = static_cast<std::uint32_t>(count);
    descriptor.kind = kind_of(storage, type, descriptor.image);
    descriptor.is_used = is_used;
    if (is_used) descriptor.access = access_of(usage_.variables.at(variable.result));
    narrow_by_decorations(variable.result, type, descriptor);
    if (descriptor.kind == DescriptorKind::storage_buffer ||
        descriptor.kind == DescriptorKind::uniform_buffer)
      descriptor.element = types_.element(type);
    descriptor.name = module_.name(variable.result);
    if (descriptor.name.empty() && module_.definition(type).opcode == SpvOpTypeStruct)
      descriptor.name = module_.name(type);
    if (descriptor.name.empty())
      descriptor.name = fmt::format("{}.{}", descriptor.set, descriptor.binding);
    result_.descriptors.push_back(std::move(descriptor));
  }

  DescriptorKind kind_of(std::uint32_t storage, std::uint32_t type, ImageKind& image) const {
    using enum DescriptorKind;
    if (storage == SpvStorageClassStorageBuffer) return storage_buffer;
    if (storage == SpvStorageClassUniform)
      return module_.has_decoration(type, SpvDecorationBufferBlock) ? storage_buffer
                                                                    : uniform_buffer;
    const Instruction* t = &module_.definition(type);
    if (t->opcode == SpvOpTypeSampler) return sampler;
    const bool is_combined = t->opcode == SpvOpTypeSampledImage;
    if (is_combined) t = &module_.definition(t->operand(0));
    if (t->opcode != SpvOpTypeImage) return other;
    image = {t->operand(1), t->operand(3) == 1, t->operand(4) == 1, t->operand(2) == 1,
             t->operand(6)};
    if (image.dimension == SpvDimSubpassData) return other;
    const bool is_storage = t->operand(5) == 2;
    if (image.dimension == SpvDimBuffer)
      return is_storage ? storage_texel_buffer : uniform_texel_buffer;
    if (is_combined) return combined_image_sampler;
    return is_storage ? storage_image : sampled_image;
  }

  // A promise of the source may say more than its code: of what isn't used, it is all there is.
  void narrow_by_decorations(std::uint32_t variable, std::uint32_t type, Descriptor& descriptor) {
    if (descriptor.is_used || descriptor.kind == DescriptorKind::uniform_buffer) return;
    if (descriptor.kind != DescriptorKind::storage_buffer &&
        descriptor.kind != DescriptorKind::storage_image &&
        descriptor.kind != DescriptorKind::storage_texel_buffer)
      return;
    const auto says = [&](std::uint32_t decoration) {
      if (module_.has_decoration(variable, decoration)) return true;
      const Instruction& block = module_.definition(type);
      if (block.opcode != SpvOpTypeStruct || block.operands.empty()) return false;
      for (std::uint32_t m = 0; m < block.operands.size(); ++m)
        if (!module_.member_decoration(type, m, decoration)) return false;
      return true;
    };
    const bool can_read = !says(SpvDecorationNonReadable);
    const bool can_write = !says(SpvDecorationNonWritable);
    descriptor.access = can_read == can_write ? Access::read_write
                        : can_read            ? Access::read
                                              : Access::write;
  }

  // One that is used replaces one that isn't: a module with several entry points may have several.
  void read_values(std::uint32_t block, bool is_used) {
    if (is_used && !result_.values_are_used) result_.values.clear();
    result_.values_are_used = is_used;
    std::uint64_t end = 0;
    const Instruction& structure = module_.definition(block);
    for (std::uint32_t m = 0; m < structure.operands.size(); ++m) {
      const std::uint32_t offset =
          module_.member_decoration(block, m, SpvDecorationOffset).value_or(0);
      const std::uint64_t size = types_.member_bytes(block, m);
      end = std::max(end, offset + size);
      result_.values.push_back({std::string(module_.member_name(block, m)), offset, to_u32(size),
                                types_.element(structure.operand(m))});
    }
    result_.value_bytes = to_u32((end + 3) / 4 * 4);
  }

  void read_constant(const Instruction& i, std::uint32_t id) {
    const bool is_bool = i.opcode != SpvOpSpecConstant;
    const std::uint64_t low = i.operand(0), high = i.operand(1);
    Constant constant{id, is_bool ? 4 : to_u32(types_.size_bytes(i.type)),
                      is_bool ? (i.opcode == SpvOpSpecConstantTrue ? 1 : 0) : (high << 32 | low),
                      std::string(module_.name(i.result))};
    const auto same = [&](const Constant& c) { return c.id == id; };
    if (std::ranges::none_of(result_.constants, same))
      result_.constants.push_back(std::move(constant));
  }

  void read_mode(const Instruction& i) {
    const std::uint32_t mode = i.operand(1);
    if (mode == SpvExecutionModeLocalSize)
      result_.group_size =
          Dim3(std::max(1u, i.operand(2)), std::max(1u, i.operand(3)), std::max(1u, i.operand(4)));
    if (mode == SpvExecutionModeLocalSizeId)
      read_group_size({i.operand(2), i.operand(3), i.operand(4)});
  }

  void read_group_size(const std::array<std::uint32_t, 3>& ids) {
    std::array<std::uint32_t, 3> size{};
    for (std::size_t d = 0; d < 3; ++d) {
      size[d] = std::max(1u, to_u32(constants_.value(ids[d]).value_or(1)));
      result_.group_size_constants[d] = constants_.constant_id(ids[d]);
    }
    result_.group_size = Dim3(size[0], size[1], size[2]);
  }

  // What gl_WorkGroupSize is comes before what the entry point says.
  void read_group_size_constant() {
    for (const Instruction& i : module_.instructions())
      if ((i.opcode == SpvOpConstantComposite || i.opcode == SpvOpSpecConstantComposite) &&
          module_.decoration(i.result, SpvDecorationBuiltIn) == SpvBuiltInWorkgroupSize)
        read_group_size({i.operand(0), i.operand(1), i.operand(2)});
  }

  // Several variables may show one binding: as float and as uint, or image and sampler of a
  // combined one.
  void merge_descriptors() {
    auto& all = result_.descriptors;
    const auto place = [](const Descriptor& d) { return std::pair(d.set, d.binding); };
    std::ranges::stable_sort(all, {}, place);
    std::vector<Descriptor> merged;
    for (Descriptor& next : all) {
      if (merged.empty() || place(merged.back()) != place(next) ||
          (next.is_used && !merged.back().is_used)) {
        if (!merged.empty() && place(merged.back()) == place(next)) merged.pop_back();
        merged.push_back(std::move(next));
        continue;
      }
      Descriptor& kept = merged.back();
      if (kept.is_used && !next.is_used) continue;
      kept.access = both(kept.access, next.access);
      if (kept.element != next.element) kept.element.reset();
      if (kept.count != 0) kept.count = next.count == 0 ? 0 : std::max(kept.count, next.count);
      kept.is_array = kept.is_array || next.is_array;
      merge_kinds(kept, next);
    }
    all = std::move(merged);
  }

  static void merge_kinds(Descriptor& kept, const Descriptor& next) {
    using enum DescriptorKind;
    if (kept.kind == next.kind) return;
    const auto is_sampling = [](DescriptorKind kind) {
      return kind == sampled_image || kind == sampler || kind == combined_image_sampler;
    };
    if (!is_sampling(kept.kind) || !is_sampling(next.kind)) {
      kept.kind = other;
      return;
    }
    if (kept.kind == sampler) {
      kept.image = next.image;
      kept.name = next.name;
    }
    kept.kind = combined_image_sampler;
  }

  const Module module_;
  const Constants constants_;
  Types types_;
  Usage usage_;
  Interface result_;
};

}  // namespace

bool Interface::has_capability(std::uint32_t capability) const noexcept {
  return std::ranges::find(capabilities, capability) != capabilities.end();
}

Interface interface_of(std::span<const std::uint32_t> words, std::string_view entry,
                       std::span<const SpecConstant> constants) {
  return Reader(words, constants).run(entry);
}

}  // namespace reel::spirv
