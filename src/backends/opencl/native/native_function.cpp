#include "backends/opencl/native/native_function.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "backends/opencl/kernels/kernel.hpp"
#include "base/fail.hpp"
#include "base/os/libraries.hpp"
#include "base/process/environment_variable.hpp"

namespace reel::opencl {
namespace {

// The folder that PoCL keeps a program's libraries in, from the header of its binary: 40 letters
// ("KM/DNFPK…") behind 36 bytes of other things. Asking for the binary makes PoCL compile the
// kernels once more (50 to 150 ms), so it is asked only where two programs have a kernel of the
// same name.
std::string cache_folder(cl_program program) {
  constexpr std::size_t hash_at = 36, hash_letters = 40;
  std::size_t size = 0;
  if (api().get_program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size < hash_at + hash_letters)
    return {};
  std::vector<unsigned char> binary(size);
  unsigned char* begin = binary.data();
  if (api().get_program_info(program, CL_PROGRAM_BINARIES, sizeof begin, &begin, nullptr) !=
          CL_SUCCESS ||
      std::memcmp(begin, "poclbin", 7) != 0)
    return {};
  return std::string(reinterpret_cast<char*>(begin) + hash_at, hash_letters) + '/';
}

std::uint64_t body_local_bytes(const BuiltKernel& kernel, cl_device_id device) {
  const KernelHandle fresh = kernel.make_kernel();  // with no arguments set, only the body's count
  cl_ulong bytes = 0;
  check(api().get_kernel_work_group_info(fresh.get(), device, CL_KERNEL_LOCAL_MEM_SIZE,
                                         sizeof bytes, &bytes, nullptr),
        "clGetKernelWorkGroupInfo");
  return bytes;
}

}  // namespace

std::shared_ptr<const NativeFunction> NativeFunctions::find(Dim3 group_size,
                                                            bool small_grid) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.group_size == group_size && entry.small_grid == small_grid) return entry.function;
  return nullptr;
}

std::string NativeFunctions::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

void NativeFunctions::add(Dim3 group_size, bool small_grid,
                          std::shared_ptr<const NativeFunction> function) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({group_size, small_grid, std::move(function)});
}

void NativeFunctions::refuse(std::string why) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(why);
}

NativeFunction::~NativeFunction() { dlclose(library_); }

bool is_small_grid(Dim3 groups, Dim3 size) noexcept {
  // As PoCL 3.1 counts it: not the groups but the square of the size in the third dimension.
  return std::max({std::uint64_t{groups.x} * size.x, std::uint64_t{groups.y} * size.y,
                   std::uint64_t{size.z} * size.z}) < small_grid_items;
}

std::string why_not_native(const DeviceContext& context) {
  const DeviceInfo& info = context.info();
  if (environment_variable("REEL_OPENCL_NATIVE") == "0") return "REEL_OPENCL_NATIVE=0";
  // To a layer it is a function of the program that touches no buffer: what it ran would be missing
  // in a capture, and what it wrote would be taken for a difference.
  if (!environment_variable("OPENCL_LAYERS").empty()) return "OPENCL_LAYERS is set";
  if (info.driver != "Portable Computing Language") return "the driver is not PoCL";
  // The layout of PoclContext and the names of the libraries are those of 3.1.
  if (!info.driver_version.starts_with("3.1"))
    return fmt::format("PoCL is {}, not 3.1", info.driver_version);
  if (info.type != "cpu" || !(info.name.starts_with("pthread") || info.name.starts_with("basic")))
    return "the device is not PoCL's CPU";
  const auto abilities =
      device_value<cl_device_exec_capabilities>(context.device(), CL_DEVICE_EXECUTION_CAPABILITIES);
  if (!(abilities & CL_EXEC_NATIVE_KERNEL)) return "the device runs no native kernels";
#if defined(__x86_64__)
  return {};
#else
  return "the processor is not x86-64";
#endif
}

std::string why_not_native(const BuiltKernel& kernel) {
  const auto has = [](const std::string& text, std::string_view word) {
    return text.find(word) != std::string::npos;
  };
  const std::string& name = kernel.entry();
  if (!kernel.reflected) return fmt::format("the parameters of '{}' are not known", name);
  if (kernel.parameters.size() > most_native_arguments)
    return fmt::format("'{}' has more than {} parameters", name, most_native_arguments);
  if (has(kernel.source.opencl_c, "printf")) return fmt::format("'{}' may print", name);
  if (has(kernel.source.opencl_c, "#include")) return fmt::format("'{}' includes files", name);
  for (const Define& define : kernel.source.defines)
    if (has(define.value, "printf")) return fmt::format("'{}' may print", name);
  // These change the processor's rounding state, which replay sets once for all.
  for (const char* option :
       {"-cl-denorms-are-zero", "-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"})
    if (has(kernel.source.options, option))
      return fmt::format("'{}' is built with {}", name, option);
  return {};
}

std::shared_ptr<const NativeFunction> find_native_function(const BuiltKernel& kernel,
                                                           Dim3 group_size, bool small_grid,
                                                           std::string& why) {
  const auto file = [&](const char* grid) {
    return fmt::format("{}/{}-{}-{}-goffs0{}/{}.so", kernel.entry(), group_size.x, group_size.y,
                       group_size.z, grid, kernel.entry());
  };
  // For a small grid PoCL takes the function of large ones too, if that is loaded already.
  const auto search = [&](const std::string& folder) {
    std::vector<std::string> all = os::loaded_libraries(folder + file(""));
    if (small_grid)
      for (std::string& path : os::loaded_libraries(folder + file("-smallgrid")))
        all.push_back(std::move(path));
    return all;
  };
  std::vector<std::string> found = search("/");
  if (found.size() > 1) found = search('/' + cache_folder(kernel.program()));
  if (found.empty()) {
    why = fmt::format("PoCL has no library '{}' loaded", file(small_grid ? "-smallgrid" : ""));
    return nullptr;
  }
  void* library = dlopen(found.front().c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!library) {
    why = fmt::format("'{}' is no longer loaded", found.front());
    return nullptr;
  }
  const std::string symbol = fmt::format("_pocl_kernel_{}_workgroup", kernel.entry());
  const auto function = reinterpret_cast<WorkGroupFunction>(dlsym(library, symbol.c_str()));
  if (!function) {
    dlclose(library);
    why = fmt::format("'{}' has no {}", found.front(), symbol);
    return nullptr;
  }
  return std::make_shared<const NativeFunction>(
      library, function, body_local_bytes(kernel, kernel.context().device()));
}

}  // namespace reel::opencl
