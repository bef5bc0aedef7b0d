#include "any_device.hpp"

#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace reel::test {

namespace {

struct Opened {
  Device device;
  std::string why_not;  // the error, where it can't be opened
  std::map<std::string, Kernel> kernels;
};

std::mutex mutex;
std::map<std::string, std::unique_ptr<Opened>> all_opened;

// Devices that go another way than they would of themselves.
struct Way {
  const char *name, *selector, *variable, *value;
};
constexpr Way ways[] = {{"vulkan_indirect", "vulkan", "REEL_VULKAN_DECISIONS", "indirect"},
                        {"vulkan_split", "vulkan", "REEL_VULKAN_DECISIONS", "split"}};

Device open(const std::string& selector) {
  for (const Way& way : ways) {
    if (selector != way.name) continue;
    const char* found = std::getenv(way.variable);
    const std::string before = found ? found : "";  // empty means unset
    setenv(way.variable, way.value, 1);
    try {
      Device device = open_device(way.selector);
      setenv(way.variable, before.c_str(), 1);
      return device;
    } catch (...) {
      setenv(way.variable, before.c_str(), 1);
      throw;
    }
  }
  return open_device(selector);
}

Opened& opened(const std::string& selector) {
  const std::lock_guard lock(mutex);
  auto& entry = all_opened[selector];
  if (!entry) {
    entry = std::make_unique<Opened>();
    try {
      entry->device = open(selector);
    } catch (const std::exception& error) {
      entry->why_not = error.what();
    }
  }
  return *entry;
}

bool devices_are_required() {
  const char* value = std::getenv("REEL_REQUIRE_DEVICES");
  return value && std::string_view(value) == "1";
}

// Before static destruction: drivers are unloaded in an order of their own by then.
class CloseDevices : public testing::Environment {
  void TearDown() override { all_opened.clear(); }
};
[[maybe_unused]] const auto* const close_devices =
    testing::AddGlobalTestEnvironment(new CloseDevices);

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace

void AnyDevice::SetUp() {
  const Opened& mine = opened(GetParam());
  if (mine.device) return;
  if (devices_are_required()) FAIL() << "REEL_REQUIRE_DEVICES=1, but: " << mine.why_not;
  // ctest looks for these words. Where a device is missing all its tests are skipped, so none
  // that failed can be taken for skipped.
  GTEST_SKIP() << "The device is not here: " << mine.why_not;
}

Device AnyDevice::device(const std::string& selector) { return opened(selector).device; }

const DeviceInfo& AnyDevice::device_info(const std::string& selector) {
  return opened(selector).device.info();
}

Kernel AnyDevice::build(const KernelSource& source) {
  Opened& mine = opened(GetParam());
  std::string key = source.name;
  for (const Define& define : source.defines) key += " " + define.name + "=" + define.value;
  const std::lock_guard lock(mutex);
  Kernel& kernel = mine.kernels[key];
  if (!kernel) kernel = mine.device.kernel(source);
  return kernel;
}

Device AnyDevice::another_device() {
  for (const char* selector : {"host", "opencl", "vulkan"})
    if (selector != std::string_view(GetParam()) && opened(selector).device)
      return opened(selector).device;
  const Device again = open(GetParam());
  return again == device() ? Device() : again;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDevice);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CompilingDevice);
INSTANTIATE_TEST_SUITE_P(Each, AnyDevice, testing::Values("host", "opencl", "vulkan"), name_of);
INSTANTIATE_TEST_SUITE_P(Each, CompilingDevice, testing::Values("opencl", "vulkan"), name_of);

}  // namespace reel::test
