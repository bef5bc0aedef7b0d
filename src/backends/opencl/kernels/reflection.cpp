#include "backends/opencl/kernels/reflection.hpp"

#include <array>

namespace reel::opencl {
void reflect(cl_kernel kernel, cl_device_id device, const KernelSource& source,
             KernelResource& result) {
  cl_uint count = 0;
  check(api().get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo");
  result.reflected = true;
  for (cl_uint i = 0; i < count && result.reflected; ++i)
    result.reflected =
        describe_parameter(api().get_kernel_arg_info, kernel, i, result.parameters.emplace_back());
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
