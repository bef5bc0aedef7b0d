// The same text is compiled once, and never where something else might come of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "backends/opencl/kernels/kernel.hpp"
#include "base/handles.hpp"
#include "expect_error.hpp"
#include "opencl/opencl_device.hpp"

namespace reel::test {
namespace {

class ProgramCacheTest : public OpenclTest {
 protected:
  static cl_program program_of(const Kernel& kernel) {
    return static_cast<const opencl::BuiltKernel&>(*resource_of(kernel)).program();
  }
  int result_of(const KernelSource& source) {
    const Buffer a = device.buffer(sizeof(int), "a");
    const Stream stream = device.stream("s");
    stream.dispatch(device.kernel(source), {.groups = {1}, .group_size = {1}}, out(a));
    stream.synchronize();
    return a.read<int>().front();
  }
};

constexpr const char* two_kernels =
    "__kernel void first(__global int* a) { a[0] = 1; }\n"
    "__kernel void second(__global int* a) { a[0] = 2; }\n";

TEST_F(ProgramCacheTest, KernelsOfOneTextShareTheirProgramAndDoTheirOwn) {
  const KernelSource first{.name = "first", .opencl_c = two_kernels};
  const KernelSource second{.name = "second", .opencl_c = two_kernels};
  const Kernel a = device.kernel(first), b = device.kernel(second);
  EXPECT_EQ(program_of(a), program_of(b));
  EXPECT_EQ(result_of(first), 1);
  EXPECT_EQ(result_of(second), 2);
  EXPECT_EQ(result_of(first), 1);
}

TEST_F(ProgramCacheTest, OtherOptionsAreAnotherProgram) {
  const Kernel a = device.kernel({.name = "first", .opencl_c = two_kernels});
  const Kernel b =
      device.kernel({.name = "first", .opencl_c = two_kernels, .options = "-cl-mad-enable"});
  EXPECT_NE(program_of(a), program_of(b));
}

// Names and values that read alike when they are written one behind the other.
TEST_F(ProgramCacheTest, RandomDefinesAlwaysMeanWhatTheySay) {
  std::mt19937 random(3);
  for (int i = 0; i < 24; ++i) {
    const auto digit = [&] { return std::to_string(1 + random() % 3); };
    const std::string x = digit(), y = x + (random() % 2 ? digit() : "");
    const bool is_swapped = random() % 2;
    const KernelSource source{
        .name = "put",
        .opencl_c = "__kernel void put(__global int* a) { a[0] = 1000 * X + XX; }",
        .defines = {{is_swapped ? "XX" : "X", x}, {is_swapped ? "X" : "XX", y}}};
    const int first = std::stoi(is_swapped ? y : x), second = std::stoi(is_swapped ? x : y);
    ASSERT_EQ(result_of(source), 1000 * first + second);
  }
}

TEST_F(ProgramCacheTest, AFileThatIsIncludedMayChange) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("reel_included_" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  for (const int value : {1, 2, 3}) {
    std::ofstream(folder / "value.h") << "#define VALUE " << value << '\n';
    EXPECT_EQ(result_of({.name = "put",
                         .opencl_c = "#include \"value.h\"\n"
                                     "__kernel void put(__global int* a) { a[0] = VALUE; }",
                         .options = "-I " + folder.string()}),
              value);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(ProgramCacheTest, WhatDoesNotBuildIsToldEachTime) {
  for (int i = 0; i < 2; ++i)
    expect_error(Code::build_failed, {"wrong", "nowhere"}, [&] {
      device.kernel({.name = "wrong", .opencl_c = "__kernel void wrong() { nowhere(); }"});
    });
}

TEST_F(ProgramCacheTest, MoreProgramsThanAreKeptAllWork) {
  for (const int step : {1, 13})
    for (int i = 0; i < 66; i += step)
      ASSERT_EQ(result_of({.name = "put",
                           .opencl_c = "__kernel void put(__global int* a) { a[0] = " +
                                       std::to_string(i) + "; }"}),
                i);
}

}  // namespace
}  // namespace reel::test
