#include "decisions/random_program.hpp"

#include <cstdlib>

#include "decisions/pick.hpp"

namespace reel::test {

namespace {

void interpret(const Statement& s, Memory& m) {
  using Kind = Statement::Kind;
  switch (s.kind) {
    case Kind::mad:
      m[s.target] = s.a * m[s.target] + s.b;
      return;
    case Kind::mix:
      m[s.target] = s.a * m[s.source] + m[s.other];
      return;
    case Kind::copy:
      m[s.target] = m[s.source];
      return;
    case Kind::fill:
      m[s.target] = s.a;
      return;
    case Kind::pick:
      m[s.target] = picked(m[s.source], m[s.target], s.a);
      return;
    case Kind::count_down:
      m[s.target] = picked(0, m[s.target], 0);
      return;
    case Kind::decide:
      break;
  }
  switch (s.decision) {
    case DecisionKind::if_else:
      if (m[s.source])
        interpret(s.branches[0], m);
      else if (s.branches.size() == 2)
        interpret(s.branches[1], m);
      return;
    case DecisionKind::while_loop:
      for (std::uint32_t round = 0; m[s.source]; ++round) {
        if (s.b && round == s.b) throw Fault{s.name, m[s.source], s.decision};
        interpret(s.branches[0], m);
      }
      return;
    case DecisionKind::switch_case:
      if (m[s.source] >= s.branches.size()) throw Fault{s.name, m[s.source], s.decision};
      interpret(s.branches[m[s.source]], m);
      return;
    case DecisionKind::repeat:
      for (std::uint32_t i = 0; i < s.a; ++i) interpret(s.branches[0], m);
      return;
  }
}

}  // namespace

void interpret(const Block& block, Memory& m) {
  for (const Statement& s : block) interpret(s, m);
}

Block Author::block(std::uint32_t depth) {
  Block result;
  const std::uint32_t count = 1 + below(4);
  for (std::uint32_t i = 0; i < count; ++i)
    if (depth < flag_count && below(2) == 0)
      decide(result, depth);
    else
      result.push_back(plain());
  return result;
}

void Author::renumber(Block& block) {
  for (Statement& s : block) {
    if (s.kind == Statement::Kind::mad || s.kind == Statement::Kind::mix) {
      s.a = below(5);
      s.b = below(100);
    }
    if (s.kind == Statement::Kind::decide && s.decision == DecisionKind::repeat) s.a = below(4);
    for (Block& branch : s.branches) renumber(branch);
  }
}

Statement Author::plain() {
  using Kind = Statement::Kind;
  constexpr std::array kinds{Kind::mad, Kind::mad, Kind::mix, Kind::copy, Kind::fill};
  Statement s{.kind = kinds[below(kinds.size())]};
  s.target = below(data_count);
  do s.source = below(data_count);
  while (s.source == s.target);
  do s.other = below(data_count);
  while (s.other == s.target);
  s.a = below(5);
  s.b = below(100);
  return s;
}

void Author::decide(Block& result, std::uint32_t depth) {
  const std::uint32_t flag = fewest_flag + depth;
  Statement s{.kind = Statement::Kind::decide, .source = flag, .name = decisions_++};
  s.decision = static_cast<DecisionKind>(below(4));
  const bool may_fail = writes_ == Writes::what_may_fail && below(4) == 0;
  const std::uint32_t branches = s.decision == DecisionKind::switch_case ? 1 + below(4)
                                 : s.decision == DecisionKind::if_else   ? 1 + below(2)
                                                                         : 1;
  for (std::uint32_t i = 0; i < branches; ++i) s.branches.push_back(block(depth + 1));
  if (s.decision == DecisionKind::while_loop)
    s.branches[0].push_back({.kind = Statement::Kind::count_down, .target = flag});
  s.a = below(4);  // of a repeat
  if (may_fail && s.decision == DecisionKind::while_loop) s.b = 1 + below(below(4) ? 3 : 19);
  if (s.decision != DecisionKind::repeat)
    result.push_back({.kind = Statement::Kind::pick,
                      .target = flag,
                      .source = below(data_count),
                      .a = s.decision == DecisionKind::switch_case ? branches + (may_fail ? 1 : 0)
                           : depth + 1 == flag_count || below(8) != 0
                               ? 1 + below(4)
                               : 1 + below(20)});  // more rounds than a device takes at once
  result.push_back(std::move(s));
}

Seeds seeds(Seeds usual) {
  const auto number = [](const char* name, std::uint32_t otherwise) {
    const char* given = std::getenv(name);
    return given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : otherwise;
  };
  return {number("REEL_TEST_SEED", usual.first), number("REEL_TEST_SEEDS", usual.count)};
}

}  // namespace reel::test
