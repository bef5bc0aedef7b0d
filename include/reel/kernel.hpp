// kernel.hpp - a compiled entry point that keeps its source.
//
// A KernelSource holds the same kernel in as many forms as you have; a device builds the one it
// understands. A Kernel is a cheap handle; copies share the compiled program, from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reel/dim3.hpp"
#include "reel/host_kernel.hpp"
#include "reel/ids.hpp"
#include "reel/kernel_form.hpp"
#include "reel/parameter.hpp"

namespace reel {

struct Define {             // of the preprocessor
  std::string name, value;  // -Dname=value for OpenCL C and GLSL
};

struct SpecConstant {       // of SPIR-V
  std::uint32_t id = 0;     // constant_id of GLSL and SPIR-V
  std::uint64_t value = 0;  // its bits, as many as its type has, the lowest first
};

struct KernelSource {     // one kernel in several forms
  std::string name = {};  // label, and entry point where `entry` is empty
  std::string opencl_c = {};
  std::string glsl = {};  // a compute shader; buffers at set 0, binding 0, 1, … in argument
                          // order, values in one push_constant block in argument order
  std::vector<std::uint32_t> spirv = {};  // for Vulkan, with the same conventions
  HostKernel host = {};
  // What programs give to OpenCL besides sources; found in documents of such programs.
  std::vector<std::byte> opencl_binary = {};  // of a driver
  std::vector<std::byte> opencl_il = {};      // SPIR-V for OpenCL
  std::string opencl_parts = {};              // several sources, compiled and linked: JSON
  bool opencl_builtin = false;                // the device has a kernel of this name
  std::string entry = {};                     // OpenCL C: default `name`; SPIR-V: default "main"
  std::vector<Define> defines = {};
  std::vector<SpecConstant> constants = {};
  std::string options = {};     // passed to the OpenCL compiler as they are
  Dim3 group_size = unset_dim;  // default group size of launches
  // The shader, GLSL or SPIR-V, says itself where its arguments go: any set and binding, arrays,
  // uniform buffers, images, samplers. Its arguments are then those that its code uses, ascending
  // by set, binding and element of an array; of a combined image sampler the image and then the
  // sampler; last, as one value, the bytes of the whole push_constant block.
  bool declared_layout = false;
  std::vector<DescriptorCount> array_counts = {};  // of arrays without a size; default 1
  std::uint32_t subgroup_size = 0;                 // required; 0: the driver's choice
  bool full_subgroups = false;                     // required
};

class Device;
class DeviceState;
struct KernelResource;  // the compiled program, owned by a backend
namespace detail {
struct Inside;  // the library, which looks into handles
}

class Kernel {
 public:
  Kernel() = default;

  KernelId id() const;                               // as documents name it
  const std::string& name() const;                   // as it was given
  const KernelSource& source() const;                // that it was built from
  const std::vector<Parameter>& parameters() const;  // what it takes
  // The group size fixed by the source or asked for when building; unset_dim when free.
  Dim3 group_size() const;
  // What the compiler said, warnings included.
  const std::string& build_log() const;

  explicit operator bool() const noexcept { return resource_ != nullptr; }
  operator KernelResource*() const noexcept { return resource_.get(); }  // NOLINT: in a Dispatch

 private:
  friend struct detail::Inside;
  explicit Kernel(std::shared_ptr<KernelResource> resource) : resource_(std::move(resource)) {}
  std::shared_ptr<KernelResource> resource_;
};

// What one kernel of a Program has of its own; the rest is the program's.
struct ProgramKernel {
  std::string label = {};  // default: the entry point
  std::string glsl = {};   // one shader has one main
  HostKernel host = {};
  Dim3 group_size = unset_dim;
};

// One source with several kernels. Devices that compile OpenCL C compile it once. A cheap handle;
// any thread.
class Program {
 public:
  // The source's name and entry say nothing here.
  Program(const Device& device, KernelSource source);

  // One of its kernels, by the name of its function.
  Kernel kernel(const std::string& entry, const ProgramKernel& own = {}) const;

 private:
  std::shared_ptr<DeviceState> device_;
  struct Source;
  std::shared_ptr<Source> source_;
};

}  // namespace reel
