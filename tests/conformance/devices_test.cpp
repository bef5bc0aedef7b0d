// What can be found and opened, and what is said when it can't.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

#include "any_device.hpp"
#include "expect_error.hpp"

namespace reel::test {

namespace {

// $REEL_DEVICE for the length of a test.
class DeviceVariable {
 public:
  explicit DeviceVariable(const char* value) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~DeviceVariable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static constexpr const char* name = "REEL_DEVICE";
  static void set(const char* value) {
    if (value)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  }
  std::optional<std::string> before_;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

TEST(Devices, TheHostIsAlwaysThere) {
  const auto all = devices();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const DeviceInfo& info) {
    return info.backend == "host" && info.available();
  }));
}

TEST(Devices, IdsAreUniqueAndTheSameEachTime) {
  std::vector<std::string> ids, again;
  for (const auto& info : devices()) ids.push_back(info.id);
  for (const auto& info : devices()) again.push_back(info.id);
  EXPECT_EQ(ids, again);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Devices, EachOpensByItsIdOrSaysWhyNot) {
  for (const auto& info : devices()) {
    SCOPED_TRACE(info.id);
    if (info.available()) {
      const Device device = open_device(info.id);
      EXPECT_EQ(device.info().id, info.id);
      EXPECT_EQ(device.info().name, info.name);
      EXPECT_EQ(device.buffer(4).read<std::uint32_t>(), std::vector<std::uint32_t>{0});
    } else {
      expect_error(Code::no_device, {info.unavailable}, [&] { open_device(info.id); });
    }
  }
}

TEST(Devices, EachIsDescribed) {
  for (const auto& info : devices()) {
    SCOPED_TRACE(info.id);
    EXPECT_TRUE(info.backend == "host" || info.backend == "opencl" || info.backend == "vulkan");
    EXPECT_EQ(info.id.rfind(info.backend, 0), 0u);
    if (!info.available()) continue;
    EXPECT_FALSE(info.name.empty());
    const std::set<std::string> types{"cpu", "integrated gpu", "discrete gpu", "accelerator",
                                      "other"};
    EXPECT_TRUE(types.count(info.type)) << info.type;
    EXPECT_FALSE(info.driver.empty());
    EXPECT_FALSE(info.driver_version.empty());
    EXPECT_FALSE(info.api_version.empty());
    EXPECT_GE(info.memory_bytes, 1u << 20);
    EXPECT_GE(info.max_buffer_bytes, 1u << 20);
    EXPECT_LE(info.max_buffer_bytes, 1ull << 48);
    EXPECT_GE(info.max_binding_bytes, 1u << 20);
    EXPECT_LE(info.max_binding_bytes, info.max_buffer_bytes);
    EXPECT_GE(info.binding_alignment_bytes, 1u);
    EXPECT_EQ(info.binding_alignment_bytes & (info.binding_alignment_bytes - 1), 0u);
    EXPECT_LE(info.binding_alignment_bytes, 4096u);
    if (info.backend != "vulkan") {
      EXPECT_GE(info.compute_units, 1u);  // Vulkan has no word for them
    }
    EXPECT_GE(info.max_group_items, 128u);
    EXPECT_GE(info.max_group_size.x, 128u);
    EXPECT_GE(info.max_group_size.y, 1u);
    EXPECT_GE(info.max_group_size.z, 1u);
    EXPECT_LE(info.max_group_size.x, info.max_group_items);
    EXPECT_GE(info.max_groups.x, 65535u);
    EXPECT_GE(info.max_shared_bytes, 16384u);
    EXPECT_EQ(info.can_stamp_time, info.stamp_resolution_ns > 0);
    EXPECT_FALSE(info.kernel_forms.empty());
  }
}

TEST_P(AnyDevice, ASelectorIsABackendAnIndexOrPartOfTheName) {
  const DeviceInfo& mine = info();
  EXPECT_EQ(mine.backend, GetParam());
  EXPECT_EQ(open_device(mine.id).info().id, mine.id);
  if (mine.backend != "host") {
    EXPECT_EQ(open_device(mine.backend + ":0").info().backend, mine.backend);
  }
  const std::string part = mine.name.substr(0, 6);
  EXPECT_EQ(open_device(mine.backend + ":" + part).info().backend, mine.backend);
  EXPECT_EQ(open_device(mine.backend + ":" + lower(part)).info().backend, mine.backend);
  EXPECT_EQ(open_device(mine.backend + ":" + upper(part)).info().backend, mine.backend);
}

TEST_P(AnyDevice, TheEnvironmentChoosesTheDevice) {
  const DeviceVariable variable(GetParam());
  EXPECT_EQ(open_device().info().backend, GetParam());
  EXPECT_EQ(open_device("host").info().backend, "host");  // asked for: the variable is silent
}

TEST(Devices, AnEmptyVariableIsAsGoodAsNone) {
  const auto chosen = [](const char* value) {
    const DeviceVariable variable(value);
    return open_device().info().id;
  };
  EXPECT_EQ(chosen(""), chosen(nullptr));
}

TEST(Devices, AVariableThatMatchesNothingIsNamed) {
  const DeviceVariable variable("quantum:7");
  expect_error(Code::no_device, {"quantum:7", "REEL_DEVICE", "host"}, [] { open_device(); });
}

TEST(Devices, ASelectorThatMatchesNothingIsToldWhatThereIs) {
  std::string other = "host";
  for (const auto& info : devices())
    if (info.available()) other = info.id;
  for (const char* selector :
       {"opencl:99", "vulkan:99", "nonsense", "vulkan:zzz", "host:1", ":", "host ", " ",
        "opencl:-1", "opencl:0x0", "opencl:99999999999999999999999", "opencl:0:0"})
    expect_error(Code::no_device, {selector, "host", other}, [&] { open_device(selector); });
}

TEST(Devices, OneDeviceMayBeOpenedManyTimes) {
  std::vector<Device> opened;
  for (int i = 0; i < 20; ++i) opened.push_back(open_device("host"));
  for (const Device& device : opened) EXPECT_EQ(device.info().id, opened[0].info().id);
  EXPECT_TRUE(opened[3] == opened[3]);
}

}  // namespace reel::test
