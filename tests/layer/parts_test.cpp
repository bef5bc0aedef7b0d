// The parts of the OpenCL layer that need no driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "layers/opencl/maps.hpp"
#include "layers/opencl/objects/parameters.hpp"
#include "layers/opencl/work.hpp"
#include "layers/tracking/handle_table.hpp"
#include "recording/contents/host_pages.hpp"
#include "recording/order/host_waits.hpp"

namespace reel::layer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using capture::HostPages;

using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Runs runs_of(const Box& box) {
  Runs runs;
  box.for_each_run([&](std::uint64_t at, std::uint64_t size) { runs.emplace_back(at, size); });
  return runs;
}

// A thread takes the number 10; before it asks, another one gives 11 and waits for it.
TEST(HostWaits, WhatAnotherThreadWaitedForMeanwhileHidesNothingAndIsNotLost) {
  capture::HostWaits waits;
  capture::HostWaits::Known known;
  waits.saw_done(1, 7);
  waits.saw_done(1, 11);
  std::vector<std::uint32_t> after;
  const auto visit = [&](std::uint32_t, std::uint32_t command) { after.push_back(command); };
  waits.catch_up(known, 0, 10, false, visit);
  EXPECT_THAT(after, ElementsAre(7u));
  ASSERT_TRUE(waits.has_news(known));
  waits.catch_up(known, 0, 12, false, visit);
  EXPECT_THAT(after, ElementsAre(7u, 11u));
  EXPECT_FALSE(waits.has_news(known));
}

// Of a queue that orders nothing by itself, what the host saw done of it is an order like any
// other.
TEST(HostWaits, TellsOfTheOwnStreamWhereThatIsWanted) {
  capture::HostWaits waits;
  waits.saw_done(0, 3);
  for (const bool with_own : {false, true}) {
    capture::HostWaits::Known known;
    std::vector<std::uint32_t> after;
    waits.catch_up(known, 0, 5, with_own,
                   [&](std::uint32_t, std::uint32_t command) { after.push_back(command); });
    EXPECT_EQ(after.size(), with_own ? 1u : 0u);
  }
}

TEST(Box, RowsThatTouchAreOneRun) {
  const std::size_t origin[3] = {0, 0, 0}, region[3] = {16, 4, 2};
  EXPECT_THAT(runs_of(buffer_box(origin, region, 16, 64, 0)), ElementsAre(Pair(0u, 128u)));
}

TEST(Box, RowsApartAreRunsOfTheirOwn) {
  const std::size_t origin[3] = {4, 1, 0}, region[3] = {8, 2, 1};
  EXPECT_THAT(runs_of(buffer_box(origin, region, 32, 0, 100)),
              ElementsAre(Pair(136u, 8u), Pair(168u, 8u)));
}

TEST(Box, SlicesOfTouchingRowsAreRuns) {
  const std::size_t origin[3] = {0, 0, 1}, region[3] = {8, 4, 2};
  EXPECT_THAT(runs_of(buffer_box(origin, region, 8, 40, 0)),
              ElementsAre(Pair(40u, 32u), Pair(80u, 32u)));
}

TEST(Box, OneThatEndsPastItsMemoryDoesNotFit) {
  const std::size_t origin[3] = {0, 0, 0}, region[3] = {16, 4, 1};
  const Box box = buffer_box(origin, region, 32, 0, 0);
  EXPECT_TRUE(box.fits(112));
  EXPECT_FALSE(box.fits(111));
  const std::size_t vast[3] = {std::size_t{1} << 60, 1u << 30, 1u << 30};
  EXPECT_FALSE(buffer_box(origin, vast, 0, 0, 0).fits(~std::uint64_t{0}));
}

TEST(Box, LayersOfA1dArrayAreRows) {
  ImageShape shape;
  shape.type = ImageType::d1_array;
  shape.pixel_bytes = 4;
  shape.width = 10;
  shape.layers = 3;
  const std::size_t origin[3] = {2, 1, 0}, region[3] = {5, 2, 1};
  EXPECT_THAT(runs_of(image_box(shape, origin, region)),
              ElementsAre(Pair(48u, 20u), Pair(88u, 20u)));
}

TEST(SourceParameters, TellKindAccessAndType) {
  const auto found = parameters_in_source(R"(
    // kernel void scale(int wrong);
    #define N 4
    float helper(float x) { return x; }
    __kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scale(
        __global const float4* restrict in, global uint *out, float by, local int* scratch,
        constant uchar* table, read_only image2d_t picture, write_only image2d_t drawn, sampler_t s,
        struct Pair pair) {})",
                                          "", "scale");
  ASSERT_TRUE(found);
  ASSERT_THAT(*found, SizeIs(9));
  EXPECT_EQ((*found)[0].name, "in");
  EXPECT_EQ((*found)[0].access, Access::read);
  EXPECT_EQ((*found)[0].element, ElementType::f32);
  EXPECT_EQ((*found)[1].access, Access::read_write);
  EXPECT_EQ((*found)[1].element, ElementType::u32);
  EXPECT_EQ((*found)[2].kind, ArgumentKind::value);
  EXPECT_EQ((*found)[2].size_bytes, 4u);
  EXPECT_EQ((*found)[3].kind, ArgumentKind::shared);
  EXPECT_EQ((*found)[4].access, Access::read);
  EXPECT_EQ((*found)[5].kind, ArgumentKind::image);
  EXPECT_EQ((*found)[5].access, Access::read);
  EXPECT_EQ((*found)[6].access, Access::write);
  EXPECT_EQ((*found)[7].kind, ArgumentKind::sampler);
  EXPECT_EQ((*found)[8].size_bytes, 0u);
}

TEST(SourceParameters, APointerThatIsConstItselfMayWrite) {
  const auto found = parameters_in_source("kernel void f(global int* const p) {}", "", "f");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].access, Access::read_write);
}

TEST(SourceParameters, ACallIsNoDefinition) {
  EXPECT_FALSE(parameters_in_source("kernel void g() { f(1, 2); }", "", "f"));
  EXPECT_FALSE(parameters_in_source("kernel void f(global int* p", "", "f"));
  EXPECT_FALSE(parameters_in_source("", "", "f"));
}

// Each is what a compiler may see otherwise than it stands there.
TEST(SourceParameters, NothingIsBelievedThatThePreprocessorMayChange) {
  const std::string plain = "kernel void f(global const int* p) {}\n";
  EXPECT_TRUE(parameters_in_source(plain, "-cl-fast-relaxed-math -DN=4 -I include -w", "f"));
  EXPECT_TRUE(parameters_in_source("#ifdef X\n#define N 4\n#endif\n" + plain, "", "f"));
  for (const std::string& text : {
           "#if 1\n" + plain + "#endif\n",
           "#ifdef X\n" + plain + "#else\nkernel void f(global int* p) {}\n#endif\n",
           "#include \"more.h\"\n" + plain,
           "#define const\n" + plain,
           "%:define const\n" + plain,
           "?\?=define const\n" + plain,
           "#define EAT(x)\nEAT(" + plain + ")",
           "#define EAT(x)\n#define BOTH EAT(\nBOTH ;" + plain + ")",
           "#define f g\n" + plain,
           "EMPTY " + plain,
           plain + "#if 0\n",
           std::string("typedef global int* P; kernel void f(P p) {}"),
           std::string("kernel void f(global\n#if X\nconst\n#endif\nint* p) {}"),
           std::string("#if X\nkernel void f(global const int* p)\n#else\n"
                       "kernel void f(global int* p)\n#endif\n{}"),
       })
    EXPECT_FALSE(parameters_in_source(text, "", "f")) << text;
  for (const char* options : {"-D const=", "-Dconst", "-D \"f=g\"", "-include x.h", "-Wp,-Dconst="})
    EXPECT_FALSE(parameters_in_source(plain, options, "f")) << options;
}

TEST(SourceParameters, AConstBehindAStarIsNotThatOfTheBytes) {
  const auto found = parameters_in_source("kernel void f(global const int* global* p) {}", "", "f");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].access, Access::read_write);
}

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST(Differences, AreExactWhileTheyAreFew) {
  EXPECT_THAT(differences(bytes_of("abcdefgh"), bytes_of("aXXdefgY")),
              ElementsAre(Pair(1u, 2u), Pair(7u, 1u)));
  EXPECT_THAT(differences(bytes_of("same"), bytes_of("same")), IsEmpty());
}

TEST(Differences, OfManyPiecesCoverAllThatChanged) {
  std::vector<std::byte> before(1 << 16), now(1 << 16);
  for (std::size_t i = 0; i < now.size(); i += 2) now[i] = std::byte{1};
  const auto pieces = differences(before, now);
  EXPECT_LE(pieces.size(), 1024u);
  std::vector<std::byte> patched = before;
  for (const auto& [at, size] : pieces) std::memcpy(&patched[at], &now[at], size);
  EXPECT_EQ(patched, now);
}

TEST(HostPages, OnlyWhatTheHostChangedIsToldOnce) {
  HostPages pages;
  std::vector<std::byte> memory(3 * HostPages::page_bytes + 10);
  const auto changed = [&] { return pages.changed(&pages, memory.data(), memory.size()); };
  EXPECT_THAT(changed(), IsEmpty());  // the first look
  memory[HostPages::page_bytes + 5] = std::byte{7};
  memory.back() = std::byte{1};
  EXPECT_THAT(changed(), ElementsAre(Pair(HostPages::page_bytes, HostPages::page_bytes),
                                     Pair(3 * HostPages::page_bytes, 10u)));
  EXPECT_THAT(changed(), IsEmpty());
}

TEST(HostPages, WhatTheDeviceLeftIsNotTheHosts) {
  HostPages pages;
  std::vector<std::byte> memory(100);
  pages.changed(&pages, memory.data(), memory.size());
  memory[3] = std::byte{9};  // the device
  pages.refresh(&pages, memory.data(), memory.size());
  EXPECT_THAT(pages.changed(&pages, memory.data(), memory.size()), IsEmpty());
}

TEST(HandleTable, FindsWhatLivesAmongManyThatCameAndWent) {
  HandleTable table;
  const auto handle = [](std::size_t i) { return reinterpret_cast<const void*>((i + 1) * 16); };
  const auto object = [](std::size_t i) { return reinterpret_cast<Object*>((i + 1) * 64); };
  for (std::size_t i = 0; i < 100'000; ++i) {
    table.insert(handle(i), object(i));
    if (i % 10 != 0) table.remove(handle(i));
  }
  for (std::size_t i = 0; i < 100'000; ++i)
    ASSERT_EQ(table.find(handle(i)), i % 10 == 0 ? object(i) : nullptr) << i;
  table.insert(handle(0), object(5));  // the same handle again
  EXPECT_EQ(table.find(handle(0)), object(5));
  EXPECT_EQ(table.find(nullptr), nullptr);
}

}  // namespace
}  // namespace reel::layer
