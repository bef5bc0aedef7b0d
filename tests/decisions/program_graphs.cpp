#include "decisions/program_graphs.hpp"

#include <stdexcept>

namespace reel::test {
namespace {

std::uint32_t call(std::atomic<std::uint32_t>& calls, const Script& script) {
  const std::uint32_t time = calls.fetch_add(1);
  if (script.throws_at(time)) throw std::runtime_error("as its script says");
  return script.answer_at(time);
}

}  // namespace

RandomPrograms::Buffers RandomPrograms::make_buffers(const std::string& name) const {
  Buffers made;
  for (std::size_t i = 0; i < data_count + flag_count; ++i)
    made.push_back(make(name + std::to_string(i)));
  return made;
}

Graph RandomPrograms::graph_of(const Block& block, const Buffers& on) const {
  Graph graph;
  for (const Statement& s : block) add(graph, s, on);
  return graph;
}

void RandomPrograms::add(Graph& graph, const Statement& s, const Buffers& on) const {
  using Kind = Statement::Kind;
  switch (s.kind) {
    case Kind::mad:
      add_mad(graph, on[s.target], s.a, s.b);
      return;
    case Kind::mix:
      add_mix(graph, on[s.source], on[s.other], on[s.target], s.a);
      return;
    case Kind::copy:
      graph.add_copy(on[s.target], on[s.source]);
      return;
    case Kind::fill:
      graph.add_fill(on[s.target], s.a);
      return;
    case Kind::pick:
      add_pick(graph, on[s.source], on[s.target], s.a);
      return;
    case Kind::count_down:
      add_pick(graph, on[0], on[s.target], 0);
      return;
    case Kind::host_call:
      graph.add_host_call(
          [calls = calls_, script = *s.function] { call((*calls)[script.number], script); },
          {.label = s.label});
      return;
    case Kind::decide:
      add_decision(graph, s, on);
      return;
  }
}

void RandomPrograms::add_decision(Graph& graph, const Statement& s, const Buffers& on) const {
  std::vector<Graph> branches;
  for (const Block& branch : s.branches) branches.push_back(graph_of(branch, on));
  Condition condition(on[s.source]);
  if (s.function)
    condition = Condition(
        [calls = calls_, script = *s.function] { return call((*calls)[script.number], script); });
  LoopLimits limits;
  if (s.limit) limits.iterations = s.limit;
  const NodeOptions options{.label = s.label};
  switch (s.decision) {
    case DecisionKind::if_else:
      if (branches.size() == 2)
        graph.add_if(condition, branches[0], branches[1], options);
      else
        graph.add_if(condition, branches[0], options);
      return;
    case DecisionKind::while_loop:
      graph.add_while(condition, branches[0], options, limits);
      return;
    case DecisionKind::switch_case:
      graph.add_switch(condition, branches, options);
      return;
    case DecisionKind::repeat:
      graph.add_repeat(s.a, branches[0], options);
      return;
  }
}

Memory RandomPrograms::reset(const Buffers& on) const {
  Memory memory{};
  for (std::uint32_t i = 0; i < memory.size(); ++i) {
    memory[i] = i < data_count ? 7 * i + 3 : 0;
    set(on[i], memory[i]);
  }
  return memory;
}

void RandomPrograms::expect(const Memory& memory, std::string_view how, const Buffers& on) const {
  for (std::uint32_t i = 0; i < memory.size(); ++i) {
    const Words found = contents(on[i]);
    ASSERT_EQ(found.front(), memory[i]) << how << ", buffer " << i;
    ASSERT_TRUE(i >= data_count || found.back() == memory[i]) << how << ", the end of " << i;
  }
}

}  // namespace reel::test
