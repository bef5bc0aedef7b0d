#include <cstdio>
#include <fstream>

#include "backends/vulkan/device/loader.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

// Not a test: what children are made to do.
TEST(VulkanChild, DISABLED_PrintDevices) {
  for (const DeviceInfo& info : devices())
    if (info.backend == "vulkan")
      std::printf("[%s] %s\n", info.id.c_str(), info.unavailable.c_str());
  try {
    open_device("vulkan");
    std::printf("opened\n");
  } catch (const Error& error) {
    std::printf("error %s: %s\n", to_string(error.code()), error.what());
  }
}

class VulkanHazard : public Vulkan {};
TEST_F(VulkanHazard, DISABLED_ACopyOfWhatIsBeingWritten) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data"), copy = device.buffer(256, "copy");
  const GraphExecutor executor(device);
  GraphSession pass = executor.begin();
  // Says that the kernel only reads, so that no barrier is issued before the copy.
  pass.dispatch(scale, {.groups = {1}}, in(data), 64u, 3u, 1u);
  pass.copy(copy, data);
  pass.finish();
  std::printf("messages: %llu\n",
              static_cast<unsigned long long>(vulkan::validation_message_count()));
}

TEST(VulkanLoader, SaysWhyWhenTheLibraryIsMissing) {
  const ChildResult child = run_in_child("VulkanChild.DISABLED_PrintDevices",
                                         "REEL_VULKAN_LIBRARY=/nowhere/libvulkan.so.1");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("[vulkan] The Vulkan library can't be loaded: /nowhere/"),
            std::string::npos)
      << child.output;
  EXPECT_NE(child.output.find("error no_device"), std::string::npos) << child.output;
}

TEST(VulkanLoader, SaysWhyWhenTheLibraryIsCorrupt) {
  const std::string path = ::testing::TempDir() + "corrupt_vulkan.so";
  std::ofstream(path) << "\x7f"
                         "ELF and then nothing of the kind";
  const ChildResult child =
      run_in_child("VulkanChild.DISABLED_PrintDevices", "REEL_VULKAN_LIBRARY=" + path);
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("[vulkan] The Vulkan library can't be loaded"), std::string::npos)
      << child.output;
}

TEST(VulkanLoader, SaysWhyWhenTheLibraryIsAnotherOne) {
  const ChildResult child =
      run_in_child("VulkanChild.DISABLED_PrintDevices", "REEL_VULKAN_LIBRARY=libm.so.6");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("not a Vulkan library"), std::string::npos) << child.output;
}

TEST(VulkanLoader, SaysWhyWhenNoDriverIsInstalled) {
  const ChildResult child =
      run_in_child("VulkanChild.DISABLED_PrintDevices",
                   "VK_ICD_FILENAMES=/nowhere/icd.json VK_DRIVER_FILES=/nowhere/icd.json");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("[vulkan] "), std::string::npos) << child.output;
  EXPECT_NE(child.output.find("error no_device"), std::string::npos) << child.output;
}

TEST_F(Vulkan, DriversWhoseVulkanIsASubsetAreListed) {
  // The loader hides them from programs that don't ask: those of Apple's GPUs, mostly.
  const char* const known[] = {"/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
                               "/usr/share/vulkan/icd.d/lvp_icd.json"};
  std::string manifest;
  for (const char* path : known) {
    std::ifstream file(path);
    if (manifest.empty()) manifest.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::size_t at = manifest.find("\"library_path\"");
  if (at == std::string::npos) GTEST_SKIP() << "no manifest of lavapipe";
  manifest.insert(at, "\"is_portability_driver\": true, ");
  const std::string path = ::testing::TempDir() + "portability_icd.json";
  std::ofstream(path) << manifest;
  const ChildResult child = run_in_child("VulkanChild.DISABLED_PrintDevices",
                                         "VK_ICD_FILENAMES=" + path + " VK_DRIVER_FILES=" + path);
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("[vulkan:0] \n"), std::string::npos) << child.output;
  EXPECT_NE(child.output.find("opened"), std::string::npos) << child.output;
}

TEST_F(Vulkan, DescribesItself) {
  const DeviceInfo& info = device.info();
  EXPECT_EQ(info.id, "vulkan:0");
  EXPECT_EQ(info.backend, "vulkan");
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_FALSE(info.driver_version.empty());
  EXPECT_EQ(info.api_version.rfind("Vulkan 1.", 0), 0u) << info.api_version;
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_GT(info.max_buffer_bytes, 0u);
  EXPECT_GT(info.max_binding_bytes, 0u);
  EXPECT_GT(info.binding_alignment_bytes, 0u);
  EXPECT_GE(info.max_group_items, 128u);
  EXPECT_GE(info.max_groups.x, 65535u);
  EXPECT_GE(info.max_shared_bytes, 16384u);
  EXPECT_TRUE(info.can_dispatch_indirect);
  EXPECT_TRUE(info.wants_barriers);
  EXPECT_EQ(info.kernel_forms, (std::vector{KernelForm::glsl, KernelForm::spirv}));
}

// The silence that the validation run asserts means something only if hazards are heard.
TEST(VulkanValidation, HearsAMissingBarrier) {
  const ChildResult child =
      run_in_child("VulkanHazard.DISABLED_ACopyOfWhatIsBeingWritten",
                   "REEL_VULKAN_VALIDATION=1 REEL_TEST_PROVOKES_VALIDATION=1");
  EXPECT_NE(child.output.find("SYNC-HAZARD"), std::string::npos) << child.output;
  EXPECT_EQ(child.output.find("messages: 0"), std::string::npos) << child.output;
}

TEST_F(Vulkan, HoldsThousandsOfBuffers) {
  const Stream stream = device.stream("many");
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    buffers.push_back(device.buffer(4 + i % 61, "small"));
    stream.fill(buffers.back().range(0, 4), i);
  }
  for (std::uint32_t i = 0; i < buffers.size(); i += 2) buffers[i] = {};  // holes
  for (std::uint32_t i = 0; i < buffers.size(); i += 2) {
    buffers[i] = device.buffer(4 + i % 61, "again");
    ASSERT_EQ(buffers[i].read<std::uint8_t>(), std::vector<std::uint8_t>(4 + i % 61, 0)) << i;
  }
  stream.synchronize();
  for (std::uint32_t i = 1; i < buffers.size(); i += 2)
    ASSERT_EQ(buffers[i].read<std::uint32_t>(0, 1)[0], i);
}

TEST_F(Vulkan, RefusesMoreMemoryThanThereIs) {
  const std::uint64_t half = device.info().memory_bytes / 2 + 1;
  if (half > device.info().max_buffer_bytes) GTEST_SKIP() << "half of it is too large for a buffer";
  if (half > std::uint64_t{4} << 30) GTEST_SKIP() << "would take too much memory here";
  try {
    const Buffer first = device.buffer(half, "first");
    const Buffer second = device.buffer(half, "second");
    FAIL() << "two halves and two bytes fitted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("'second'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(half)), std::string::npos);
  }
}

}  // namespace
}  // namespace reel
