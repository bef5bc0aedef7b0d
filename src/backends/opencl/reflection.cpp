#include "backends/opencl/reflection.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "base/fail.hpp"

namespace reel::opencl {
namespace {

struct ScalarType {
  std::string_view name;
  ElementType element;
};
// "unsigned" stands in either spelling: PoCL says uint, others may say unsigned int.
constexpr std::array scalar_types{
    ScalarType{"char", ElementType::i8},          ScalarType{"uchar", ElementType::u8},
    ScalarType{"unsigned char", ElementType::u8}, ScalarType{"short", ElementType::i16},
    ScalarType{"ushort", ElementType::u16},       ScalarType{"unsigned short", ElementType::u16},
    ScalarType{"half", ElementType::f16},         ScalarType{"int", ElementType::i32},
    ScalarType{"uint", ElementType::u32},         ScalarType{"unsigned int", ElementType::u32},
    ScalarType{"float", ElementType::f32},        ScalarType{"long", ElementType::i64},
    ScalarType{"ulong", ElementType::u64},        ScalarType{"unsigned long", ElementType::u64},
    ScalarType{"double", ElementType::f64},
};

template <class T>
T argument_value(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, cl_int& status) {
  T value{};
  if (status == CL_SUCCESS)
    status = api().get_kernel_arg_info(kernel, index, what, sizeof value, &value, nullptr);
  return value;
}

std::string argument_string(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what,
                            cl_int& status) {
  std::array<char, 512> text{};
  if (status == CL_SUCCESS)
    status = api().get_kernel_arg_info(kernel, index, what, text.size() - 1, text.data(), nullptr);
  return text.data();
}

struct BuiltIn {
  ElementType element;
  std::uint32_t width;  // of a vector, in elements as it lies in memory; else 1
};

std::optional<BuiltIn> parse_builtin(std::string_view type) noexcept {
  const auto digits = type.find_first_of("0123456789");
  const std::string_view scalar = type.substr(0, digits);
  std::uint32_t width = 1;
  if (digits != std::string_view::npos) {
    const std::string_view number = type.substr(digits);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), width);
    if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
    if (width == 3) width = 4;  // a vector of three takes the room of four
    if (width != 2 && width != 4 && width != 8 && width != 16) return std::nullopt;
  }
  for (const ScalarType& known : scalar_types)
    if (known.name == scalar) return BuiltIn{known.element, width};
  return std::nullopt;
}

// Of "float*" and "float4 *"; what is no pointer to a built-in type has none.
std::optional<ElementType> pointed_element(std::string_view type) noexcept {
  if (!type.ends_with('*')) return std::nullopt;
  type.remove_suffix(1);
  while (type.ends_with(' ')) type.remove_suffix(1);
  return builtin_element(type);
}

// CL_KERNEL_ARG_INFO_NOT_AVAILABLE and the like through `status`: then nothing is known.
Parameter parameter_at(cl_kernel kernel, cl_uint index, cl_int& status) {
  Parameter parameter;
  parameter.name = argument_string(kernel, index, CL_KERNEL_ARG_NAME, status);
  const std::string type = argument_string(kernel, index, CL_KERNEL_ARG_TYPE_NAME, status);
  const auto address = argument_value<cl_kernel_arg_address_qualifier>(
      kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, status);
  const auto qualifiers = argument_value<cl_kernel_arg_type_qualifier>(
      kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, status);
  const auto image = argument_value<cl_kernel_arg_access_qualifier>(
      kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, status);
  if (status != CL_SUCCESS) return parameter;
  if (type == "sampler_t") {
    parameter.kind = ParameterKind::sampler;
    parameter.access = Access::read;
    return parameter;
  }
  if (type == "queue_t" || type.starts_with("pipe") || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE)) {
    parameter.kind = ParameterKind::other;
    return parameter;
  }
  if (image != CL_KERNEL_ARG_ACCESS_NONE) {
    parameter.kind = ParameterKind::image;
    parameter.access = image == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? Access::read
                       : image == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? Access::write
                                                                  : Access::read_write;
    return parameter;
  }
  switch (address) {
    case CL_KERNEL_ARG_ADDRESS_PRIVATE:
      parameter.kind = ParameterKind::value;
      parameter.size_bytes = builtin_type_bytes(type);
      parameter.access = Access::read;
      parameter.element = builtin_element(type);
      break;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      parameter.kind = ParameterKind::shared;
      break;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      parameter.access = Access::read;
      parameter.element = pointed_element(type);
      break;
    default:
      if (qualifiers & CL_KERNEL_ARG_TYPE_CONST) parameter.access = Access::read;
      parameter.element = pointed_element(type);
  }
  return parameter;
}

}  // namespace

std::uint32_t builtin_type_bytes(std::string_view type) noexcept {
  const auto built_in = parse_builtin(type);
  return built_in ? static_cast<std::uint32_t>(size_of(built_in->element)) * built_in->width : 0;
}

std::optional<ElementType> builtin_element(std::string_view type) noexcept {
  const auto built_in = parse_builtin(type);
  return built_in ? std::optional(built_in->element) : std::nullopt;
}

void reflect(cl_kernel kernel, cl_device_id device, const KernelSource& source,
             KernelResource& result) {
  cl_uint count = 0;
  check(api().get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo");
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < count && status == CL_SUCCESS; ++i)
    result.parameters.push_back(parameter_at(kernel, i, status));
  result.reflected = status == CL_SUCCESS;
  if (!result.reflected) result.parameters.clear();

  std::array<std::size_t, 3> fixed{};
  std::size_t most_items = 0;
  const auto ask = [&](cl_kernel_work_group_info what, std::size_t size, void* answer) {
    check(api().get_kernel_work_group_info(kernel, device, what, size, answer, nullptr),
          "clGetKernelWorkGroupInfo");
  };
  ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed, fixed.data());
  ask(CL_KERNEL_WORK_GROUP_SIZE, sizeof most_items, &most_items);
  result.max_group_items = most_items;
  result.group_size_fixed = fixed[0] != 0;
  result.group_size =
      result.group_size_fixed ? Dim3(fixed[0], fixed[1], fixed[2]) : source.group_size;
}

}  // namespace reel::opencl
