// Traces, questions and pages that were moved from, and indices that a trace doesn't have.
#include <gtest/gtest.h>

#include <utility>

#include "document/sample_document.hpp"
#include "expect_error.hpp"
#include "reel/buffer_value.hpp"
#include "reel/page.hpp"
#include "reel/sql.hpp"

namespace reel::test {
namespace {

class MisusedTrace : public testing::Test {
 protected:
  TemporaryFolder folder;
  Trace trace = Trace::load(write_sample(folder / "s.reel"));
};

TEST_F(MisusedTrace, MovingCopies) {
  const std::size_t commands = trace.commands().size();
  const Trace other = std::move(trace);
  EXPECT_EQ(trace.commands().size(), commands);
  EXPECT_EQ(other.commands().size(), commands);
  PageData data(other);
  const PageData taken = std::move(data);
  EXPECT_FALSE(data.names().empty());
  EXPECT_EQ(data.names(), taken.names());
  EXPECT_EQ(data.trace().path(), other.path());
}

TEST_F(MisusedTrace, SqlThatWasMovedFromSaysSo) {
  Sql sql(trace);
  Sql taken = std::move(sql);
  sql.interrupt();
  expect_error(Code::invalid_argument, {"moved from"}, [&] { sql.query("select 1"); });
  expect_error(Code::invalid_argument, {"moved from"}, [&] { sql.tables(); });
  EXPECT_EQ(taken.query("select 1").rows.size(), 1u);
  taken.query("select 1", {}, {});  // who wants nothing gets nothing
}

TEST_F(MisusedTrace, WhatIsntThereIsNamed) {
  const auto commands = static_cast<std::uint32_t>(trace.commands().size());
  const auto buffers = static_cast<std::uint32_t>(trace.buffers().size());
  for (const std::uint32_t index : {commands, no_index})
    expect_error(Code::invalid_argument, {"There is no command", std::to_string(commands)},
                 [&] { describe_command(trace, index); });
  for (const std::uint32_t index : {buffers, no_index}) {
    expect_error(Code::invalid_argument, {"There is no buffer", std::to_string(buffers)},
                 [&] { describe_buffer(trace, index); });
    expect_error(Code::invalid_argument, {"There is no buffer"},
                 [&] { BufferValue(trace, index, 0); });
  }
  expect_error(Code::invalid_argument, {"There is no command"},
               [&] { BufferValue(trace, 0, commands); });
  EXPECT_EQ(BufferValue(trace, 0, no_index).size_bytes(), trace.buffers()[0].size_bytes);
}

}  // namespace
}  // namespace reel::test
