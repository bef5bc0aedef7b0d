// parameters.hpp - the arguments of a kernel with a declared layout, in the one order they have.
//
// What records Vulkan programs and what runs them both ask here, so that they agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reel/parameter.hpp"
#include "spirv/interface.hpp"

namespace reel::spirv {

// No more are given to one kernel; arrays that are larger throw unsupported.
inline constexpr std::uint32_t most_parameters = 65'536;

// Of the descriptors that the code uses, ascending by set, binding and element; of a combined image
// sampler the image and then the sampler; last, where there is a push block, one value with its
// bytes from byte 0 to its end. `counts`: of arrays that have no size in the module, default 1.
std::vector<Parameter> declared_parameters(const Interface& interface,
                                           std::span<const DescriptorCount> counts);

// How many elements of it are parameters.
std::uint32_t count_of(const Descriptor& descriptor, std::span<const DescriptorCount> counts);

}  // namespace reel::spirv
