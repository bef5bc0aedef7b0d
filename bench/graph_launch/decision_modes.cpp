#include "decision_modes.hpp"

#include <memory>
#include <optional>

#include "shared/add_one.hpp"
#include "shared/reel_modes.hpp"

namespace bench {
namespace {

constexpr const char* by_program = "the program: launch, read, decide";
constexpr const char* while_node = "while node";
constexpr const char* if_node = "if node";

// flag[0] = step ? flag[0] ^ step : flag[0] - 1
void next_group(const reel::HostGroup&, std::uint32_t* flag, std::uint32_t step) {
  flag[0] = step ? flag[0] ^ step : flag[0] - 1;
}
constexpr const char* next_opencl_c = R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void next(__global uint* flag, uint step) {
  if (get_global_id(0) == 0) flag[0] = step ? flag[0] ^ step : flag[0] - 1;
}
)";
constexpr const char* next_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Flag { uint flag[]; };
layout(push_constant) uniform Values { uint step_; };
void main() {
  if (gl_GlobalInvocationID.x == 0) flag[0] = step_ != 0 ? flag[0] ^ step_ : flag[0] - 1;
}
)";

struct Parts {
  reel::Device device;
  reel::Kernel add_one, next;
  reel::Buffer counters, others, flag;

  explicit Parts(const reel::Device& d)
      : device(d),
        add_one(add_one_kernel(d)),
        next(d.kernel({.name = "next",
                       .opencl_c = next_opencl_c,
                       .glsl = next_glsl,
                       .host = reel::host_kernel<&next_group>(),
                       .group_size = {items}})),
        counters(d.buffer(slice_bytes, "counters")),
        others(d.buffer(slice_bytes, "others")),
        flag(d.buffer(16, "flag")) {}

  void add(reel::Graph& graph, const reel::Buffer& target) const {
    graph.add_dispatch(add_one, one_group, inout(target), std::uint32_t{0});
  }
  void step(reel::Graph& graph, std::uint32_t value) const {
    graph.add_dispatch(next, one_group, inout(flag), value);
  }
  // Two kernels: the work, and what decides whether to go on.
  reel::Graph body() const {
    reel::Graph graph;
    add(graph, counters);
    step(graph, 0);
    return graph;
  }
  reel::Graph start(std::uint32_t rounds) const {
    reel::Graph graph;
    graph.add_fill(flag, rounds);
    return graph;
  }
  reel::Graph toggled() const {
    reel::Graph graph;
    step(graph, 1);
    return graph;
  }
  reel::Graph one(const reel::Buffer& target) const {
    reel::Graph graph;
    add(graph, target);
    return graph;
  }
  std::string expect(const reel::Buffer& buffer, std::uint64_t increments) const {
    return check_counters(buffer.read<std::uint32_t>(), {Shape::chain, 1}, increments);
  }
};
using Shared = std::shared_ptr<const Parts>;

Mode loop_of_program(const Shared& parts, std::uint32_t rounds) {
  auto start = std::make_shared<reel::GraphExec>(parts->start(rounds).instantiate(parts->device));
  auto body = std::make_shared<reel::GraphExec>(parts->body().instantiate(parts->device));
  return {by_program,
          [=, stream = parts->device.stream("program")](std::uint64_t passes) {
            std::uint32_t more[1];
            const reel::BufferRange condition = parts->flag.range(0, sizeof more);
            for (; passes; --passes) {
              start->launch(stream);
              for (stream.read(condition, std::as_writable_bytes(std::span(more))),
                   stream.synchronize();
                   more[0];) {
                body->launch(stream);
                stream.read(condition, std::as_writable_bytes(std::span(more)));
                stream.synchronize();
              }
            }
          },
          [=](std::uint64_t passes) { return parts->expect(parts->counters, passes * rounds); }};
}

Mode loop_of_node(const Shared& parts, std::uint32_t rounds, double aim) {
  reel::Graph graph = parts->start(rounds);
  graph.add_while(parts->flag.range(0, 4), parts->body());
  auto exec = std::make_shared<reel::GraphExec>(graph.instantiate(parts->device));
  Mode mode{while_node,
            [=, stream = parts->device.stream("node")](std::uint64_t passes) {
              for (; passes; --passes) {
                exec->launch(stream);
                stream.synchronize();
              }
            },
            [=](std::uint64_t passes) { return parts->expect(parts->counters, passes * rounds); },
            {{by_program, aim}}};
  mode.note = [exec] { return exec->lowering(); };
  return mode;
}

std::string expect_halves(const Shared& parts, std::uint64_t passes) {
  std::string wrong = parts->expect(parts->counters, (passes + 1) / 2);
  return wrong.empty() ? parts->expect(parts->others, passes / 2) : wrong;
}

Mode choice_of_program(const Shared& parts) {
  auto toggle = std::make_shared<reel::GraphExec>(parts->toggled().instantiate(parts->device));
  auto then =
      std::make_shared<reel::GraphExec>(parts->one(parts->counters).instantiate(parts->device));
  auto otherwise =
      std::make_shared<reel::GraphExec>(parts->one(parts->others).instantiate(parts->device));
  return {by_program,
          [=, stream = parts->device.stream("program")](std::uint64_t passes) {
            std::uint32_t taken[1];
            for (; passes; --passes) {
              toggle->launch(stream);
              stream.read(parts->flag.range(0, sizeof taken),
                          std::as_writable_bytes(std::span(taken)));
              stream.synchronize();
              (taken[0] ? then : otherwise)->launch(stream);
              stream.synchronize();
            }
          },
          [=](std::uint64_t passes) { return expect_halves(parts, passes); }};
}

Mode choice_of_node(const Shared& parts, double aim) {
  reel::Graph graph = parts->toggled();
  graph.add_if(parts->flag.range(0, 4), parts->one(parts->counters), parts->one(parts->others));
  auto exec = std::make_shared<reel::GraphExec>(graph.instantiate(parts->device));
  Mode mode{if_node,
            [=, stream = parts->device.stream("node")](std::uint64_t passes) {
              for (; passes; --passes) {
                exec->launch(stream);
                stream.synchronize();
              }
            },
            [=](std::uint64_t passes) { return expect_halves(parts, passes); },
            {{by_program, aim}}};
  mode.note = [exec] { return exec->lowering(); };
  return mode;
}

}  // namespace

std::vector<Group> decision_groups(const reel::Device& device) {
  // Where a condition is a load, a question costs nothing, and elsewhere it costs a round trip
  // less.
  const bool is_native = device.info().backend == "opencl";
  const std::string& id = device.info().id;
  const auto parts = [&] { return std::make_shared<const Parts>(device); };
  std::vector<Group> groups;
  for (const std::uint32_t rounds : {16u, 1u})
    groups.push_back({id,
                      "a while of " + std::to_string(rounds) + (rounds == 1 ? " round" : " rounds"),
                      rounds,
                      {loop_of_program(parts(), rounds), loop_of_node(parts(), rounds,
                                                                      is_native     ? 0.1
                                                                      : rounds == 1 ? 1.05
                                                                                    : 1)}});
  groups.push_back(
      {id, "an if", 1, {choice_of_program(parts()), choice_of_node(parts(), is_native ? 0.1 : 1)}});
  return groups;
}

}  // namespace bench
