// Programs made of captured work do the same work again, and tell what differs.
#include <gmock/gmock.h>

#include "any_device.hpp"
#include "export/program_run.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Program : public AnyDevice {
 protected:
  void need_python() {
    if (why_no_python().empty()) return;
    const char* required = std::getenv("REEL_REQUIRE_DEVICES");
    if (required && std::string_view(required) == "1") FAIL() << why_no_python();
    GTEST_SKIP() << why_no_python();
  }

  // Every kind of command, every kind of argument.
  static Trace everything(const CaptureOptions& options = {.contents = Contents::all}) {
    const std::uint64_t part = std::max<std::uint64_t>(1024, info().binding_alignment_bytes);
    const Stream stream = device().stream("work"), side = device().stream("side");
    const Event event = device().event();
    const Buffer x = device().buffer_of(ramp(1), "x"), y = device().buffer(1024, "y"),
                 z = device().buffer(4 * part, "z"), w = device().buffer(1024, "w"),
                 real = device().buffer_of(std::vector<float>(64, 1.5f), "Real numbers"),
                 cube = device().buffer(8 * 4 * 2 * 4, "cube");
    const Kernel step = build(step_source()), reverse = build(reverse_source()),
                 scale = build(scale_source()), mixed = build(mixed_source()),
                 index = build(index_source({4, 2, 1}));
    Graph graph;
    graph.add_dispatch(step, over(64), in(x.range(0, 256)), out(y.range(0, 256)), 64u);
    graph.add_copy(y.range(512, 256), y.range(0, 256));
    GraphExec exec = graph.instantiate(device());
    return captured(
        [&] {
          const auto scope = stream.scope("layer0");
          exec.launch(stream);
          stream.record(event);
          side.wait(event);
          side.fill(x.range(0, 64), 5u);
          side.record(event);
          stream.wait(event);
          stream.write(w.range(512, 512), ramp(7, 128));
          stream.dispatch(step, over(256), in(x), out(y), 256u);
          stream.fill(z.range(0, part), std::uint16_t{0xabcd}, "clear");
          stream.copy(z.range(part, 512), y.range(256, 512));
          stream.dispatch(step, over(64), in(z.range(part, 256)), out(z.range(2 * part, 256)), 64u);
          stream.dispatch(reverse, over(256), in(y), out(w), shared(256));
          stream.barrier();
          stream.host_call([] {}, "nothing");
          stream.dispatch(scale, over(64), inout(real), 2.5f, 64u);
          stream.dispatch(mixed, {.groups = {1}, .group_size = {1}, .label = "eight"}, out(real),
                          8u, Mixed{{1, 2, 3, 4}, -5, 6, 7.5f, 8});
          stream.dispatch(index, {.groups = {2, 2, 2}, .group_size = {4, 2, 1}}, out(cube), 8u, 4u);
          std::vector<std::uint32_t> read(256);
          stream.read(w, read);
          stream.synchronize();
          stream.fill(w.range(0, 4), 9u);  // what was read is compared before this
        },
        options);
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path("program");
};

TEST_P(Program, InPythonDoesTheSameAndTellsWhatDiffers) {
  need_python();
  if (IsSkipped() || HasFatalFailure()) return;
  const ProgramReport report = write_program(everything(), ProgramLanguage::python, folder_);
  EXPECT_THAT(report.files, testing::IsSupersetOf({"main.py", "README.md", "kernels/step_once.cl",
                                                   "data/x_0.bin", "data/real_numbers_0.bin"}));
  EXPECT_THAT(report.left_out, Contains(HasSubstr("Host calls are left out")));
  EXPECT_THAT(report.left_out, Contains(HasSubstr("2 streams")));
  const Outcome outcome = run_python(folder_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << text_of(folder_ / "main.py");
  EXPECT_THAT(outcome.out, HasSubstr("step_once"));
  EXPECT_THAT(outcome.out, HasSubstr("equal, 1024 bytes"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("differs")));

  spoil(folder_ / "data/real_numbers_0.bin");
  const Outcome spoiled = run_python(folder_);
  EXPECT_EQ(spoiled.exit_code, 1) << spoiled.out << spoiled.err;
  EXPECT_THAT(spoiled.out, HasSubstr("differs first at byte "));
}

TEST_P(Program, InCppDoesTheSameAndTellsWhatDiffers) {
  const Trace trace = everything();
  const ProgramReport report = write_program(trace, ProgramLanguage::cpp, folder_);
  EXPECT_THAT(report.files,
              testing::IsSupersetOf({"main.cpp", "CMakeLists.txt", "README.md",
                                     "kernels/step_once.cl", "kernels/step_once.comp"}));
  const std::string main = text_of(folder_ / "main.cpp");
  if (is("host")) {  // its functions are not in a document: another form runs
    EXPECT_THAT(report.left_out, Contains(HasSubstr("that ran as host on host: 'step_once', ")));
    EXPECT_THAT(main, HasSubstr("argv[1] : \"opencl\""));
    return;
  }
  EXPECT_THAT(main, HasSubstr("argv[1] : \"" + info().backend + "\""));
  // One way to build it is enough for each.
  const std::filesystem::path build = scratch_.path("build");
  const Outcome built = is("opencl") ? build_cpp(folder_, build) : compile_cpp(folder_);
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err << main;
  const std::string program = (is("opencl") ? build : folder_) / "program";
  const Outcome outcome = run_program({program});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << main;
  EXPECT_THAT(outcome.out, HasSubstr("equal, 1024 bytes"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("differs")));

  const std::string other = is("opencl") ? "vulkan" : "opencl";
  if (another_device().info().backend != info().backend) {
    const Outcome elsewhere = run_program({program, other});
    EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.out << elsewhere.err;
  }
  EXPECT_EQ(run_program({program, "no such device"}).exit_code, 2);

  spoil(folder_ / "data/x_0.bin");
  const Outcome spoiled = run_program({program});
  EXPECT_EQ(spoiled.exit_code, 1) << spoiled.out << spoiled.err;
  EXPECT_THAT(spoiled.out, HasSubstr("differs first at byte 0"));
  std::filesystem::remove(folder_ / "data/x_0.bin");
  const Outcome missing = run_program({program});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("Can't read data/x_0.bin"));
}

TEST_P(Program, PutsBytesInPlaceBetweenCommandsWhereSomethingElseChangedThem) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(ramp(1), "x");
  const Kernel mad = build(mad_source());
  const Trace trace = captured(
      [&] {
        const auto give = [&] { stream.dispatch(mad, over(256), inout(x), 3u, 1u, 256u); };
        {
          const auto scope = stream.scope("taken");
          give();
        }
        give();  // not captured
        const auto scope = stream.scope("taken");
        give();
      },
      {.contents = Contents::all, .scope = "taken"});
  ASSERT_EQ(trace.commands().size(), 2u);
  write_program(trace, ProgramLanguage::python, folder_);
  const std::string main = text_of(folder_ / "main.py");
  EXPECT_THAT(main, HasSubstr("x_0_before_c1.bin"));
  EXPECT_THAT(main, HasSubstr("x_0_after_c0.bin"));
  need_python();
  if (!is("opencl") || IsSkipped() || HasFatalFailure()) return;
  const Outcome outcome = run_python(folder_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << main;
}

TEST_P(Program, NeverCallsEqualWhatItHasOnlyTheHashOf) {
  const Trace trace = everything({.contents = Contents::inputs});
  const ProgramReport report = write_program(trace, ProgramLanguage::python, folder_);
  EXPECT_THAT(report.left_out, Contains(HasSubstr("only the hash are not checked: ")));
  const std::string main = text_of(folder_ / "main.py");
  EXPECT_THAT(main, HasSubstr("not checked: only the hash of its 1024 bytes was recorded"));
  EXPECT_THAT(main, Not(HasSubstr("is_equal")));
  need_python();
  if (!is("opencl") || IsSkipped() || HasFatalFailure()) return;
  const Outcome outcome = run_python(folder_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not checked"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("equal")));
}

TEST_P(Program, TakesAGridFromABuffer) {
  if (!info().can_dispatch_indirect) return;  // nothing to write a program of
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(ramp(1), "x"),
               grid = device().buffer_of(Words{2, 1, 1, 0}, "grid");
  const Kernel mad = build(mad_source());
  const Trace trace = captured(
      [&] {
        stream.dispatch_indirect(mad, grid.range(0, 12), {.group_size = {64}}, inout(x), 3u, 1u,
                                 256u);
      },
      {.contents = Contents::all});
  write_program(trace, ProgramLanguage::cpp, folder_);
  EXPECT_THAT(text_of(folder_ / "main.cpp"),
              HasSubstr("stream.dispatch_indirect(mul_add_kernel, grid.range(0, 12), "
                        "{.group_size = {64}}"));
  const std::filesystem::path python = scratch_.path("python");
  write_program(trace, ProgramLanguage::python, python);
  need_python();
  if (IsSkipped() || HasFatalFailure()) return;
  const Outcome outcome = run_python(python);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << text_of(python / "main.py");
}

TEST_P(Program, SkipsWhatAWordSkips) {
  if (!info().can_dispatch_conditionally) return;  // nothing to write a program of
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(ramp(1), "x"), flag = device().buffer_of(Words{0, 1}, "flag");
  const Kernel mad = build(mad_source());
  const std::vector<Argument> arguments{inout(x), 3u, 1u, 256u};
  const Trace trace = captured(
      [&] {
        for (const std::uint64_t word : {0u, 1u})
          stream.enqueue({Dispatch{.kernel = mad,
                                   .groups = {4},
                                   .group_size = {64},
                                   .arguments = arguments,
                                   .predicate = {flag.range(4 * word, 4), word == 1}}});
        stream.fill(flag, 3u);
        stream.enqueue({Dispatch{.kernel = mad,
                                 .groups = {4},
                                 .group_size = {64},
                                 .arguments = arguments,
                                 .predicate = {flag.range(4, 4), false}}});
      },
      {.contents = Contents::all});
  write_program(trace, ProgramLanguage::cpp, folder_);
  const std::string main = text_of(folder_ / "main.cpp");
  EXPECT_THAT(main, HasSubstr("  if (word_in(stream, flag.range(0, 4)) != 0)\n    timed("));
  EXPECT_THAT(main, HasSubstr("  if (word_in(stream, flag.range(4, 4)) == 0)\n    timed("));
  const std::filesystem::path python = scratch_.path("python");
  write_program(trace, ProgramLanguage::python, python);
  need_python();
  if (IsSkipped() || HasFatalFailure()) return;
  const Outcome outcome = run_python(python);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << text_of(python / "main.py");
}

TEST_P(Program, InCppLaunchesByItemsWithAnOffset) {
  if (!is("opencl")) return;  // the one whose kernels see an offset, and that a document holds
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(ramp(1), "x");
  const Kernel mark = device().kernel({.name = "mark", .opencl_c = R"(
kernel void mark(global uint* x, global uint* none) {
  x[get_global_id(0)] += get_local_size(0) + (none ? 1 : 0);
})"});
  const Trace trace = captured(
      [&] {
        stream.dispatch(mark, {.items = {128}, .group_size = {64}, .offset = {7, 0, 0}}, inout(x),
                        Argument::null_pointer());
        stream.dispatch(mark, {.items = {5}}, inout(x), Argument::null_pointer());
      },
      {.contents = Contents::all});
  const ProgramReport report = write_program(trace, ProgramLanguage::cpp, folder_);
  const std::string main = text_of(folder_ / "main.cpp");
  EXPECT_THAT(main, HasSubstr("{.groups = {2}, .group_size = {64}, .offset = {7, 0, 0}}"));
  EXPECT_THAT(main, HasSubstr("{.items = {5}}"));
  const Outcome built = compile_cpp(folder_);
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err << main;
  const Outcome outcome = run_program({folder_ / "program"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err << main;
  EXPECT_THAT(outcome.out, HasSubstr("equal"));
}

INSTANTIATE_TEST_SUITE_P(Each, Program, every_device(), device_name);

}  // namespace
}  // namespace reel::test
