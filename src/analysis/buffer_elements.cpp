#include "analysis/buffer_elements.hpp"

namespace reel::analysis {

std::vector<std::optional<ElementType>> buffer_elements(const Trace& trace) {
  std::vector<std::optional<ElementType>> types(trace.buffers().size());
  std::vector<bool> disagree(types.size());
  for (const TraceWork& work : trace.works()) {
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) continue;
    // Buffers in their order: SPIR-V doesn't tell how buffers and values are mixed.
    const auto& parameters = trace.kernels()[work.kernel].parameters;
    auto parameter = parameters.begin();
    for (const TraceArgument& argument : trace.arguments(work)) {
      if (argument.kind != ArgumentKind::buffer) continue;
      while (parameter != parameters.end() && parameter->kind != ParameterKind::buffer) ++parameter;
      if (parameter == parameters.end()) break;
      const std::optional<ElementType> element = (parameter++)->element;
      if (argument.buffer == no_index || !element) continue;
      if (types[argument.buffer] && types[argument.buffer] != element)
        disagree[argument.buffer] = true;
      types[argument.buffer] = element;
    }
  }
  for (std::size_t b = 0; b < types.size(); ++b)
    if (disagree[b]) types[b].reset();
  return types;
}

}  // namespace reel::analysis
