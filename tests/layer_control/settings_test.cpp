// What the environment asks of the layer.
#include "layers/control/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace reel::layer {
namespace {

using testing::HasSubstr;

struct Read {
  Settings settings;
  std::string problem;
};

Read read(std::map<std::string, std::string> variables) {
  Read result;
  result.settings = read_settings(
      [&](const char* name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : found->second;
      },
      result.problem);
  return result;
}

Read allowed(std::map<std::string, std::string> variables) {
  variables.insert({"REEL_LAYER_CAPTURE", "x.reel"});
  variables.insert({"REEL_CAPTURE_ENABLED", "1"});
  return read(std::move(variables));
}

TEST(LayerSettings, NothingIsAskedForByDefault) {
  const Read result = read({});
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.settings.path, "");
  EXPECT_FALSE(result.settings.refused);
}

TEST(LayerSettings, TheLibrarysOwnCaptureIsNotTheLayers) {
  EXPECT_EQ(read({{"REEL_CAPTURE", "x.reel"}, {"REEL_CAPTURE_ENABLED", "1"}}).settings.path, "");
}

TEST(LayerSettings, TheGateMustBeOpen) {
  const Read result = read({{"REEL_LAYER_CAPTURE", "x.reel"}});
  EXPECT_THAT(result.problem, HasSubstr("REEL_CAPTURE_ENABLED is not 1"));
  EXPECT_EQ(result.settings.path, "");
  EXPECT_TRUE(result.settings.refused);
}

TEST(LayerSettings, EveryVariableIsRead) {
  const Settings s = allowed({{"REEL_CAPTURE_CONTENTS", "all"},
                              {"REEL_CAPTURE_LIMIT", "2Gi"},
                              {"REEL_CAPTURE_OVERWRITE", "1"},
                              {"REEL_CAPTURE_FIRST", "100"},
                              {"REEL_CAPTURE_KERNEL", "mat*"},
                              {"REEL_CAPTURE_AFTER", "1.5"},
                              {"REEL_CAPTURE_FOR", "250ms"},
                              {"REEL_LAYER_LAUNCHER", "reel-launch-1"}})
                         .settings;
  EXPECT_EQ(s.path, "x.reel");
  EXPECT_EQ(s.contents, Contents::all);
  EXPECT_EQ(s.limit_bytes, std::uint64_t{2} << 30);
  EXPECT_TRUE(s.overwrite);
  EXPECT_EQ(s.first, 100u);
  EXPECT_EQ(s.kernel, "mat*");
  EXPECT_DOUBLE_EQ(s.after_s, 1.5);
  EXPECT_DOUBLE_EQ(s.for_s, 0.25);
  EXPECT_EQ(s.launcher, "reel-launch-1");
  EXPECT_EQ(allowed({{"REEL_CAPTURE_COMMANDS", "5-7"}}).settings.commands, (CommandSpan{5, 7}));
  EXPECT_EQ(allowed({{"REEL_CAPTURE_COMMANDS", "5"}}).settings.commands, (CommandSpan{5, 5}));
  EXPECT_EQ(allowed({{"REEL_CAPTURE_SUBMITS", "10-20"}}).settings.submits, (CommandSpan{10, 20}));
  EXPECT_EQ(allowed({}).settings.stamps, StampDetail::enough);
  EXPECT_EQ(allowed({{"REEL_CAPTURE_STAMPS", "auto"}}).settings.stamps, StampDetail::enough);
  EXPECT_EQ(allowed({{"REEL_CAPTURE_STAMPS", "barriers"}}).settings.stamps, StampDetail::barriers);
  EXPECT_EQ(allowed({{"REEL_CAPTURE_STAMPS", "dispatches"}}).settings.stamps,
            StampDetail::dispatches);
  EXPECT_EQ(allowed({{"REEL_CAPTURE_STAMPS", "none"}}).settings.stamps, StampDetail::none);
  EXPECT_DOUBLE_EQ(allowed({{"REEL_CAPTURE_LAST", "3s"}}).settings.last_s, 3);
  EXPECT_TRUE(allowed({{"REEL_CAPTURE_TRIGGER", "1"}}).settings.trigger);
}

TEST(LayerSettings, NonsenseIsNamedAndNothingIsCaptured) {
  const std::map<std::string, std::vector<std::string>> nonsense = {
      {"REEL_CAPTURE_CONTENTS", {"some"}},
      {"REEL_CAPTURE_LIMIT", {"big", "1Q", "-1"}},
      {"REEL_CAPTURE_OVERWRITE", {"yes"}},
      {"REEL_CAPTURE_FIRST", {"0", "-3", "many", "3x"}},
      {"REEL_CAPTURE_COMMANDS", {"7-5", "a-b", "1-", "-"}},
      {"REEL_CAPTURE_SUBMITS", {"7-5", "x"}},
      {"REEL_CAPTURE_STAMPS", {"all", "barrier", "1"}},
      {"REEL_CAPTURE_AFTER", {"-1", "0", "soon", "inf", "nan", "1e300", "5m"}},
      {"REEL_CAPTURE_FOR", {"x"}},
      {"REEL_CAPTURE_LAST", {"0"}},
      {"REEL_CAPTURE_TRIGGER", {"2"}},
      {"REEL_LAYER_CAPTURE", {"x%y.reel", "x%"}},
  };
  for (const auto& [name, values] : nonsense)
    for (const std::string& value : values) {
      const Read result = allowed({{name, value}});
      EXPECT_THAT(result.problem, HasSubstr("'" + value + "'")) << name;
      EXPECT_EQ(result.settings.path, "") << name << "=" << value;
      EXPECT_TRUE(result.settings.refused) << name << "=" << value;
    }
}

TEST(LayerSettings, WindowsThatContradictEachOtherAreRefused) {
  EXPECT_THAT(allowed({{"REEL_CAPTURE_LAST", "3"}, {"REEL_CAPTURE_FIRST", "3"}}).problem,
              HasSubstr("REEL_CAPTURE_LAST and REEL_CAPTURE_FIRST"));
  EXPECT_THAT(allowed({{"REEL_CAPTURE_COMMANDS", "1-3"}, {"REEL_CAPTURE_TRIGGER", "1"}}).problem,
              HasSubstr("REEL_CAPTURE_COMMANDS and REEL_CAPTURE_TRIGGER"));
  EXPECT_EQ(allowed({{"REEL_CAPTURE_TRIGGER", "1"}, {"REEL_CAPTURE_FIRST", "3"}}).problem, "");
}

}  // namespace
}  // namespace reel::layer
