#include "decisions/random_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "decisions/pick.hpp"

namespace reel::test {

namespace {

// Thrown where a launch ends.
struct Ended {};

class Interpreter {
 public:
  explicit Interpreter(Machine& machine) : m_(machine.memory), machine_(machine) {}

  void run(const Block& block) {
    std::vector<const Statement*> order;
    for (const Statement& s : block) order.push_back(&s);
    std::ranges::stable_sort(order, {}, [](const Statement* s) { return s->place; });
    for (const Statement* s : order)
      if (s->enabled) run(*s);
  }

 private:
  void run(const Statement& s) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::mad:
        m_[s.target] = s.a * m_[s.target] + s.b;
        return;
      case Kind::mix:
        m_[s.target] = s.a * m_[s.source] + m_[s.other];
        return;
      case Kind::copy:
        m_[s.target] = m_[s.source];
        return;
      case Kind::fill:
        m_[s.target] = s.a;
        return;
      case Kind::pick:
        m_[s.target] = picked(m_[s.source], m_[s.target], s.a);
        return;
      case Kind::count_down:
        m_[s.target] = picked(0, m_[s.target], 0);
        return;
      case Kind::host_call:
        if (s.function->throws_at(machine_.times[s.function->number]++))
          fail(Code::host_call_failed, s);  // and all goes on
        return;
      case Kind::decide:
        decide(s);
        return;
    }
  }

  void decide(const Statement& s) {
    switch (s.decision) {
      case DecisionKind::if_else:
        if (ask(s))
          run(s.branches[0]);
        else if (s.branches.size() == 2)
          run(s.branches[1]);
        return;
      case DecisionKind::while_loop:
        for (std::uint64_t round = 0; ask(s); ++round) {
          if (s.limit && round >= s.limit) end(Code::timed_out, s);
          run(s.branches[0]);
        }
        return;
      case DecisionKind::switch_case: {
        const std::uint32_t branch = ask(s);
        if (branch >= s.branches.size()) end(Code::invalid_argument, s);
        run(s.branches[branch]);
        return;
      }
      case DecisionKind::repeat:
        for (std::uint32_t i = 0; i < s.a; ++i) run(s.branches[0]);
        return;
    }
  }

  std::uint32_t ask(const Statement& s) {
    if (!s.function) return m_[s.source];
    const std::uint32_t time = machine_.times[s.function->number]++;
    if (s.function->throws_at(time)) end(Code::host_call_failed, s);
    return s.function->answer_at(time);
  }
  void fail(Code code, const Statement& s) {
    if (!machine_.failure) machine_.failure = {code, s.label};
  }
  [[noreturn]] void end(Code code, const Statement& s) {
    fail(code, s);
    throw Ended();
  }

  Memory& m_;
  Machine& machine_;
};

}  // namespace

void interpret(const Block& block, Machine& machine) {
  try {
    Interpreter(machine).run(block);
  } catch (const Ended&) {
  }
}

void interpret(const Block& block, Memory& m) {
  Machine machine{.memory = m};
  interpret(block, machine);
  m = machine.memory;
}

std::string interpret_and_tell(const Block& block, Memory& m, std::uint32_t reads) {
  std::string below;
  const auto number = [](std::uint32_t value) { return std::to_string(value); };
  for (const Statement& s : block) {
    if (s.kind != Statement::Kind::decide) {
      interpret(Block{s}, m);
      ++reads;
      continue;
    }
    const auto branch = [&](std::uint32_t which) {
      return " branch" + number(which) + "(" + interpret_and_tell(s.branches[which], m) + ")";
    };
    const std::uint32_t value = m[s.source];
    std::string rounds;
    std::uint32_t count = 0;
    switch (s.decision) {
      case DecisionKind::if_else:
        below += " if=" + number(value) + "(1";
        if (value || s.branches.size() == 2) below += branch(value ? 0 : 1);
        below += ")";
        break;
      case DecisionKind::switch_case:
        below += " switch=" + number(value) + "(1" + branch(value) + ")";
        break;
      case DecisionKind::while_loop:
        for (; m[s.source]; ++count)
          rounds += " round" + number(count) + "(" + interpret_and_tell(s.branches[0], m, 1) + ")";
        below += " while=" + number(count) + "(1" + rounds + ")";
        break;
      case DecisionKind::repeat:
        for (; count < s.a; ++count)
          rounds += " round" + number(count) + "(" + interpret_and_tell(s.branches[0], m) + ")";
        below += " repeat=" + number(s.a) + "(0" + rounds + ")";
        break;
    }
  }
  return number(reads) + below;
}

Block Author::block(std::uint32_t depth) {
  Block result;
  const std::uint32_t count = 1 + below(4);
  for (std::uint32_t i = 0; i < count; ++i)
    if (depth < flag_count && below(2) == 0)
      decide(result, depth);
    else if (calls_functions_ && functions_ < Script::most && below(6) == 0)
      result.push_back(host_call());
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
  Statement s{.kind = Statement::Kind::decide, .source = flag};
  s.decision = static_cast<DecisionKind>(below(4));
  const std::uint32_t branches = s.decision == DecisionKind::switch_case ? 1 + below(4)
                                 : s.decision == DecisionKind::if_else   ? 1 + below(2)
                                                                         : 1;
  for (std::uint32_t i = 0; i < branches; ++i) s.branches.push_back(block(depth + 1));
  // What numbers a branch that isn't there, too.
  const bool is_risky = may_fail_ && below(calls_functions_ ? 4 : 2) == 0;
  const std::uint32_t answers = branches + (is_risky ? 1 : 0);
  if (may_fail_) s.label = "d" + std::to_string(labels_++);
  if (is_risky && s.decision == DecisionKind::while_loop) s.limit = 1 + below(below(4) ? 3 : 19);
  const bool asks = s.decision != DecisionKind::repeat;
  if (asks && calls_functions_ && functions_ < Script::most && below(5) == 0) {
    s.function = script(s.decision == DecisionKind::switch_case ? answers : 2 + below(2));
    result.push_back(std::move(s));
    return;
  }
  if (s.decision == DecisionKind::while_loop)
    s.branches[0].push_back({.kind = Statement::Kind::count_down, .target = flag});
  s.a = below(4);  // of a repeat
  if (asks)
    result.push_back({.kind = Statement::Kind::pick,
                      .target = flag,
                      .source = below(data_count),
                      .a = s.decision == DecisionKind::switch_case ? answers
                           : depth + 1 == flag_count || below(8) != 0
                               ? 1 + below(4)
                               : 1 + below(20)});  // more rounds than a device takes at once
  result.push_back(std::move(s));
}

Script Author::script(std::uint32_t modulus) {
  return {.number = functions_++, .modulus = modulus, .throws = below(3) == 0 ? 3 + below(5) : 0};
}

Statement Author::host_call() {
  Statement s{.kind = Statement::Kind::host_call, .label = "h" + std::to_string(labels_++)};
  s.function = script(1);
  return s;
}

Seeds seeds(Seeds usual) {
  const auto number = [](const char* name, std::uint32_t otherwise) {
    const char* given = std::getenv(name);
    return given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : otherwise;
  };
  return {number("REEL_TEST_SEED", usual.first), number("REEL_TEST_SEEDS", usual.count)};
}

}  // namespace reel::test
