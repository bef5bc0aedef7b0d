// shader_reflection.cpp - what a SPIR-V module takes, by SPIRV-Cross.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "backends/vulkan/kernels/shader.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

class Reflection {
 public:
  Reflection(const Shader& shader, const std::string& kernel) : kernel_(kernel) {
    check(spvc_context_create(&context_), "starting");
    try {
      spvc_parsed_ir ir = nullptr;
      check(spvc_context_parse_spirv(context_, shader.words_to_reflect.data(),
                                     shader.words_to_reflect.size(), &ir),
            "parsing");
      check(spvc_context_create_compiler(context_, SPVC_BACKEND_NONE, ir,
                                         SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_),
            "reflecting");
      choose_entry(shader.entry);
    } catch (...) {
      spvc_context_destroy(context_);
      throw;
    }
  }
  ~Reflection() { spvc_context_destroy(context_); }
  Reflection(const Reflection&) = delete;
  Reflection& operator=(const Reflection&) = delete;

  ShaderInterface run() {
    spvc_resources resources = nullptr;
    check(spvc_compiler_create_shader_resources(compiler_, &resources), "listing resources");
    refuse_other_resources(resources);
    read_buffers(list(resources, SPVC_RESOURCE_TYPE_STORAGE_BUFFER));
    for (const spvc_reflected_resource& block : list(resources, SPVC_RESOURCE_TYPE_PUSH_CONSTANT))
      read_values(block);
    read_constants();
    read_group_size();
    const SpvCapability* capabilities = nullptr;
    std::size_t count = 0;
    check(spvc_compiler_get_declared_capabilities(compiler_, &capabilities, &count),
          "listing capabilities");
    for (std::size_t i = 0; i < count; ++i) result_.capabilities.push_back(capabilities[i]);
    return std::move(result_);
  }

 private:
  void check(spvc_result result, const char* doing) const {
    if (result == SPVC_SUCCESS) return;
    fail(Code::build_failed, "Kernel '{}': {} its SPIR-V failed: {}", kernel_, doing,
         context_ ? spvc_context_get_last_error_string(context_) : "out of memory");
  }

  void choose_entry(const std::string& wanted) {
    const spvc_entry_point* points = nullptr;
    std::size_t count = 0;
    check(spvc_compiler_get_entry_points(compiler_, &points, &count), "listing entry points of");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      if (points[i].execution_model != SpvExecutionModelGLCompute) continue;
      if (points[i].name == wanted) {
        check(spvc_compiler_set_entry_point(compiler_, points[i].name, SpvExecutionModelGLCompute),
              "choosing the entry point of");
        return;
      }
      names.push_back(fmt::format("'{}'", points[i].name));
    }
    fail(Code::build_failed, "Kernel '{}' has no compute entry point '{}'; it has {}.", kernel_,
         wanted, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }

  std::span<const spvc_reflected_resource> list(spvc_resources resources, spvc_resource_type type) {
    const spvc_reflected_resource* items = nullptr;
    std::size_t count = 0;
    check(spvc_resources_get_resource_list_for_type(resources, type, &items, &count),
          "listing resources of");
    return {items, count};
  }

  void refuse_other_resources(spvc_resources resources) {
    constexpr std::array others{
        std::pair{SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, "uniform buffer"},
        std::pair{SPVC_RESOURCE_TYPE_STORAGE_IMAGE, "storage image"},
        std::pair{SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, "sampled image"},
        std::pair{SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, "image"},
        std::pair{SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, "sampler"},
        std::pair{SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, "acceleration structure"},
    };
    for (const auto& [type, words] : others)
      for (const spvc_reflected_resource& item : list(resources, type))
        fail(Code::build_failed,
             "Kernel '{}' takes {} '{}'; only storage buffers (set 0) and one push_constant block "
             "can be given to it.",
             kernel_, words, item.name);
  }

  void read_buffers(std::span<const spvc_reflected_resource> items) {
    for (const spvc_reflected_resource& item : items) {
      const std::uint32_t set =
          spvc_compiler_get_decoration(compiler_, item.id, SpvDecorationDescriptorSet);
      const std::uint32_t binding =
          spvc_compiler_get_decoration(compiler_, item.id, SpvDecorationBinding);
      const char* instance = spvc_compiler_get_name(compiler_, item.id);
      const std::string name = instance && *instance ? instance : item.name;
      if (set != 0)
        fail(Code::build_failed, "Kernel '{}' has buffer '{}' in set {}; it must be in set 0.",
             kernel_, name, set);
      const spvc_type type = spvc_compiler_get_type_handle(compiler_, item.type_id);
      if (spvc_type_get_num_array_dimensions(type) != 0)
        fail(Code::build_failed,
             "Kernel '{}' has '{}', an array of buffers; each buffer needs a binding of its own.",
             kernel_, name);
      result_.buffers.push_back(
          {name, binding, access_of(item.id), element_of_block(item.base_type_id)});
    }
    std::sort(result_.buffers.begin(), result_.buffers.end(),
              [](const auto& a, const auto& b) { return a.binding < b.binding; });
    // Two views of one binding (as float and as uint, say) are one argument.
    auto& buffers = result_.buffers;
    for (std::size_t i = 1; i < buffers.size();) {
      if (buffers[i].binding != buffers[i - 1].binding) {
        ++i;
        continue;
      }
      buffers[i - 1].access = static_cast<Access>(static_cast<int>(buffers[i - 1].access) |
                                                  static_cast<int>(buffers[i].access));
      if (buffers[i - 1].element != buffers[i].element) buffers[i - 1].element = std::nullopt;
      buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // The scalar of a type, of its vectors, matrices and arrays; none for structs and booleans.
  std::optional<ElementType> element_of(spvc_type_id id) const {
    switch (spvc_type_get_basetype(spvc_compiler_get_type_handle(compiler_, id))) {
      case SPVC_BASETYPE_INT8:
        return ElementType::i8;
      case SPVC_BASETYPE_UINT8:
        return ElementType::u8;
      case SPVC_BASETYPE_INT16:
        return ElementType::i16;
      case SPVC_BASETYPE_UINT16:
        return ElementType::u16;
      case SPVC_BASETYPE_INT32:
        return ElementType::i32;
      case SPVC_BASETYPE_UINT32:
        return ElementType::u32;
      case SPVC_BASETYPE_INT64:
        return ElementType::i64;
      case SPVC_BASETYPE_UINT64:
        return ElementType::u64;
      case SPVC_BASETYPE_FP16:
        return ElementType::f16;
      case SPVC_BASETYPE_FP32:
        return ElementType::f32;
      case SPVC_BASETYPE_FP64:
        return ElementType::f64;
      default:
        return std::nullopt;
    }
  }

  std::optional<ElementType> element_of_block(spvc_type_id id) const {
    const spvc_type block = spvc_compiler_get_type_handle(compiler_, id);
    const unsigned count = spvc_type_get_num_member_types(block);
    if (count == 0) return std::nullopt;
    const auto first = element_of(spvc_type_get_member_type(block, 0));
    for (unsigned i = 1; i < count; ++i)
      if (element_of(spvc_type_get_member_type(block, i)) != first) return std::nullopt;
    return first;
  }

  Access access_of(spvc_variable_id id) {
    const SpvDecoration* decorations = nullptr;
    std::size_t count = 0;
    check(spvc_compiler_get_buffer_block_decorations(compiler_, id, &decorations, &count),
          "reading the decorations of");
    bool can_read = !spvc_compiler_has_decoration(compiler_, id, SpvDecorationNonReadable);
    bool can_write = !spvc_compiler_has_decoration(compiler_, id, SpvDecorationNonWritable);
    for (std::size_t i = 0; i < count; ++i) {
      if (decorations[i] == SpvDecorationNonReadable) can_read = false;
      if (decorations[i] == SpvDecorationNonWritable) can_write = false;
    }
    if (can_read == can_write) return Access::read_write;
    return can_read ? Access::read : Access::write;
  }

  void read_values(const spvc_reflected_resource& block) {
    const spvc_type type = spvc_compiler_get_type_handle(compiler_, block.base_type_id);
    std::size_t size = 0;
    check(spvc_compiler_get_declared_struct_size(compiler_, type, &size), "measuring");
    result_.value_bytes = (static_cast<std::uint32_t>(size) + 3) / 4 * 4;
    const unsigned count = spvc_type_get_num_member_types(type);
    for (unsigned i = 0; i < count; ++i) {
      unsigned offset = 0;
      std::size_t bytes = 0;
      check(spvc_compiler_type_struct_member_offset(compiler_, type, i, &offset), "measuring");
      check(spvc_compiler_get_declared_struct_member_size(compiler_, type, i, &bytes), "measuring");
      const char* name = spvc_compiler_get_member_name(compiler_, block.base_type_id, i);
      result_.values.push_back({name ? name : "", offset, static_cast<std::uint32_t>(bytes),
                                element_of(spvc_type_get_member_type(type, i))});
    }
  }

  void read_constants() {
    const spvc_specialization_constant* constants = nullptr;
    std::size_t count = 0;
    check(spvc_compiler_get_specialization_constants(compiler_, &constants, &count),
          "listing constants of");
    for (std::size_t i = 0; i < count; ++i) {
      const spvc_constant handle = spvc_compiler_get_constant_handle(compiler_, constants[i].id);
      const spvc_type type =
          spvc_compiler_get_type_handle(compiler_, spvc_constant_get_type(handle));
      const bool boolean = spvc_type_get_basetype(type) == SPVC_BASETYPE_BOOLEAN;
      const unsigned bits = boolean ? 32 : spvc_type_get_bit_width(type);
      result_.constants.push_back({constants[i].constant_id, bits / 8});
    }
  }

  void read_group_size() {
    std::uint32_t* size[3] = {&result_.group_size.x, &result_.group_size.y, &result_.group_size.z};
    for (unsigned d = 0; d < 3; ++d)
      *size[d] = std::max(1u, spvc_compiler_get_execution_mode_argument_by_index(
                                  compiler_, SpvExecutionModeLocalSize, d));
    spvc_specialization_constant by_constant[3] = {};
    spvc_compiler_get_work_group_size_specialization_constants(compiler_, &by_constant[0],
                                                               &by_constant[1], &by_constant[2]);
    for (unsigned d = 0; d < 3; ++d) {
      if (by_constant[d].id == 0) continue;
      const spvc_constant value = spvc_compiler_get_constant_handle(compiler_, by_constant[d].id);
      *size[d] = spvc_constant_get_scalar_u32(value, 0, 0);
      result_.group_size_constants[d] = by_constant[d].constant_id + 1;
    }
  }

  const std::string& kernel_;
  spvc_context context_ = nullptr;
  spvc_compiler compiler_ = nullptr;
  ShaderInterface result_;
};

}  // namespace

ShaderInterface reflect(const Shader& shader, const std::string& kernel_name) {
  return Reflection(shader, kernel_name).run();
}

}  // namespace reel::vulkan
