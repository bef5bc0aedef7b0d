#include "ops/ops.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>
#include <variant>

#include "ops/embedded.hpp"
#include "ops/host/kernels.hpp"

namespace reel::ops {
namespace {

const std::map<std::string, HostKernel>& host_kernels() {
  static const std::map<std::string, HostKernel> all{
      {"embedding", host_kernel<&host::embedding>()},
      {"rms_norm", host_kernel<&host::rms_norm>()},
      {"matmul_f32", host_kernel<&host::matmul_f32>()},
      {"matmul_f32_tile", host_kernel<&host::matmul_f32_tile>()},
      {"matmul_q8", host_kernel<&host::matmul_q8>()},
      {"matmul_q8_tile", host_kernel<&host::matmul_q8_tile>()},
      {"rope", host_kernel<&host::rope>()},
      {"kv_append", host_kernel<&host::kv_append>()},
      {"attention", host_kernel<&host::attention>()},
      {"swiglu", host_kernel<&host::swiglu>()},
      {"residual_add", host_kernel<&host::residual_add>()},
      {"argmax", host_kernel<&host::argmax>()},
  };
  return all;
}

Kernel build(const Device& device, const char* name) {
  const EmbeddedKernel& source = embedded_kernel(name);
  return device.kernel({.name = name,
                        .opencl_c = std::string(source.opencl_c),
                        .glsl = std::string(source.glsl),
                        .host = host_kernels().at(name),
                        .group_size = {64}});
}

}  // namespace

void register_host_kernels() {
  for (const auto& [name, kernel] : host_kernels()) register_host_kernel(name, kernel);
}

Ops::Ops(const Device& device)
    : embedding_(build(device, "embedding")),
      rms_norm_(build(device, "rms_norm")),
      matmul_f32_(build(device, "matmul_f32")),
      matmul_f32_tile_(build(device, "matmul_f32_tile")),
      matmul_q8_(build(device, "matmul_q8")),
      matmul_q8_tile_(build(device, "matmul_q8_tile")),
      rope_(build(device, "rope")),
      kv_append_(build(device, "kv_append")),
      attention_(build(device, "attention")),
      swiglu_(build(device, "swiglu")),
      residual_add_(build(device, "residual_add")),
      argmax_(build(device, "argmax")) {}

std::vector<PositionArgument> Ops::position_arguments(const Graph& graph,
                                                      std::uint32_t position) const {
  struct Holder {
    const Kernel& kernel;
    std::size_t index;
  };
  // As the kernels list their arguments.
  const Holder holders[] = {
      {embedding_, 5}, {rope_, 4}, {kv_append_, 6}, {attention_, 8}, {argmax_, 3}};

  std::vector<PositionArgument> found;
  for (std::uint32_t n = 0; n < graph.node_count(); ++n) {
    const auto* dispatch = std::get_if<Dispatch>(&graph.node(NodeId{n}).command.work);
    if (!dispatch) continue;
    for (const Holder& holder : holders) {
      if (dispatch->kernel != holder.kernel.resource().get()) continue;
      // A single slot is bound as written only, the whole cache as inout.
      if (dispatch->kernel == kv_append_.resource().get() &&
          dispatch->arguments[2].access != Access::read_write)
        throw Error(Code::invalid_argument,
                    fmt::format("{} binds a single slot, so its position can't move; record with "
                                "CacheBinding::whole.",
                                graph.describe(NodeId{n})));
      std::uint32_t value = 0;
      std::memcpy(&value, dispatch->arguments[holder.index].bytes, sizeof(value));
      if (value < position)
        throw Error(Code::invalid_argument,
                    fmt::format("{} was recorded for position {}, not for {} or later.",
                                graph.describe(NodeId{n}), value, position));
      found.push_back({NodeId{n}, holder.index, value - position});
    }
  }
  return found;
}

}  // namespace reel::ops
