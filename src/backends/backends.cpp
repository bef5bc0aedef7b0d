// backends.cpp - the list. A new backend is one line here.
#include "backends/backends.hpp"

#include <array>

namespace reel {

std::span<const Backend* const> backends() {
  static constexpr std::array all{&host_backend, &opencl_backend, &vulkan_backend};
  return all;
}

}  // namespace reel
