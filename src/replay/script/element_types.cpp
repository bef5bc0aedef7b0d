#include "replay/script/element_types.hpp"

namespace reel::rerun {

namespace {

std::vector<std::optional<ElementType>> elements_of(const std::vector<Parameter>& parameters) {
  std::vector<std::optional<ElementType>> elements;
  for (const Parameter& parameter : parameters)
    if (parameter.kind == ArgumentKind::buffer || parameter.kind == ArgumentKind::image)
      elements.push_back(parameter.element);
  return elements;
}

}  // namespace

ElementTypes::ElementTypes(const Trace& trace, const std::vector<Kernel>& built) {
  for (std::size_t k = 0; k < trace.kernels().size(); ++k) {
    auto& elements = by_kernel_.emplace_back(elements_of(trace.kernels()[k].parameters));
    if (k >= built.size() || !built[k]) continue;
    const auto here = elements_of(built[k].parameters());
    if (elements.size() < here.size()) elements.resize(here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      if (!elements[i]) elements[i] = here[i];
  }
}

std::optional<ElementType> ElementTypes::of(std::uint32_t kernel, std::size_t place) const {
  if (kernel >= by_kernel_.size() || place >= by_kernel_[kernel].size()) return std::nullopt;
  return by_kernel_[kernel][place];
}

}  // namespace reel::rerun
