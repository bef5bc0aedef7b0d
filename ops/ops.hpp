// ops.hpp - the kernels of a LLaMA-style decoder, on any device.
//
//   reel::ops::Ops ops(device);
//   ops.rms_norm(pass, {.x = x, .weight = weight, .y = y, .size = dim});
//   ops.matmul(pass, {.matrix = q_proj, .x = y, .y = q});
//
// `pass` is a Stream, a GraphSession, or anything else with their dispatch(). Every kernel adds
// up in one fixed order, the same in OpenCL C, GLSL and C++, so that devices which round as IEEE
// 754 says give the same bits. Copies share the compiled kernels; any thread may use them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/calls.hpp"
#include "reel/command.hpp"
#include "reel/device.hpp"
#include "reel/graph.hpp"

namespace reel::ops {

template <class P>
concept Pass = requires(P& pass, const Kernel& kernel, const Launch& launch,
                        std::span<const Argument> arguments) {
  pass.dispatch(kernel, launch, arguments);
};

// A dispatch, checked and ready.
struct Call {
  const Kernel* kernel;
  Dim3 groups;
  std::array<Argument, 10> arguments;
  std::uint32_t argument_count;
};

// An argument of a node that holds the position.
struct PositionArgument {
  NodeId node;
  std::size_t index;
  std::uint32_t ahead;  // the value is the position plus this
};

// Documents of these kernels can be run again on the host device after this.
void register_host_kernels();

class Ops {
 public:
  explicit Ops(const Device& device);  // compiles all kernels

  void embedding(Pass auto&& pass, const Embedding& op) const { dispatch(pass, call(op)); }
  void rms_norm(Pass auto&& pass, const RmsNorm& op) const { dispatch(pass, call(op)); }
  void matmul(Pass auto&& pass, const MatMul& op) const { dispatch(pass, call(op)); }
  void rope(Pass auto&& pass, const Rope& op) const { dispatch(pass, call(op)); }
  void kv_append(Pass auto&& pass, const KvAppend& op) const { dispatch(pass, call(op)); }
  void attention(Pass auto&& pass, const Attention& op) const { dispatch(pass, call(op)); }
  void swiglu(Pass auto&& pass, const SwiGlu& op) const { dispatch(pass, call(op)); }
  void residual_add(Pass auto&& pass, const ResidualAdd& op) const { dispatch(pass, call(op)); }
  void argmax(Pass auto&& pass, const ArgMax& op) const { dispatch(pass, call(op)); }

  // The arguments to set in a GraphExec when the position moves on. The graph must have been
  // recorded for `position`, with CacheBinding::whole; anything else is an error.
  std::vector<PositionArgument> position_arguments(const Graph& graph,
                                                   std::uint32_t position) const;

  // Ranges too small for the sizes given, and sizes that don't fit each other, are errors that
  // name the op.
  Call call(const Embedding& op) const;
  Call call(const RmsNorm& op) const;
  Call call(const MatMul& op) const;
  Call call(const Rope& op) const;
  Call call(const KvAppend& op) const;
  Call call(const Attention& op) const;
  Call call(const SwiGlu& op) const;
  Call call(const ResidualAdd& op) const;
  Call call(const ArgMax& op) const;

 private:
  static void dispatch(auto& pass, const Call& call) {
    pass.dispatch(*call.kernel, Launch{.groups = call.groups},
                  std::span(call.arguments).first(call.argument_count));
  }

  Kernel embedding_, rms_norm_, matmul_f32_, matmul_f32_tile_, matmul_q8_, matmul_q8_tile_, rope_,
      kv_append_, attention_, swiglu_, residual_add_, argmax_;
};

}  // namespace reel::ops
