#include "decision_modes.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "shared/add_one.hpp"
#include "shared/reel_modes.hpp"

namespace bench {
namespace {

constexpr const char* by_program = "the program: launch, read, decide";
constexpr const char* while_node = "while node";
constexpr const char* if_node = "if node";
constexpr const char* switch_node = "switch node";
constexpr std::uint32_t outer_rounds = 3, inner_rounds = 3;  // of a while in a while

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
  reel::Buffer counters, others, flag, inner_flag;

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
        flag(d.buffer(16, "flag")),
        inner_flag(d.buffer(16, "inner flag")) {}

  void add(reel::Graph& graph, const reel::Buffer& target) const {
    graph.add_dispatch(add_one, one_group, inout(target), std::uint32_t{0});
  }
  void step(reel::Graph& graph, const reel::Buffer& target, std::uint32_t value) const {
    graph.add_dispatch(next, one_group, inout(target), value);
  }
  // Two kernels: the work, and what decides whether to go on.
  reel::Graph body(const reel::Buffer& condition) const {
    reel::Graph graph;
    add(graph, counters);
    step(graph, condition, 0);
    return graph;
  }
  reel::Graph start(const reel::Buffer& condition, std::uint32_t rounds) const {
    reel::Graph graph;
    graph.add_fill(condition, rounds);
    return graph;
  }
  reel::Graph stepped(const reel::Buffer& condition, std::uint32_t value) const {
    reel::Graph graph;
    step(graph, condition, value);
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
  auto start = std::make_shared<reel::GraphExec>(
      parts->start(parts->flag, rounds).instantiate(parts->device));
  auto body =
      std::make_shared<reel::GraphExec>(parts->body(parts->flag).instantiate(parts->device));
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

// The whole graph, launched and waited for.
Mode launched(const char* name, const Shared& parts, const reel::Graph& graph, double aim,
              std::function<std::string(std::uint64_t)> verify) {
  auto exec = std::make_shared<reel::GraphExec>(graph.instantiate(parts->device));
  Mode mode{name,
            [=, stream = parts->device.stream("node")](std::uint64_t passes) {
              for (; passes; --passes) {
                exec->launch(stream);
                stream.synchronize();
              }
            },
            std::move(verify),
            {{by_program, aim}}};
  mode.note = [exec] { return exec->lowering(); };
  return mode;
}

Mode loop_of_node(const Shared& parts, std::uint32_t rounds, double aim) {
  reel::Graph graph = parts->start(parts->flag, rounds);
  graph.add_while(parts->flag.range(0, 4), parts->body(parts->flag));
  return launched(while_node, parts, graph, aim, [=](std::uint64_t passes) {
    return parts->expect(parts->counters, passes * rounds);
  });
}

// A while in a while.
Mode loops_of_program(const Shared& parts) {
  const auto exec_of = [&](const reel::Graph& graph) {
    return std::make_shared<reel::GraphExec>(graph.instantiate(parts->device));
  };
  auto start = exec_of(parts->start(parts->flag, outer_rounds));
  auto inner_start = exec_of(parts->start(parts->inner_flag, inner_rounds));
  auto body = exec_of(parts->body(parts->inner_flag));
  auto step = exec_of(parts->stepped(parts->flag, 0));
  return {by_program,
          [=, stream = parts->device.stream("program")](std::uint64_t passes) {
            std::uint32_t word[1];
            const auto asked = [&](const reel::Buffer& condition) {
              stream.read(condition.range(0, sizeof word), std::as_writable_bytes(std::span(word)));
              stream.synchronize();
              return word[0];
            };
            for (; passes; --passes) {
              start->launch(stream);
              while (asked(parts->flag)) {
                inner_start->launch(stream);
                while (asked(parts->inner_flag)) body->launch(stream);
                step->launch(stream);
              }
            }
          },
          [=](std::uint64_t passes) {
            return parts->expect(parts->counters, passes * outer_rounds * inner_rounds);
          }};
}

Mode loops_of_nodes(const Shared& parts, double aim) {
  reel::Graph body = parts->start(parts->inner_flag, inner_rounds);
  body.add_while(parts->inner_flag.range(0, 4), parts->body(parts->inner_flag));
  parts->step(body, parts->flag, 0);
  reel::Graph graph = parts->start(parts->flag, outer_rounds);
  graph.add_while(parts->flag.range(0, 4), body);
  return launched(while_node, parts, graph, aim, [=](std::uint64_t passes) {
    return parts->expect(parts->counters, passes * outer_rounds * inner_rounds);
  });
}

std::string expect_halves(const Shared& parts, std::uint64_t passes) {
  std::string wrong = parts->expect(parts->counters, (passes + 1) / 2);
  return wrong.empty() ? parts->expect(parts->others, passes / 2) : wrong;
}

Mode choice_of_program(const Shared& parts) {
  auto toggle =
      std::make_shared<reel::GraphExec>(parts->stepped(parts->flag, 1).instantiate(parts->device));
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
  reel::Graph graph = parts->stepped(parts->flag, 1);
  graph.add_if(parts->flag.range(0, 4), parts->one(parts->counters), parts->one(parts->others));
  return launched(if_node, parts, graph, aim,
                  [=](std::uint64_t passes) { return expect_halves(parts, passes); });
}

// The same choice by number.
Mode number_of_node(const Shared& parts, double aim) {
  reel::Graph graph = parts->stepped(parts->flag, 1);
  graph.add_switch(parts->flag.range(0, 4),
                   std::vector{parts->one(parts->others), parts->one(parts->counters)});
  return launched(switch_node, parts, graph, aim,
                  [=](std::uint64_t passes) { return expect_halves(parts, passes); });
}

// As a device without VK_EXT_conditional_rendering decides.
reel::Device opened_for_indirect(const reel::Device& device) {
  setenv("REEL_VULKAN_DECISIONS", "indirect", 1);
  reel::Device opened = reel::open_device(device.info().id);
  unsetenv("REEL_VULKAN_DECISIONS");
  return opened;
}

}  // namespace

std::vector<Group> decision_groups(const reel::Device& device) {
  // Where a condition is a load, a question costs nothing, and elsewhere it costs a round trip
  // less.
  const bool is_native = device.info().backend == "opencl";
  std::vector<Group> groups;
  const auto add_groups = [&](const reel::Device& on, const std::string& way) {
    const std::string& id = on.info().id;
    const auto parts = [&] { return std::make_shared<const Parts>(on); };
    const auto add = [&](const std::string& name, std::uint64_t nodes, Mode program, Mode node) {
      groups.push_back({id, name + way, nodes, {std::move(program), std::move(node)}});
    };
    const double aim = is_native ? 0.1 : 1;
    add("a while of 16 rounds", 16, loop_of_program(parts(), 16), loop_of_node(parts(), 16, aim));
    add("a while of 1 round", 1, loop_of_program(parts(), 1),
        loop_of_node(parts(), 1, is_native ? 0.1 : 1.05));
    add("a while in a while", outer_rounds * inner_rounds, loops_of_program(parts()),
        loops_of_nodes(parts(), aim));
    add("an if", 1, choice_of_program(parts()), choice_of_node(parts(), aim));
    add("a switch", 1, choice_of_program(parts()), number_of_node(parts(), aim));
  };
  add_groups(device, "");
  if (device.info().backend != "vulkan") return groups;
  // Only to see it: to llvmpipe a dispatch of no groups is as much as a small one.
  const std::size_t own = groups.size();
  add_groups(opened_for_indirect(device), ", indirect");
  for (std::size_t i = own; i < groups.size(); ++i)
    for (Mode& mode : groups[i].modes) mode.aims.clear();
  return groups;
}

}  // namespace bench
