// Building, reflection, sub-buffers and fills.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/kernels/reflection.hpp"
#include "base/handles.hpp"
#include "expect_error.hpp"
#include "opencl/opencl_device.hpp"
#include "opencl/types.hpp"

namespace reel::test {
namespace {

TEST_F(OpenclTest, ABuildFailureHasTheLineOfTheSourceWhateverTheDefines) {
  const KernelSource source{
      .name = "wrong",
      .opencl_c = "__kernel void wrong(__global int* a) {\n  a[0] = N;\n  a[1] = nowhere;\n}\n",
      .defines = {{"N", "1 + 2"}, {"M", ""}}};
  expect_error(Code::build_failed, {"wrong", "CL_BUILD_PROGRAM_FAILURE", ":3:", "nowhere"},
               [&] { device.kernel(source); });
}

TEST_F(OpenclTest, AMissingEntryPointNamesTheKernelsThereAre) {
  const KernelSource source{.name = "third",
                            .opencl_c =
                                "__kernel void first(__global int* a) { a[0] = 1; }\n"
                                "__kernel void second(__global int* a) { a[0] = 2; }\n"};
  expect_error(Code::build_failed, {"third", "'first', 'second'"}, [&] { device.kernel(source); });
}

TEST_F(OpenclTest, DefinesMayHaveSpaces) {
  const Kernel kernel =
      device.kernel({.name = "put",
                     .opencl_c = "__kernel void put(__global int* a) { a[0] = VALUE; }",
                     .defines = {{"VALUE", "40 + 2"}}});
  const Buffer a = device.buffer(4, "a");
  const Stream stream = device.stream("s");
  stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, out(a));
  stream.synchronize();
  EXPECT_EQ(a.read<int>(), std::vector<int>{42});
}

TEST_F(OpenclTest, ReflectionTellsKindSizeAndAccess) {
  const Kernel kernel = device.kernel(
      {.name = "many",
       .opencl_c = "typedef struct { int a, b; } Pair;\n"
                   "__kernel __attribute__((reqd_work_group_size(8, 4, 2)))\n"
                   "void many(__global int* io, const __global int* i, __constant int* c,\n"
                   "          __local int* shared, uint u, float3 v, double16 w, Pair pair) {}\n"});
  const std::vector<Parameter>& p = kernel.parameters();
  ASSERT_EQ(p.size(), 8u);
  EXPECT_EQ(p[0].name, "io");
  EXPECT_EQ(p[0].kind, ArgumentKind::buffer);
  EXPECT_EQ(p[0].access, Access::read_write);
  EXPECT_EQ(p[1].access, Access::read);
  EXPECT_EQ(p[2].access, Access::read);
  EXPECT_EQ(p[3].kind, ArgumentKind::shared);
  EXPECT_EQ(p[4].kind, ArgumentKind::value);
  EXPECT_EQ(p[4].size_bytes, 4u);
  EXPECT_EQ(p[5].size_bytes, 16u);
  EXPECT_EQ(p[6].size_bytes, 128u);
  EXPECT_EQ(p[7].size_bytes, 0u) << "a struct's size is not known";
  EXPECT_EQ(kernel.group_size(), Dim3(8, 4, 2));
  EXPECT_EQ(p[0].element, ElementType::i32);
  EXPECT_EQ(p[2].element, ElementType::i32);
  EXPECT_EQ(p[3].element, std::nullopt) << "shared memory";
  EXPECT_EQ(p[4].element, ElementType::u32);
  EXPECT_EQ(p[5].element, ElementType::f32);
  EXPECT_EQ(p[6].element, ElementType::f64);
  EXPECT_EQ(p[7].element, std::nullopt);
}

TEST_F(OpenclTest, ReflectionTellsTheElementsOfBuffers) {
  const Kernel kernel = device.kernel(
      {.name = "many",
       .opencl_c = "typedef struct { int a, b; } Pair;\n"
                   "__kernel void many(__global char4* a, const __global unsigned short* b,\n"
                   "                   __global half* c, __constant ulong2* d, __global Pair* e,\n"
                   "                   __global float* restrict f) {}\n"});
  const std::vector<Parameter>& p = kernel.parameters();
  ASSERT_EQ(p.size(), 6u);
  EXPECT_EQ(p[0].element, ElementType::i8);
  EXPECT_EQ(p[1].element, ElementType::u16);
  EXPECT_EQ(p[2].element, ElementType::f16);
  EXPECT_EQ(p[3].element, ElementType::u64);
  EXPECT_EQ(p[4].element, std::nullopt) << "a struct";
  EXPECT_EQ(p[5].element, ElementType::f32);
}

TEST_F(OpenclTest, SizesOfBuiltInTypes) {
  EXPECT_EQ(builtin_type_bytes("uchar"), 1u);
  EXPECT_EQ(builtin_type_bytes("half2"), 4u);
  EXPECT_EQ(builtin_type_bytes("unsigned int"), 4u);
  EXPECT_EQ(builtin_type_bytes("long16"), 128u);
  EXPECT_EQ(builtin_type_bytes("float5"), 0u);
  EXPECT_EQ(builtin_type_bytes("Pair"), 0u);
  EXPECT_EQ(builtin_type_bytes("int4x"), 0u);
}

TEST_F(OpenclTest, ARangeBoundAgainUsesTheSameSubBuffer) {
  const Kernel kernel = device.kernel(
      {.name = "inc",
       .opencl_c = "__kernel void inc(__global int* a) { a[get_global_id(0)] += 1; }"});
  const std::uint64_t align = device.info().binding_alignment_bytes;
  const Buffer a = device.buffer(4 * align, "a");
  const auto& memory = static_cast<const opencl::DeviceBuffer&>(*resource_of(a));
  const Stream stream = device.stream("s");
  const Launch launch{.groups = {1}, .group_size = {1}};
  for (int i = 0; i < 10; ++i) {
    stream.dispatch(kernel, launch, inout(a.range(align, align)));
    stream.dispatch(kernel, launch, inout(a.range(2 * align, 2 * align)));
    stream.dispatch(kernel, launch, inout(a));
  }
  stream.synchronize();
  EXPECT_EQ(memory.sub_buffer_count(), 2u);
  EXPECT_EQ(a.read<int>(0, 1)[0], 10);
  EXPECT_EQ(a.read<int>(align / 4, 1)[0], 10);
  EXPECT_EQ(a.read<int>(2 * align / 4, 1)[0], 10);
}

TEST_F(OpenclTest, AWindowThatMovesForEverKeepsABoundedNumberOfSubBuffers) {
  const Kernel kernel = device.kernel(
      {.name = "inc",
       .opencl_c = "__kernel void inc(__global int* a) { a[get_global_id(0)] += 1; }"});
  const std::uint64_t align = device.info().binding_alignment_bytes;
  constexpr std::uint64_t windows = 1500;
  const Buffer a = device.buffer(windows * align, "a");
  const Stream stream = device.stream("s");
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t w = 0; w < windows; ++w)
      stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, inout(a.range(w * align, align)));
  stream.synchronize();
  EXPECT_LE(static_cast<const opencl::DeviceBuffer&>(*resource_of(a)).sub_buffer_count(),
            opencl::SubBuffers::most_lasting + opencl::SubBuffers::most_passing);
  const std::vector<int> values = a.read<int>();
  for (std::uint64_t w = 0; w < windows; ++w) EXPECT_EQ(values[w * align / 4], 2) << w;
}

// Each thread has a stream of its own; the kernel, the buffer and its sub-buffers are common. So
// many ranges that some of them pass, in orders that no guess gets right all the time.
TEST_F(OpenclTest, ThreadsThatBindRangesOfOneBufferInAnyOrderGetTheirs) {
  const Kernel kernel =
      device.kernel({.name = "add", .opencl_c = R"(__kernel void add(__global int* a, int by) {
                                         atomic_add(a + get_global_id(0), by);
                                       })"});
  const std::uint64_t align = device.info().binding_alignment_bytes;
  constexpr std::uint64_t windows = 1400;
  constexpr int threads = 3, dispatches = 3000;
  const Buffer a = device.buffer(windows * align, "a");
  std::vector<std::vector<int>> wanted(threads, std::vector<int>(windows));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t) + 1);
      const Stream stream = device.stream("s" + std::to_string(t));
      std::uint64_t window = 0;
      for (int i = 0; i < dispatches; ++i) {
        window = (random() % 4 ? window + 1 : random()) % windows;
        const std::uint64_t most = std::min<std::uint64_t>(windows - window, 3);
        const std::uint64_t length = align * (1 + random() % most);
        const int by = 1 + static_cast<int>(random() % 3);
        stream.dispatch(kernel, {.groups = {1}, .group_size = {1}},
                        inout(a.range(window * align, length)), by);
        wanted[static_cast<std::size_t>(t)][window] += by;
      }
      stream.synchronize();
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_LE(static_cast<const opencl::DeviceBuffer&>(*resource_of(a)).sub_buffer_count(),
            opencl::SubBuffers::most_lasting + opencl::SubBuffers::most_passing);
  const std::vector<int> values = a.read<int>();
  for (std::uint64_t w = 0; w < windows; ++w) {
    int sum = 0;
    for (const std::vector<int>& one : wanted) sum += one[w];
    ASSERT_EQ(values[w * align / 4], sum) << w;
  }
}

TEST_F(OpenclTest, AStreamHoldsNoMemoryOfBuffersThatAreGone) {
  const Kernel kernel = device.kernel(
      {.name = "inc",
       .opencl_c = "__kernel void inc(__global int* a) { a[get_global_id(0)] += 1; }"});
  const std::uint64_t align = device.info().binding_alignment_bytes;
  const Stream stream = device.stream("s");
  std::weak_ptr<BufferResource> gone;
  {
    const Buffer a = device.buffer(4 * align, "a");
    gone = resource_of(a);
    for (int i = 0; i < 20; ++i)
      stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, inout(a.range(align, align)));
    stream.synchronize();
  }
  EXPECT_TRUE(gone.expired());
  // Another one, perhaps at the same address: the argument is set again.
  const Buffer b = device.buffer(4 * align, "b");
  stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, inout(b.range(align, align)));
  stream.synchronize();
  EXPECT_EQ(b.read<int>(align / 4, 1)[0], 1);
}

TEST_F(OpenclTest, AFillMayStartBetweenTwoPatterns) {
  const Stream stream = device.stream("s");
  const Buffer a = device.buffer(64, "a");
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    for (std::uint64_t offset = 0; offset < 5; ++offset) {
      for (std::uint64_t count = 0; count < 4; ++count) {
        stream.fill<std::uint8_t>(a, 0xee);
        const std::uint64_t bytes = count * width;
        stream.fill(Fill{a.range(offset, bytes), 0x44332211, width});
        stream.synchronize();
        const auto found = a.read<std::uint8_t>();
        for (std::uint64_t i = 0; i < found.size(); ++i) {
          const bool inside = i >= offset && i < offset + bytes;
          const std::uint64_t place = (i - offset) % width;
          const int wanted = inside ? 0x11 * (static_cast<int>(place) + 1) : 0xee;
          ASSERT_EQ(found[i], wanted) << width << " bytes at " << offset << ", byte " << i;
        }
      }
    }
  }
}

TEST_F(OpenclTest, TheClockIsThatOfTheStamps) {
  const Stream stream = device.stream("s");
  const Buffer a = device.buffer(1 << 20, "a");
  const Event before = device.event("before"), after = device.event("after");
  stream.fill<std::uint8_t>(a, 1);
  stream.record(before);
  stream.fill<std::uint8_t>(a, 2);
  stream.record(after);
  stream.synchronize();
  const Event later = device.event("later");
  stream.record(later);  // on an idle queue: stamped by the clock itself
  later.synchronize();
  ASSERT_TRUE(before.time_ns() && after.time_ns() && later.time_ns());
  EXPECT_LE(*before.time_ns(), *after.time_ns());
  EXPECT_LE(*after.time_ns(), *later.time_ns());
  EXPECT_LT(*later.time_ns() - *after.time_ns(), 60'000'000'000u);
}

}  // namespace
}  // namespace reel::test
