#include "analysis/contents/buffer_elements.hpp"

#include "document/trace/image_elements.hpp"
#include "reel/arguments.hpp"

namespace reel::analysis {

std::vector<std::optional<ElementType>> buffer_elements(const Trace& trace) {
  std::vector<std::optional<ElementType>> types(trace.buffers().size());
  std::vector<bool> disagree(types.size());
  for (const TraceWork& work : trace.works()) {
    const auto arguments = trace.arguments(work);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::uint32_t buffer = arguments[i].buffer;
      if (arguments[i].kind != ArgumentKind::buffer || buffer == no_index) continue;
      const Parameter* parameter = parameter_of(trace, work, i);
      if (!parameter || !parameter->element) continue;
      if (types[buffer] && types[buffer] != parameter->element) disagree[buffer] = true;
      types[buffer] = parameter->element;
    }
  }
  for (std::size_t b = 0; b < types.size(); ++b) {
    if (disagree[b]) types[b].reset();
    if (const auto& image = trace.buffers()[b].image) types[b] = element_of(*image);
  }
  return types;
}

}  // namespace reel::analysis
