#include "ops/on_device.hpp"

#include <map>
#include <memory>

namespace reel::ops {
namespace {

std::map<std::string, std::unique_ptr<Ops>> all_ops;

// Before static destruction, as the devices themselves.
class LetGo : public testing::Environment {
  void TearDown() override { all_ops.clear(); }
};
[[maybe_unused]] const auto* const let_go = testing::AddGlobalTestEnvironment(new LetGo);

}  // namespace

void OnDevice::SetUp() {
  AnyDevice::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  device = AnyDevice::device();
  stream = device.stream("test");
  auto& compiled = all_ops[GetParam()];
  if (!compiled) compiled = std::make_unique<Ops>(device);
  ops = compiled.get();
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * (1 + std::abs(expected[i])))
        << what << ": element " << i << " is " << found[i] << ", expected " << expected[i];
}

}  // namespace reel::ops
