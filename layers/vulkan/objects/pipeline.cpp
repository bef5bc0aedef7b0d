#include "layers/vulkan/objects/pipeline.hpp"

#include <map>

#include "base/bytes/hash128.hpp"
#include "reel/error.hpp"
#include "spirv/parameters.hpp"

namespace reel::layer::vk {

namespace {

// Arrays without a size have as many elements as the layout of their set says.
std::vector<DescriptorCount> counts_of(const Pipeline& pipeline) {
  std::vector<DescriptorCount> counts;
  if (!pipeline.layout) return counts;
  for (const spirv::Descriptor& descriptor : pipeline.interface.descriptors) {
    if (descriptor.count != 0 || descriptor.set >= pipeline.layout->sets.size()) continue;
    const auto& layout = pipeline.layout->sets[descriptor.set];
    const SetLayout::Binding* binding = layout ? layout->find(descriptor.binding) : nullptr;
    if (binding) counts.push_back({descriptor.set, descriptor.binding, binding->count});
  }
  return counts;
}

}  // namespace

void reflect(Pipeline& pipeline) {
  if (pipeline.is_reflected.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock(pipeline.mutex);
  if (pipeline.is_reflected.load(std::memory_order_relaxed)) return;
  try {
    if (!pipeline.code) throw Error(Code::unsupported, "Its code was not given as SPIR-V.");
    pipeline.interface = spirv::interface_of(*pipeline.code, pipeline.entry, pipeline.constants);
    pipeline.counts = counts_of(pipeline);
    pipeline.parameters = spirv::declared_parameters(pipeline.interface, pipeline.counts);
  } catch (const std::exception& error) {
    pipeline.why_not = error.what();
    pipeline.parameters.clear();
  }
  pipeline.is_reflected.store(true, std::memory_order_release);
}

// Programs make the same pipeline again and again: it is the code, and what it was made with.
std::shared_ptr<capture::KernelIdentity> identity_of(const Pipeline& pipeline) {
  struct Known {
    std::mutex mutex;
    std::map<std::pair<Hash128, std::string>, std::shared_ptr<capture::KernelIdentity>> all;
  };
  Known& known = forever<Known>();
  std::string rest = pipeline.entry + '\0' + pipeline.label + '\0';
  const auto add = [&](std::uint64_t number) {
    rest.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const SpecConstant& constant : pipeline.constants) {
    add(constant.id);
    add(constant.value);
  }
  add(pipeline.subgroup_size);
  add(pipeline.full_subgroups);
  for (const DescriptorCount& count : pipeline.counts) add(count.count);
  const Hash128 code =
      pipeline.code ? hash128(std::as_bytes(std::span(*pipeline.code))) : Hash128{};
  const std::lock_guard lock(known.mutex);
  auto& identity = known.all[{code, std::move(rest)}];
  if (!identity) identity = std::make_shared<capture::KernelIdentity>();
  return identity;
}

document::KernelRow kernel_row(Pipeline& pipeline, std::uint32_t device_number) {
  reflect(pipeline);
  document::KernelRow row{};
  row.id = static_cast<std::uint32_t>(pipeline.identity->id);
  row.device = device_number;
  row.name = pipeline.label;
  row.entry = pipeline.entry;
  row.built_form = KernelForm::spirv;
  if (pipeline.code) {
    const auto bytes = std::as_bytes(std::span(*pipeline.code));
    row.variants.push_back({KernelForm::spirv, {bytes.begin(), bytes.end()}});
  }
  for (const SpecConstant& constant : pipeline.constants)
    row.constants.emplace_back(constant.id, constant.value);
  row.group_size = pipeline.interface.group_size;
  row.parameters = pipeline.parameters;
  row.build_log = pipeline.why_not;
  row.declared_layout = true;
  row.array_counts = pipeline.counts;
  row.subgroup_size = pipeline.subgroup_size;
  row.full_subgroups = pipeline.full_subgroups;
  return row;
}

}  // namespace reel::layer::vk
