// program_graphs.hpp - a fixture that makes graphs of random programs, and looks at what they did.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decisions/pick.hpp"
#include "decisions/random_program.hpp"

namespace reel::test {

class RandomPrograms : public DecidingTest {
 protected:
  void SetUp() override {
    DecidingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    buffers = make_buffers("b");
    forget_calls();
  }

  using Buffers = std::vector<Buffer>;
  Buffers make_buffers(const std::string& name) const;

  // A statement is the node that has its place in the block.
  Graph graph_of(const Block& block) const { return graph_of(block, buffers); }
  Graph graph_of(const Block& block, const Buffers& on) const;

  Memory reset() const { return reset(buffers); }
  Memory reset(const Buffers& on) const;
  void expect(const Memory& memory, std::string_view how) const { expect(memory, how, buffers); }
  void expect(const Memory& memory, std::string_view how, const Buffers& on) const;

  // Functions of graphs that are made from here on were never called.
  void forget_calls() { calls_ = std::make_shared<Calls>(); }
  std::uint32_t calls(std::size_t number) const { return (*calls_)[number]; }

  Buffers buffers;

 private:
  using Calls = std::array<std::atomic<std::uint32_t>, Script::most>;

  void add(Graph& graph, const Statement& s, const Buffers& on) const;
  void add_decision(Graph& graph, const Statement& s, const Buffers& on) const;

  std::shared_ptr<Calls> calls_;
};

}  // namespace reel::test
