// What a program can't be made of, and labels that mean harm.
#include <gmock/gmock.h>

#include "any_device.hpp"
#include "backends/vulkan/kernels/shader.hpp"
#include "expect_error.hpp"
#include "export/program_run.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProgramFolderTest : public AnyDevice {
 protected:
  static Trace incremented(const CaptureOptions& options, const KernelSource& source) {
    const Stream stream = device().stream();
    const Buffer x = device().buffer_of(ramp(1), "x");
    const Kernel kernel = build(source);
    return captured([&] { stream.dispatch(kernel, over(256), inout(x), 256u); }, options);
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path("program");
};

TEST_P(ProgramFolderTest, NeedsTheBytesThatCommandsNeed) {
  for (const Contents contents : {Contents::none, Contents::hashes}) {
    const Trace trace = incremented({.contents = contents}, increment_source());
    expect_error(Code::unsupported, {"c0", "'x'", "bytes 0 to 1024", "contents 'inputs' or 'all'"},
                 [&] { write_program(trace, ProgramLanguage::cpp, folder_); });
  }
  EXPECT_FALSE(exists(folder_));
}

TEST_P(ProgramFolderTest, NeedsTheSourceOfEveryKernel) {
  KernelSource one_form = increment_source();
  one_form.name = "one_form";
  one_form.entry = "increment";
  if (!is("opencl")) one_form.opencl_c.clear();
  if (!is("vulkan")) one_form.glsl.clear();
  if (!is("host")) one_form.host = {};
  if (is("vulkan")) one_form.entry.clear();
  const Trace trace = incremented({}, one_form);
  if (is("host"))
    expect_error(Code::unsupported, {"'one_form'", "host (a C++ function"},
                 [&] { write_program(trace, ProgramLanguage::cpp, folder_); });
  else
    write_program(trace, ProgramLanguage::cpp, scratch_.path("cpp"));
  if (is("opencl"))
    write_program(trace, ProgramLanguage::python, folder_);
  else
    expect_error(Code::unsupported, {"'one_form'", "OpenCL C", is("host") ? "host" : "glsl"},
                 [&] { write_program(trace, ProgramLanguage::python, folder_); });
}

TEST_P(ProgramFolderTest, IsOfOneDevice) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "there is one device only";
  const Stream here = device().stream(), there = other.stream();
  const Buffer x = device().buffer(64, "x"), y = other.buffer(64, "y");
  const Trace trace = captured([&] {
    here.fill(x, 1u);
    there.fill(y, 1u);
  });
  expect_error(Code::unsupported, {"2 devices", device().info().id},
               [&] { write_program(trace, ProgramLanguage::cpp, folder_); });
}

TEST_P(ProgramFolderTest, HasCommands) {
  const Trace trace = captured([] {});
  expect_error(Code::unsupported, {"no commands"},
               [&] { write_program(trace, ProgramLanguage::cpp, folder_); });
}

TEST_P(ProgramFolderTest, IsWrittenIntoANewOrEmptyFolderOnly) {
  const Trace trace = incremented({.contents = Contents::all}, increment_source());
  std::filesystem::create_directories(folder_);
  write_program(trace, ProgramLanguage::cpp, folder_);
  const auto files = files_in(folder_);
  expect_error(Code::io_failed, {"not empty"},
               [&] { write_program(trace, ProgramLanguage::python, folder_); });
  EXPECT_EQ(files_in(folder_), files) << "as it was";
  expect_error(Code::io_failed, {"not a folder"},
               [&] { write_program(trace, ProgramLanguage::cpp, folder_ / "main.cpp"); });
}

TEST_P(ProgramFolderTest, LabelsAreNeitherCodeNorPaths) {
  const std::vector<std::string> labels{"../../escape",
                                        "/etc/passwd",
                                        "\"; int broken = oops(); //",
                                        "line\nbreak\r\n#error no",
                                        "*/ oops /*",
                                        "ends in a backslash\\",
                                        "\"\"\"\nraise SystemExit(3)\n\"\"\"",
                                        " text( words( \"data/",
                                        "{braces} %s %n",
                                        "class",
                                        "lambda",
                                        "stream",
                                        "EOF",
                                        "",
                                        "",
                                        "\xe2\x80\xae"
                                        "turned around",
                                        "not UTF-8 \xff",
                                        "X",
                                        "x",
                                        std::string(500, 'l')};
  const Stream stream = device().stream();
  std::vector<Buffer> buffers;
  for (const std::string& label : labels) buffers.push_back(device().buffer(64, label));
  KernelSource source = increment_source();
  source.name = "../\"k\"\n";
  source.entry = is("vulkan") ? "" : "increment";
  if (is("vulkan")) {  // and words of SPIR-V come into a file of their own
    source.spirv = vulkan::make_shader({.name = "increment", .glsl = source.glsl}).words;
    source.glsl.clear();
  }
  source.defines = {{"UNUSED", "\"a b\" /* c */ 'd'"}};
  const Kernel kernel = device().kernel(source);
  const Trace trace = captured(
      [&] {
        for (std::size_t i = 0; i < labels.size(); ++i) {
          const auto scope = stream.scope(labels[i]);
          stream.fill(buffers[i], static_cast<std::uint32_t>(i), labels[i]);
        }
        stream.dispatch(kernel, {.groups = {1}, .group_size = {64}, .label = labels[3]},
                        inout(buffers[3]), 16u);
      },
      {.contents = Contents::all});
  for (const auto language : {ProgramLanguage::cpp, ProgramLanguage::python}) {
    const std::filesystem::path folder =
        scratch_.path(language == ProgramLanguage::cpp ? "cpp" : "python");
    ProgramReport report = write_program(trace, language, folder);
    std::ranges::sort(report.files);
    EXPECT_EQ(files_in(folder), report.files);
    for (const std::string& file : report.files) {
      EXPECT_THAT(file, testing::MatchesRegex("(kernels/|data/)?[A-Za-z0-9_.]+"));
      EXPECT_THAT(file, Not(HasSubstr("..")));
    }
  }
  if (is("host")) return;  // names are made the same way everywhere
  if (is("vulkan")) {
    const Outcome compiled = compile_cpp(scratch_.path("cpp"));
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
    const Outcome outcome = run_program({scratch_.path("cpp") + "/program"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  } else if (why_no_python().empty()) {
    const Outcome outcome = run_python(scratch_.path("python"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ProgramFolderTest, every_device(), device_name);

}  // namespace
}  // namespace reel::test
