// A program puts, runs and compares what a replay does, in its order, and leaves out the same.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "random_work.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "replay/foreign_document.hpp"
#include "replay/script/script.hpp"

namespace reel::test {
namespace {

using rerun::Action;
using rerun::Script;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Steps = std::vector<std::string>;

Script script_of(const Trace& trace) {
  return make_script(trace, 0, no_index, rerun::recorded_obstacles(trace),
                     rerun::kept_order(trace, rerun::find_unordered(trace)));
}

std::string range_text(const std::string& buffer, std::uint64_t begin, std::uint64_t end) {
  return buffer + "[" + std::to_string(begin) + "," + std::to_string(end) + ")";
}

// A name of the program's, that of the label "random 0".
std::string name_of(const Trace& trace, const TraceContents& row) {
  std::string name = trace.buffers()[row.buffer].label;
  std::ranges::replace(name, ' ', '_');
  return range_text(name, row.offset_bytes, row.offset_bytes + row.size_bytes);
}

// What a replay does, a line each: "c3" where a command begins.
Steps steps_of(const Trace& trace, const Script& script) {
  Steps steps;
  std::uint32_t begun = no_index;
  const auto begin = [&](std::uint32_t command) {
    if (std::exchange(begun, command) != command) steps.push_back(command_name(command));
  };
  const auto text = [&](const TraceContents& row) {
    const auto bytes = trace.bytes(row).value();
    return name_of(trace, row) + " " +
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto look = [&](std::uint32_t i) {
    const TraceContents& row = trace.contents()[i];
    steps.push_back(row.stored ? "look " + text(row) : "not checked");
  };
  for (const std::uint32_t i : script.at_start) steps.push_back("put " + text(trace.contents()[i]));
  for (const Action& action : script.actions) {
    if (action.kind == Action::Kind::run) begin(action.command);
    if (action.kind == Action::Kind::look) look(action.contents);
    if (action.kind != Action::Kind::put) continue;
    const TraceContents& row = trace.contents()[action.contents];
    if (row.role != ContentRole::input) begin(action.command);
    steps.push_back("put " + text(row));
  }
  for (const std::uint32_t i : script.at_end) look(i);
  return steps;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The same, read from the text of a program.
Steps steps_in(const Trace& trace, ProgramLanguage language, const std::filesystem::path& folder) {
  const bool is_cpp = language == ProgramLanguage::cpp;
  const std::string text = text_of(folder / (is_cpp ? "main.cpp" : "main.py"));
  // 1: a command; 2: unchecked; 3: is a put; 4 to 6: buffer, offset, size; 7: file.
  const std::regex one(is_cpp ? "// (c[0-9]+): |(not checked)|(?:(stream\\.write)\\(|is_equal\\("
                                "stream,\\s+\"[^\"]*\",\\s+)(\\w+)(?:\\.range\\((\\d+), (\\d+)\\))?"
                                ",\\s+(?:load\\()?\"([^\"]+)\""
                              : "# (c[0-9]+): |(not checked)|(?:(put)\\(queue,|is_equal\\(queue,"
                                "\\s+\"[^\"]*\",)\\s+(\\w+),\\s+(\\d+), (\\d+),\\s+\"([^\"]+)\"");
  Steps steps;
  for (std::sregex_iterator found(text.begin(), text.end(), one), end; found != end; ++found) {
    const std::smatch& match = *found;
    if (match[1].matched || match[2].matched) {
      steps.push_back(match[1].matched ? match[1].str() : "not checked");
      continue;
    }
    std::uint64_t offset = 0, size = 0;
    if (match[5].matched) {
      offset = std::stoull(match[5]);
      size = std::stoull(match[6]);
    } else {
      for (const TraceBuffer& buffer : trace.buffers()) {
        std::string name = buffer.label;
        std::ranges::replace(name, ' ', '_');
        if (name == match[4].str()) size = buffer.size_bytes;
      }
    }
    steps.push_back((match[3].matched ? "put " : "look ") +
                    range_text(match[4], offset, offset + size) + " " +
                    text_of(folder / match[7].str()));
  }
  return steps;
}

class ProgramScript : public AnyDevice {
 protected:
  Steps written(const Trace& trace, ProgramLanguage language) {
    const std::filesystem::path folder = scratch_.path("program" + std::to_string(programs_++));
    report_ = write_program(trace, language, folder);
    return steps_in(trace, language, folder);
  }
  void expect_script(const Trace& trace) {
    const Script script = script_of(trace);
    const Steps steps = steps_of(trace, script);
    for (const auto language : {ProgramLanguage::cpp, ProgramLanguage::python})
      EXPECT_EQ(written(trace, language), steps);
    for (const rerun::KeptOrder::Wait& wait : script.kept)
      EXPECT_LT(std::ranges::find(steps, command_name(wait.after)),
                std::ranges::find(steps, command_name(wait.command)));
  }

  const ScratchFolder scratch_;
  int programs_ = 0;
  ProgramReport report_;
};

TEST_P(ProgramScript, IsAReplaysForRandomWork) {
  const WorkKernels kernels{build(mad_source()), build(mix_source()), build(reverse_source())};
  const Stream stream = device().stream("work"), side = device().stream("side");
  for (std::uint32_t seed = 1; seed <= 6; ++seed)
    for (const Contents contents : {Contents::inputs, Contents::all}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << to_string(contents));
      RandomWork work(device(), kernels, seed, {.commands = 40});
      expect_script(
          captured([&] { work.give_all(stream), stream.synchronize(); }, {.contents = contents}));
      // Two streams, each waiting for the other; of both, and of one whose bytes the other changes.
      for (const bool is_part : {false, true}) {
        work.reset();
        CaptureOptions options{.contents = contents};
        if (is_part) options.stream = stream;
        expect_script(captured(
            [&] {
              for (std::size_t i = 0; i < work.size(); ++i) {
                work.give(i % 3 ? stream : side, i);
                (i % 3 ? stream : side).synchronize();
              }
            },
            options));
      }
    }
}

TEST_P(ProgramScript, IsRefusedWhereAReplayIs) {
  const WorkKernels kernels{build(mad_source()), build(mix_source()), build(reverse_source())};
  const Stream stream = device().stream("work");
  for (const Contents contents : {Contents::none, Contents::hashes}) {
    RandomWork work(device(), kernels, 7, {.commands = 40});
    const Trace trace =
        captured([&] { work.give_all(stream), stream.synchronize(); }, {.contents = contents});
    std::string reason;
    try {
      check_something_is_left(trace, script_of(trace));
    } catch (const Error& error) {
      reason = error.what();
    }
    ASSERT_NE(reason, "");
    expect_error(Code::unsupported, {reason},
                 [&] { write_program(trace, ProgramLanguage::cpp, scratch_.path("none")); });
  }
}

constexpr const char* source = R"(
kernel void set(global uint* x, uint value) { x[get_global_id(0)] = value; }
kernel void add(global const uint* x, global uint* y) { y[get_global_id(0)] += x[get_global_id(0)]; }
)";
constexpr std::uint64_t bytes = 256;
const Grid grid{.groups = {1, 1, 1}, .group_size = {64, 1, 1}};

TEST_P(ProgramScript, KeepsTheOrderThatTimesProve) {
  ForeignDocument made(scratch_.path(), info());
  const auto x = made.buffer(bytes, Bytes(bytes)), y = made.buffer(bytes, Bytes(bytes));
  const auto set = made.kernel("set", source), add = made.kernel("add", source);
  const auto first = made.dispatch(add, grid, {in(x, 0, bytes), both(y, 0, bytes)});
  const auto second = made.dispatch(set, grid, {both(x, 0, bytes), value(100u)}, made.stream(0));
  made.stamp(first, 30'000, 40'000);
  made.stamp(second, 10'000, 20'000);
  const Trace trace = made.load();
  Steps steps = written(trace, ProgramLanguage::python);
  std::erase_if(steps, [](const std::string& step) { return step.starts_with("put "); });
  EXPECT_THAT(steps, ElementsAre("c1", "c0"));
  EXPECT_THAT(report_.left_out, Contains(HasSubstr("in the order in which it ran")));
}

TEST_P(ProgramScript, LeavesOutWhatAReplayLeavesOutAndPutsWhatItWrote) {
  ForeignDocument made(scratch_.path(), info());
  const auto x = made.buffer(bytes, Bytes(bytes)), y = made.buffer(bytes, Bytes(bytes)),
             lost = made.buffer(bytes, Bytes(bytes));
  const auto set = made.kernel("set", source), add = made.kernel("add", source);
  const auto failed = made.dispatch(set, grid, {both(x, 0, bytes), value(100u)});
  const auto after = made.dispatch(add, grid, {in(x, 0, bytes), both(y, 0, bytes)});
  const auto opaque_one = made.dispatch(set, grid, {both(lost, 0, bytes), opaque()});
  made.dispatch(add, grid, {in(lost, 0, bytes), both(y, 0, bytes)});
  made.note("failed", "c0 set: CL_OUT_OF_RESOURCES");
  made.contents(ContentRole::check, failed, x, 0, Bytes(bytes, std::byte{1}));
  made.contents(ContentRole::check, after, y, 0, Bytes(bytes, std::byte{2}));
  made.check(opaque_one, lost, Bytes(bytes));
  const Trace trace = made.load();
  const Script script = script_of(trace);
  ASSERT_EQ(script.left_out.size(), 3u);
  for (const auto language : {ProgramLanguage::cpp, ProgramLanguage::python}) {
    const Steps steps = written(trace, language);
    EXPECT_THAT(steps, Contains("c1"));
    EXPECT_THAT(steps, testing::Not(Contains("c2")));
    EXPECT_THAT(steps, testing::Not(Contains("c3")));
    EXPECT_EQ(std::ranges::count_if(
                  steps, [](const std::string& step) { return step.ends_with("\1\1\1\1"); }),
              1);
    for (const auto& [c, obstacle] : script.left_out)
      EXPECT_THAT(report_.left_out, Contains(command_name(c) + " is left out: " + obstacle.reason));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ProgramScript, every_device(), device_name);

}  // namespace
}  // namespace reel::test
