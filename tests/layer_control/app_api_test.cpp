// reel_app.h in a program that uses libreel: its own capture, from C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "reel/reel.hpp"
#include "reel_app.h"

namespace reel {
namespace {

using testing::HasSubstr;

void add_one(const HostGroup& group, std::uint32_t* x) {
  group.for_each([&](const HostItem& item) { ++x[item.global.x]; });
}

class AppApi : public testing::Test {
 protected:
  AppApi() { std::filesystem::remove(path); }
  ~AppApi() override {
    if (reel_app_is_capturing()) reel_app_stop();
    reel_app_set_path(nullptr);
    std::filesystem::remove(path);
  }
  void work() {
    const Device device = open_device("host");
    const Kernel kernel =
        device.kernel({.name = "add_one", .host = host_kernel<&add_one>(), .group_size = {64}});
    Buffer x = device.buffer_of(std::vector<std::uint32_t>(64, 1), "x");
    Stream stream = device.stream("main");
    stream.dispatch(kernel, {.groups = {1}}, inout(x));
    stream.synchronize();
  }
  const std::string path = testing::TempDir() + "/app_api_" + std::to_string(getpid()) + ".reel";
};

TEST_F(AppApi, StartsAndStopsTheLibrarysCapture) {
  ASSERT_NE(reel_app(), nullptr);
  EXPECT_EQ(reel_app()->version, 1u);
  EXPECT_EQ(reel_app()->size_bytes, sizeof(reel_app_api));
  ASSERT_EQ(reel_app_start(path.c_str()), REEL_APP_DONE) << reel_app_last_error();
  EXPECT_TRUE(is_capturing());
  EXPECT_EQ(reel_app_is_capturing(), 1);
  reel_app_push_scope("outer");
  reel_app_push_scope("inner");
  work();
  reel_app_pop_scope();
  reel_app_pop_scope();
  reel_app_pop_scope();  // one too many does nothing
  ASSERT_EQ(reel_app_stop(), REEL_APP_DONE) << reel_app_last_error();

  const Trace trace = Trace::load(path);
  EXPECT_EQ(trace.commands().size(), 2u) << "the write and the dispatch";
  std::vector<std::string> names;
  for (const TraceRegion& region : trace.regions())
    if (region.kind == TraceRegion::Kind::named) names.push_back(trace.text(region.name));
  EXPECT_THAT(names, testing::UnorderedElementsAre("outer", "outer/inner"));
}

TEST_F(AppApi, ARefusalHasItsReasonUntilTheNextCall) {
  EXPECT_EQ(reel_app_stop(), REEL_APP_REFUSED);
  EXPECT_THAT(reel_app_last_error(), HasSubstr("no capture was started"));
  EXPECT_EQ(reel_app_start("/nonexistent/x.reel"), REEL_APP_REFUSED);
  EXPECT_THAT(reel_app_last_error(), HasSubstr("/nonexistent/x.reel"));
  EXPECT_EQ(reel_app_set_path(path.c_str()), REEL_APP_DONE);
  EXPECT_STREQ(reel_app_last_error(), "");
}

TEST_F(AppApi, ATriggerStartsWhereItWasToldToAndStops) {
  EXPECT_EQ(reel_app_trigger(), REEL_APP_REFUSED) << "no path yet";
  reel_app_set_path(path.c_str());
  ASSERT_EQ(reel_app_trigger(), REEL_APP_DONE) << reel_app_last_error();
  work();
  ASSERT_EQ(reel_app_trigger(), REEL_APP_DONE) << reel_app_last_error();
  EXPECT_FALSE(is_capturing());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(AppApi, AVersionOfTheFutureIsNotThere) {
  void* program = dlopen(nullptr, RTLD_LAZY);
  void* symbol = dlsym(program, "reel_app_get");
  ASSERT_NE(symbol, nullptr);
  const auto get = reinterpret_cast<reel_app_get_function>(symbol);
  EXPECT_EQ(get(2), nullptr);
  EXPECT_NE(get(1), nullptr);
  dlclose(program);
}

}  // namespace
}  // namespace reel
