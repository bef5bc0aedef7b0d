// spirv_fuzz.cpp - any words as a SPIR-V module.
#include <cstring>
#include <vector>

#include "fuzz/target.hpp"
#include "reel/error.hpp"
#include "spirv/interface.hpp"
#include "spirv/parameters.hpp"

namespace reel {

void fuzz_one(std::span<const std::byte> input) {
  std::vector<std::uint32_t> words(input.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), input.data(), words.size() * 4);
  const SpecConstant constants[] = {{0, 7}, {1, ~std::uint64_t{0}}, {2, 0}};
  const DescriptorCount counts[] = {{0, 0, 3}, {0, 1, 0}, {1, 2, 70'000}};
  try {
    const spirv::Interface interface = spirv::interface_of(words, "main", constants);
    std::pair<std::uint32_t, std::uint32_t> last{0, 0};
    for (const spirv::Descriptor& d : interface.descriptors) {
      check(last <= std::pair(d.set, d.binding), "descriptors are not in order");
      last = {d.set, d.binding};
    }
    const auto parameters = spirv::declared_parameters(interface, counts);
    check(parameters.size() <= 2 * spirv::most_parameters + 1, "more parameters than are allowed");
  } catch (const Error& error) {
    check(error.code() == Code::build_failed || error.code() == Code::unsupported,
          "another error than those that are promised");
  }
}

}  // namespace reel
