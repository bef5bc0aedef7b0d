#include "ops/on_device.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

namespace reel::ops {
namespace {

struct Opened {
  Device device;
  std::unique_ptr<Ops> ops;
  std::string unavailable = "no driver for it is listed";
};

// Compiled once for all tests, and let go before the program ends.
class Devices : public testing::Environment {
 public:
  static Opened& get(const std::string& backend) {
    const auto found = opened().find(backend);
    if (found != opened().end()) return found->second;
    Opened& entry = opened()[backend];
    for (const DeviceInfo& info : devices()) {
      if (info.backend != backend) continue;
      entry.unavailable = info.unavailable;
      if (!info.available()) continue;
      entry.device = open_device(info.id);
      entry.ops = std::make_unique<Ops>(entry.device);
      break;
    }
    return entry;
  }
  void TearDown() override { opened().clear(); }

 private:
  static std::map<std::string, Opened>& opened() {
    static std::map<std::string, Opened> map;
    return map;
  }
};
const auto* environment = testing::AddGlobalTestEnvironment(new Devices);

}  // namespace

void OnDevice::SetUp() {
  Opened& opened = Devices::get(GetParam());
  if (!opened.ops) {
    const char* required = std::getenv("REEL_REQUIRE_DEVICES");
    if (required && std::string_view(required) == "1")
      FAIL() << GetParam() << " is required here: " << opened.unavailable;
    GTEST_SKIP() << GetParam() << ": " << opened.unavailable;
  }
  device = opened.device;
  ops = opened.ops.get();
  stream = device.stream("test");
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * (1 + std::abs(expected[i])))
        << what << ": element " << i << " is " << found[i] << ", expected " << expected[i];
}

}  // namespace reel::ops
