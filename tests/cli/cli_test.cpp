// The program `reel`, run as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <reel/device.hpp>

#include "run_program.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string program = REEL_PROGRAM;
const Environment no_opencl = {{"REEL_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so"}};

TEST(Cli, SaysItsVersion) {
  const Outcome run = run_program({program, "--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "reel " REEL_VERSION "\n");
}

TEST(Cli, HelpListsTheVerbsAndAnExample) {
  const Outcome run = run_program({program, "--help"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("devices"), HasSubstr("Examples:")));
  EXPECT_EQ(run.err, "");
}

TEST(Cli, OutputThatCannotBeWrittenIsAnError) {
  for (const char* words : {"devices", "devices --json", "--help"}) {
    const Outcome run =
        run_program({"/bin/sh", "-c", "\"$0\" " + std::string(words) + " >/dev/full", program});
    EXPECT_EQ(run.exit_code, 1) << words;
    EXPECT_THAT(run.err, HasSubstr("could not be written: No space left")) << words;
  }
}

TEST(Cli, WithoutAVerbShowsWhatToDoNext) {
  const Outcome run = run_program({program});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("reel help"));
}

// Two versions are installed, and the loader found the library of the other one first.
TEST(Cli, NoticesALibraryOfAnotherVersion) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers want to be loaded first";
#endif
  const Outcome run = run_program({program, "devices"}, {{"LD_PRELOAD", OTHER_VERSION_LIBRARY}});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("This is reel " REEL_VERSION), HasSubstr("of version 9.8.7"),
                             HasSubstr(OTHER_VERSION_LIBRARY), HasSubstr("LD_LIBRARY_PATH")));
}

// Neither a locale that isn't there, nor a home that can't be written, nor the want of a viewer of
// manuals changes an answer.
TEST(Cli, AnswersWhateverTheSurroundingsLack) {
  const Outcome usual = run_program({program, "help", "replay"});
  ASSERT_EQ(usual.exit_code, 0);
  const Environment surroundings[] = {{{"LC_ALL", "xx"}},
                                      {{"LC_ALL", "xx_YY.UTF-8"}, {"LANG", "nonsense"}},
                                      {{"HOME", "/nonexistent"}, {"XDG_CACHE_HOME", "/proc"}},
                                      {{"PATH", "/nonexistent"}, {"MANPAGER", "/nonexistent"}},
                                      {{"TERM", "nonsense"}, {"COLUMNS", "40"}}};
  for (const Environment& environment : surroundings) {
    const Outcome run = run_program({program, "help", "replay"}, environment);
    EXPECT_EQ(run.exit_code, 0) << environment[0].first;
    EXPECT_EQ(run.out, usual.out) << environment[0].first;
    EXPECT_EQ(run.err, "") << environment[0].first;
    EXPECT_EQ(run_program({program, "devices", "--json"}, environment).exit_code, 0)
        << environment[0].first;
  }
}

TEST(Cli, SuggestsTheNearestVerb) {
  for (const char* typed : {"device", "devcies", "dev", "Devices"}) {
    const Outcome run = run_program({program, typed});
    EXPECT_EQ(run.exit_code, 2) << typed;
    EXPECT_EQ(run.out, "") << typed;
    EXPECT_THAT(run.err, HasSubstr("'" + std::string(typed) + "'; did you mean 'devices'?"));
  }
}

TEST(Cli, GuessesNothingForAVerbLikeNoOther) {
  const Outcome run = run_program({program, "sing"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("There is no verb 'sing'"), Not(HasSubstr("mean"))));
}

TEST(Cli, AWrongFlagOrArgumentIsAUsageError) {
  EXPECT_EQ(run_program({program, "devices", "--jsno"}).exit_code, 2);
  EXPECT_EQ(run_program({program, "devices", "all"}).exit_code, 2);
  EXPECT_EQ(run_program({program, "--nonsense"}).exit_code, 2);
  const Outcome both = run_program({program, "devices", "--json", "--verbose"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, AllOf(HasSubstr("--json"), HasSubstr("--verbose")));
}

TEST(CliDevices, TheTableHasALineForEveryDevice) {
  const Outcome run = run_program({program, "devices"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, StartsWith("ID "));
  for (const DeviceInfo& device : devices()) {
    EXPECT_THAT(run.out,
                HasSubstr(device.available() ? "\n" + device.id + " " : device.unavailable));
    EXPECT_THAT(run.out, HasSubstr(device.name));
  }
  EXPECT_THAT(run.out, AllOf(HasSubstr(" GiB "), Not(HasSubstr(" \n"))));
}

TEST(CliDevices, VerboseAddsLimitsAndKernelForms) {
  const Outcome run = run_program({program, "devices", "--verbose"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("kernel forms"), HasSubstr("largest group"),
                             HasSubstr("shared memory")));
  EXPECT_THAT(run_program({program, "devices"}).out, Not(HasSubstr("kernel forms")));
}

TEST(CliDevices, JsonHasEveryFieldOfEveryDevice) {
  const Outcome run = run_program({program, "devices", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto answer = nlohmann::json::parse(run.out);
  EXPECT_EQ(answer["schema_version"], 1);
  const auto& listed = answer["devices"];
  const std::vector<DeviceInfo> expected = devices();
  ASSERT_EQ(listed.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const DeviceInfo& device = expected[i];
    const nlohmann::json dimensions = {device.max_group_size.x, device.max_group_size.y,
                                       device.max_group_size.z};
    nlohmann::json forms = nlohmann::json::array();
    for (const KernelForm form : device.kernel_forms) forms.push_back(to_string(form));
    const nlohmann::json groups = {device.max_groups.x, device.max_groups.y, device.max_groups.z};
    EXPECT_EQ(listed[i], nlohmann::json({
                             {"id", device.id},
                             {"backend", device.backend},
                             {"name", device.name},
                             {"type", device.type},
                             {"driver", device.driver},
                             {"driver_version", device.driver_version},
                             {"api_version", device.api_version},
                             {"available", device.unavailable.empty()},
                             {"unavailable", device.unavailable},
                             {"memory_bytes", device.memory_bytes},
                             {"max_buffer_bytes", device.max_buffer_bytes},
                             {"max_binding_bytes", device.max_binding_bytes},
                             {"binding_alignment_bytes", device.binding_alignment_bytes},
                             {"compute_units", device.compute_units},
                             {"max_group_items", device.max_group_items},
                             {"max_group_size", dimensions},
                             {"max_groups", groups},
                             {"max_shared_bytes", device.max_shared_bytes},
                             {"can_stamp_time", device.can_stamp_time},
                             {"stamp_resolution_ns", device.stamp_resolution_ns},
                             {"can_dispatch_indirect", device.can_dispatch_indirect},
                             {"can_dispatch_conditionally", device.can_dispatch_conditionally},
                             {"takes_images", device.takes_images},
                             {"maps_memory", device.maps_memory},
                             {"takes_stream_priority", device.takes_stream_priority},
                             {"takes_free_grids", device.takes_free_grids},
                             {"takes_partial_groups", device.takes_partial_groups},
                             {"wants_barriers", device.wants_barriers},
                             {"kernel_forms", forms},
                         }))
        << device.id;
  }
}

TEST(CliDevices, AMissingDriverLibraryIsNamedWithTheReason) {
  const Outcome run = run_program({program, "devices"}, no_opencl);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("Can't be opened"), HasSubstr("/nonexistent/libOpenCL.so"),
                             HasSubstr("\nhost "), Not(HasSubstr("\nopencl:"))));
}

TEST(CliDevices, JsonTellsTheReasonToo) {
  const auto answer =
      nlohmann::json::parse(run_program({program, "devices", "--json"}, no_opencl).out);
  const auto& listed = answer["devices"];
  const auto opencl = std::find_if(listed.begin(), listed.end(), [](const auto& device) {
    return device["backend"] == "opencl";
  });
  ASSERT_NE(opencl, listed.end());
  EXPECT_EQ((*opencl)["available"], false);
  EXPECT_THAT((*opencl)["unavailable"].get<std::string>(), HasSubstr("/nonexistent/libOpenCL.so"));
}

TEST(CliDevices, StylesAreForTerminalsOnly) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "There are no pseudo-terminals here (/dev/pts).";
  const Environment terminal = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
  EXPECT_THAT(run_on_terminal({program, "devices"}, terminal).out, HasSubstr("\033[1m"));
  EXPECT_THAT(run_program({program, "devices"}, terminal).out, Not(HasSubstr("\033")));
}

TEST(CliDevices, NoColorIsRespected) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "There are no pseudo-terminals here (/dev/pts).";
  const Outcome run = run_on_terminal({program, "devices"}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("host"), Not(HasSubstr("\033"))));
}

}  // namespace
}  // namespace reel::test
