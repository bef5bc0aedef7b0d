// element_types.hpp - what the kernels of a document take the elements of their buffers for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reel/kernel.hpp"
#include "reel/trace.hpp"

namespace reel::rerun {

class ElementTypes {
 public:
  ElementTypes() = default;
  // As recorded; where a document doesn't tell, as reflection on the kernel built here does.
  ElementTypes(const Trace& trace, const std::vector<Kernel>& built);

  // `place`: among the kernel's buffers and images, and what is null among them. SPIR-V doesn't
  // tell how buffers and values are mixed.
  std::optional<ElementType> of(std::uint32_t kernel, std::size_t place) const;

 private:
  std::vector<std::vector<std::optional<ElementType>>> by_kernel_;
};

}  // namespace reel::rerun
