// What DocumentWriter wrote, loaded again.
#include "reel/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "expect_error.hpp"
#include "reel/trace_totals.hpp"
#include "sample_document.hpp"

namespace reel::test {
namespace {

using document::DocumentWriter;
using testing::ElementsAre;
using testing::IsEmpty;

class LoadedSample : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    trace = new Trace(Trace::load(write_sample(*folder / "sample.reel")));
  }
  static void TearDownTestSuite() {
    delete trace;
    delete folder;
  }
  std::string label(std::size_t command) const {
    return trace->text(trace->work_of(trace->commands()[command]).label);
  }
  std::string scope(std::size_t command) const {
    return trace->text(trace->work_of(trace->commands()[command]).scope);
  }

  static inline TemporaryFolder* folder = nullptr;
  static inline const Trace* trace = nullptr;
};

TEST_F(LoadedSample, IsCompleteAndWithoutProblems) {
  EXPECT_TRUE(trace->is_complete());
  EXPECT_THAT(trace->problems(), IsEmpty());
  EXPECT_EQ(trace->path(), *folder / "sample.reel");
  EXPECT_EQ(trace->file_bytes(), read_bytes(trace->path()).size());
}

TEST_F(LoadedSample, HasTheFactsOfItsBeginningAndEnd) {
  EXPECT_EQ(trace->facts().at("format"), "1");
  EXPECT_EQ(trace->facts().at("command_line"), "./sample --fast");
  EXPECT_EQ(trace->end_facts().at("complete"), "yes");
}

TEST_F(LoadedSample, HasItsDevice) {
  ASSERT_EQ(trace->devices().size(), 1u);
  const TraceDevice& device = trace->devices()[0];
  EXPECT_EQ(device.selector, "host");
  EXPECT_EQ(device.name, "Test CPU");
  EXPECT_EQ(device.driver_version, "0.1.0");
  EXPECT_EQ(device.memory_bytes, 1u << 30);
  EXPECT_TRUE(device.can_stamp_time);
  EXPECT_EQ(device.clock_error_ns, 40u);  // of the better look, which alone counts
}

TEST_F(LoadedSample, HasItsStreamsAndBuffersById) {
  ASSERT_EQ(trace->streams().size(), 2u);
  EXPECT_EQ(trace->streams()[1].id, StreamId{3});
  EXPECT_EQ(trace->streams()[1].label, "side");
  EXPECT_EQ(trace->streams()[1].device, 0u);
  ASSERT_EQ(trace->buffers().size(), 3u);
  const std::uint32_t x = trace->find_buffer(BufferId{1}).value();
  EXPECT_EQ(trace->buffers()[x].label, "x");
  EXPECT_EQ(trace->buffers()[x].size_bytes, 4096u);
  EXPECT_EQ(trace->buffers()[x].allocated_ns, sample_start_ns + 1000);
  EXPECT_EQ(trace->buffers()[x].freed_ns, sample_start_ns + 900'000);
  const TraceBuffer& big = trace->buffers()[trace->find_buffer(BufferId{5}).value()];
  EXPECT_FALSE(big.allocated_ns || big.freed_ns);
  EXPECT_FALSE(trace->find_buffer(BufferId{3}));
  EXPECT_EQ(trace->find_stream(StreamId{3}), 1u);
}

TEST_F(LoadedSample, HasItsKernelsWithEverythingTheyWereBuiltFrom) {
  ASSERT_EQ(trace->kernels().size(), 2u);
  const TraceKernel& add = trace->kernels()[trace->find_kernel(KernelId{4}).value()];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.entry, "add_main");
  EXPECT_EQ(add.built_form, KernelForm::host);
  EXPECT_EQ(add.options, "-cl-fast-relaxed-math");
  EXPECT_EQ(add.build_log, "warning: all is well");
  EXPECT_EQ(add.binary_hash, "abc");
  EXPECT_EQ(add.group_size, Dim3(64, 1, 1));
  EXPECT_THAT(add.defines, ElementsAre(std::pair("N", "1024")));
  EXPECT_THAT(add.constants, ElementsAre(std::pair(0u, 64u)));
  ASSERT_EQ(add.parameters.size(), 4u);
  EXPECT_EQ(add.parameters[1].access, Access::read_write);
  EXPECT_EQ(add.parameters[2].kind, ArgumentKind::value);
  EXPECT_EQ(add.parameters[2].size_bytes, 4u);
  EXPECT_EQ(add.parameters[0].element, ElementType::i16);
  EXPECT_EQ(add.parameters[1].element, ElementType::f32);
  EXPECT_EQ(add.parameters[2].element, ElementType::u32);
  EXPECT_EQ(add.parameters[3].element, std::nullopt);
  ASSERT_EQ(add.variants.size(), 2u);
  EXPECT_EQ(add.variants[0].form, KernelForm::opencl_c);
  const auto source = trace->blob(add.variants[0].blob.value());
  ASSERT_TRUE(source);
  EXPECT_TRUE(std::ranges::equal(*source, bytes_of(sample_add_cl)));
  EXPECT_FALSE(add.variants[1].blob);
}

TEST_F(LoadedSample, HasItsCommandsInOrder) {
  ASSERT_EQ(trace->commands().size(), 11u);
  const auto kind = [&](std::size_t i) { return trace->work_of(trace->commands()[i]).kind; };
  EXPECT_EQ(kind(0), WorkKind::write);
  EXPECT_EQ(kind(1), WorkKind::fill);
  EXPECT_EQ(kind(3), WorkKind::copy);
  EXPECT_EQ(kind(5), WorkKind::read);
  EXPECT_EQ(kind(6), WorkKind::barrier);
  EXPECT_EQ(kind(7), WorkKind::host_call);
  EXPECT_EQ(kind(8), WorkKind::launch);
  EXPECT_EQ(label(0), "upload x");
  EXPECT_EQ(label(1), "");
  EXPECT_EQ(scope(2), "layer0/attention");
  EXPECT_EQ(trace->commands()[3].stream, 1u);
  const TraceWork& fill = trace->work_of(trace->commands()[1]);
  EXPECT_EQ(fill.pattern, 0x3f800000u);
  EXPECT_EQ(fill.pattern_bytes, 4u);
  const TraceWork& add = trace->work_of(trace->commands()[2]);
  EXPECT_EQ(add.groups, Dim3(16, 1, 1));
  EXPECT_EQ(add.group_size, Dim3(64, 1, 1));
  EXPECT_EQ(trace->commands()[9].work, trace->commands()[2].work);
  EXPECT_EQ(trace->commands()[9].launch, 8u);
  EXPECT_EQ(trace->commands()[10].node, 1u);
  EXPECT_EQ(trace->work_of(trace->commands()[8]).graph, 0u);
  EXPECT_EQ(trace->commands()[0].launch, no_index);
}

TEST_F(LoadedSample, HasArgumentsWithTheirValues) {
  const auto arguments = trace->arguments(trace->work_of(trace->commands()[2]));
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(trace->buffers()[arguments[0].buffer].label, "x");
  EXPECT_EQ(arguments[0].access, Access::read);
  EXPECT_EQ(arguments[1].access, Access::read_write);
  std::uint32_t n = 0;
  ASSERT_EQ(trace->value_bytes(arguments[2]).size(), 4u);
  std::memcpy(&n, trace->value_bytes(arguments[2]).data(), 4);
  EXPECT_EQ(n, 1024u);
  EXPECT_EQ(arguments[3].kind, ArgumentKind::shared);
  EXPECT_EQ(arguments[3].size_bytes, 256u);
  float factor = 0;
  const auto scale = trace->arguments(trace->work_of(trace->commands()[4]));
  std::memcpy(&factor, trace->value_bytes(scale[1]).data(), 4);
  EXPECT_EQ(factor, 2.0f);
}

TEST_F(LoadedSample, DeviceTimesAreOnTheHostsClock) {
  const TraceCommand& add = trace->commands()[2];
  EXPECT_EQ(add.call_begin_ns, sample_start_ns + 30'000);
  EXPECT_EQ(add.call_end_ns, sample_start_ns + 32'000);
  EXPECT_EQ(add.queued_ns, sample_start_ns + 31'000);
  EXPECT_EQ(add.submitted_ns, sample_start_ns + 34'000);
  EXPECT_EQ(add.started_ns, sample_start_ns + 35'000);
  EXPECT_EQ(add.ended_ns, sample_start_ns + 38'000);
  EXPECT_EQ(add.run_ns(), 3000u);
}

TEST_F(LoadedSample, MissingTimesAreMissing) {
  EXPECT_FALSE(trace->commands()[6].has_run_times());
  EXPECT_EQ(trace->commands()[7].queued_ns, 0u);
  EXPECT_NE(trace->commands()[7].submitted_ns, 0u);
}

TEST_F(LoadedSample, HasOrdersAndEdges) {
  ASSERT_EQ(trace->submissions().size(), 1u);
  EXPECT_EQ(trace->submissions()[0].first, 4u);
  EXPECT_EQ(trace->submissions()[0].count, 3u);
  EXPECT_EQ(trace->text(trace->submissions()[0].call), "vkQueueSubmit");
  EXPECT_EQ(trace->submission_of(3), std::nullopt);
  EXPECT_EQ(trace->submission_of(4), 0u);
  EXPECT_EQ(trace->submission_of(6), 0u);
  EXPECT_EQ(trace->submission_of(7), std::nullopt);
  ASSERT_EQ(trace->barriers_of(5).size(), 2u);
  EXPECT_TRUE(trace->barriers_of(4).empty());
  const TraceBarrier& barrier = trace->barriers_of(5)[0];
  EXPECT_EQ(barrier.source_stages, 0x800u);
  EXPECT_EQ(barrier.target_accesses, 0x800u);
  EXPECT_EQ(trace->buffers()[barrier.buffer].id, BufferId{1});
  EXPECT_EQ(barrier.offset_bytes, 256u);
  EXPECT_EQ(barrier.size_bytes, 512u);
  EXPECT_EQ(trace->barriers_of(5)[1].buffer, no_index);
  ASSERT_EQ(trace->orders().size(), 1u);
  EXPECT_EQ(trace->orders()[0].command, 3u);
  EXPECT_EQ(trace->orders()[0].after, 2u);
  ASSERT_EQ(trace->edges().size(), 1u);
  EXPECT_EQ(trace->edges()[0].to, 1u);
  EXPECT_EQ(trace->edges()[0].kind, 2u);
}

TEST_F(LoadedSample, HasContentsPageByPage) {
  ASSERT_EQ(trace->contents().size(), 4u);
  const TraceContents& written = trace->contents()[0];
  EXPECT_EQ(written.role, ContentRole::written);
  const auto bytes = trace->bytes(written);
  ASSERT_TRUE(bytes);
  float last = 0;
  std::memcpy(&last, bytes->data() + 4092, 4);
  EXPECT_EQ(last, 1023.0f);
  const TraceContents& big = trace->contents()[2];
  EXPECT_EQ(big.role, ContentRole::input);
  EXPECT_EQ(big.command, 3u);
  EXPECT_EQ(trace->pages(big).size(), 3u);
  EXPECT_EQ(trace->bytes(big).value().size(), big.size_bytes);
  EXPECT_EQ(trace->page(big, 2).value().size(), big.size_bytes - 2 * page_bytes);
  EXPECT_FALSE(trace->page(big, 3));
  const TraceContents& hashes = trace->contents()[3];
  EXPECT_FALSE(hashes.stored);
  EXPECT_TRUE(std::ranges::equal(trace->pages(hashes), trace->pages(big)));
  EXPECT_FALSE(trace->bytes(hashes));
  EXPECT_FALSE(trace->has_blob({1, 2}));
  EXPECT_FALSE(trace->blob({1, 2}));
  EXPECT_GT(trace->stored_bytes(), 0u);
}

TEST_F(LoadedSample, CallsAreThoseWithAndWithoutCommands) {
  // c9 and c10 came by the call that launched c8, c5 and c6 by the one that submitted c4.
  ASSERT_EQ(trace->calls().size(), 9u);
  EXPECT_TRUE(std::ranges::is_sorted(trace->calls(), {}, &TraceCall::begin_ns));
  EXPECT_EQ(trace->text(trace->calls()[0].name), "build");
  EXPECT_EQ(trace->calls()[0].command, no_index);
  EXPECT_EQ(trace->text(trace->calls()[3].name), "dispatch");
  EXPECT_EQ(trace->calls()[3].command, 2u);
  EXPECT_EQ(trace->calls()[3].end_ns - trace->calls()[3].begin_ns, 2000u);
  EXPECT_EQ(trace->text(trace->calls()[5].name), "vkQueueSubmit");
  EXPECT_EQ(trace->calls()[5].command, 4u);
  EXPECT_EQ(trace->text(trace->calls()[8].name), "synchronize");
}

TEST_F(LoadedSample, HasRegionsOverheadsAndNotes) {
  ASSERT_EQ(trace->regions().size(), 2u);
  EXPECT_EQ(trace->text(trace->regions()[0].name), "warm up");
  EXPECT_EQ(trace->regions()[1].kind, TraceRegion::Kind::pass);
  EXPECT_EQ(trace->regions()[1].number, 1u);
  EXPECT_EQ(trace->regions()[1].end_ns, sample_start_ns + 95'000);
  ASSERT_EQ(trace->overheads().size(), 5u);
  EXPECT_EQ(trace->overheads()[0].kind, OverheadKind::starting);
  EXPECT_EQ(trace->overheads()[1].bytes, 2'621'440u);
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_EQ(trace->notes()[0].kind, "limit");
  EXPECT_EQ(trace->notes()[0].time_ns, sample_start_ns + 750'000);
}

// Spans within spans on a few threads: each moment of a thread belongs to the innermost.
TEST(Overheads, WhatLiesWithinSomethingElseCountsOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<TraceOverhead> rows;
    std::array<std::uint64_t, overhead_kinds> expected{};
    // Returns what its rows cover.
    const auto add = [&](auto&& self, std::uint32_t thread, std::uint64_t begin, std::uint64_t end,
                         int depth) -> std::uint64_t {
      std::uint64_t covered = 0;
      while (begin < end) {
        const std::uint64_t from = begin + random() % 20, to = from + 1 + random() % 50;
        begin = to;
        if (to > end) break;
        const auto kind = random() % 5;  // those that are spans
        rows.push_back({static_cast<OverheadKind>(kind), thread, from, to, 0});
        const std::uint64_t inner = depth > 0 ? self(self, thread, from + 1, to, depth - 1) : 0;
        expected[kind] += to - from - inner;
        covered += to - from;
      }
      return covered;
    };
    for (std::uint32_t thread = 0; thread < 3; ++thread) add(add, thread, 0, 300, 3);
    // These say how much, not when.
    rows.push_back({OverheadKind::writing, 0, 0, 300, 0});
    rows.push_back({OverheadKind::commands, 1, 0, 200, 0});
    expected[static_cast<std::size_t>(OverheadKind::writing)] += 300;
    expected[static_cast<std::size_t>(OverheadKind::commands)] += 200;
    std::shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(overhead_ns(rows), expected);
  }
}

TEST(Trace, ManyBatchesComeBackAsOneList) {
  const TemporaryFolder folder;
  write_many(folder / "many.reel", 20'000);
  const Trace trace = Trace::load(folder / "many.reel");
  EXPECT_TRUE(trace.is_complete());
  ASSERT_EQ(trace.commands().size(), 20'000u);
  EXPECT_EQ(trace.text(trace.work_of(trace.commands()[12'345]).label), "step 45");
  for (const TraceCommand& command : trace.commands())
    ASSERT_TRUE(command.run_ns() >= 1000 && command.run_ns() < 1050);
}

TEST(Trace, CommandsMayStandInAnyOrder) {
  const TemporaryFolder folder;
  {
    DocumentWriter writer(folder / "x.reel", {});
    writer.add(document::DeviceRow{});
    writer.add(document::StreamRow{9, 0, ""});
    document::WorkRow barrier{};
    barrier.kind = WorkKind::barrier;
    writer.add(barrier);
    for (const std::uint32_t id : {3u, 0u, 2u, 1u}) {
      document::CommandRow row{};
      row.id = id;
      row.work = 0;
      row.stream = 9;
      row.thread = id * 10;
      row.call_begin_ns = row.call_end_ns = 100 - id;
      writer.add(row);
      writer.flush();
    }
    writer.close({});
  }
  const Trace trace = Trace::load(folder / "x.reel");
  ASSERT_EQ(trace.commands().size(), 4u);
  EXPECT_THAT(trace.problems(), IsEmpty());
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(trace.commands()[i].thread, i * 10);
  EXPECT_EQ(trace.calls()[0].command, 3u);
}

TEST(Trace, AnEmptyDocumentHasNothingInIt) {
  const TemporaryFolder folder;
  DocumentWriter(folder / "x.reel", {{"program", "idle"}}).close({{"commands", "0"}});
  const Trace trace = Trace::load(folder / "x.reel");
  EXPECT_TRUE(trace.is_complete());
  EXPECT_TRUE(trace.commands().empty() && trace.calls().empty() && trace.devices().empty());
  EXPECT_EQ(trace.text(0), "");
  EXPECT_EQ(trace.text(no_index), "");
}

TEST(Trace, CopiesShareOneFileAndOutliveItsName) {
  const TemporaryFolder folder;
  Trace copy = Trace::load(write_sample(folder / "x.reel"));
  std::filesystem::remove(folder / "x.reel");
  const Trace other = copy;
  EXPECT_EQ(&other.commands(), &copy.commands());
  EXPECT_TRUE(other.bytes(other.contents()[2]));
}

TEST(Trace, ADocumentThatIsEmptiedByOthersGivesNoBytesAndNoSignal) {
  const TemporaryFolder folder;
  const Trace trace = Trace::load(write_sample(folder / "x.reel"));
  ASSERT_TRUE(trace.bytes(trace.contents()[2]));
  const std::uint64_t bytes = trace.file_bytes();
  std::filesystem::resize_file(folder / "x.reel", 0);
  EXPECT_FALSE(trace.bytes(trace.contents()[2]));
  EXPECT_FALSE(trace.blob(trace.pages(trace.contents()[2])[0]));
  EXPECT_EQ(trace.file_bytes(), bytes);
  for (const TraceCommand& command : trace.commands())
    EXPECT_LE(command.call_begin_ns, command.call_end_ns);
}

TEST(Trace, WhatMayNeverEndIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error(Code::io_failed, {pipe, "is a pipe; a regular file is wanted"},
               [&] { Trace::load(pipe); });
  expect_error(Code::io_failed, {"/dev/zero", "is a device"}, [&] { Trace::load("/dev/zero"); });
  expect_error(Code::io_failed, {"is a folder"}, [&] { Trace::load(folder / ""); });
}

TEST(Trace, WhatIsNoDocumentIsRefusedByName) {
  const TemporaryFolder folder;
  expect_error(Code::io_failed, {folder / "none.reel"}, [&] { Trace::load(folder / "none.reel"); });
  write_bytes(folder / "text", bytes_of("This is a text, and not a document of any kind."));
  expect_error(Code::damaged_document, {folder / "text"}, [&] { Trace::load(folder / "text"); });
  expect_error(Code::io_failed, {}, [&] { Trace::load(folder / ""); });
}

TEST(Trace, IdsHaveTheirLetters) {
  EXPECT_EQ(command_name(12), "c12");
  EXPECT_EQ(name_of(BufferId{7}), "b7");
  EXPECT_EQ(name_of(KernelId{4}), "k4");
  EXPECT_EQ(name_of(StreamId{0}), "s0");
}

// An image on a buffer shows the buffer's bytes: it allocates none.
TEST(TraceTotals, ViewsAreNoMemory) {
  const TemporaryFolder folder;
  {
    DocumentWriter w(folder / "view.reel", {});
    w.add(
        document::DeviceRow{0, "host", "host", "Test CPU", "cpu", "reel", "", "", 0, 1, false, 0});
    w.add(document::StreamRow{0, 0, "main"});
    w.add(document::BufferRow{1, 0, 4096, "pixels"});
    ImageShape shape;
    shape.pixel_bytes = 4;
    shape.width = shape.height = 16;
    for (const std::uint32_t id : {2u, 3u})  // the second has bytes of its own
      w.add(document::BufferRow{id, 0, 1024, "image", BufferKind::image, false, shape});
    using Argument = decltype(document::WorkRow::arguments)::value_type;
    const std::array arguments{Argument{ArgumentKind::buffer, Access::read, 1, 0, 1024, 2},
                               Argument{ArgumentKind::buffer, Access::write, 3, 0, 1024}};
    document::WorkRow row{};
    row.kind = WorkKind::copy;
    row.arguments = arguments;
    w.add(document::CommandRow{.id = 0,
                               .work = w.add(row),
                               .stream = 0,
                               .thread = 1,
                               .call_begin_ns = 10,
                               .call_end_ns = 20});
    w.close({{"commands", "1"}});
  }
  const TraceTotals totals = TraceTotals::load(folder / "view.reel");
  EXPECT_THAT(totals.problems, IsEmpty());
  EXPECT_EQ(totals.buffers.size(), 3u);
  EXPECT_EQ(totals.buffer_bytes, 4096u + 1024u);
}

TEST(Trace, KeepsWhereAKernelTakesItsArguments) {
  const TemporaryFolder folder;
  {
    DocumentWriter writer(folder / "layout.reel", {{"program", "x"}});
    document::DeviceRow device{0, "vulkan:0", "vulkan", "V", "cpu", "", "", "", 0, 1, true, 1};
    device.features = {"shaderInt64"};
    device.extensions = {"VK_KHR_a", "VK_KHR_b"};
    writer.add(device);
    document::BufferRow image{7, 0, 64 + 16 + 4 + 1, "image"};
    image.kind = BufferKind::image;
    image.image = ImageShape{ImageType::d2, ChannelOrder::r, ChannelType::uint8, 1, 8, 8};
    image.image->levels = 4;
    writer.add(image);
    document::KernelRow kernel{};
    kernel.id = 3;
    kernel.name = "blur";
    kernel.built_form = KernelForm::spirv;
    kernel.constants = {{1, 5}, {2, 0x123456789ABCDEF0}};
    kernel.declared_layout = kernel.full_subgroups = true;
    kernel.subgroup_size = 32;
    kernel.array_counts = {{0, 1, 8}};
    Parameter where{"target", ArgumentKind::image, 0, Access::write};
    where.descriptor = DescriptorKind::storage_image;
    where.set = 2;
    where.binding = 9;
    where.array_element = 3;
    kernel.parameters = {where};
    writer.add(kernel);
    writer.close({{"complete", "yes"}});
  }
  const Trace trace = Trace::load(folder / "layout.reel");
  EXPECT_THAT(trace.devices()[0].features, ElementsAre("shaderInt64"));
  EXPECT_THAT(trace.devices()[0].extensions, ElementsAre("VK_KHR_a", "VK_KHR_b"));
  EXPECT_EQ(trace.buffers()[0].image->levels, 4u);
  EXPECT_EQ(trace.buffers()[0].image->samples, 1u);
  const TraceKernel& kernel = trace.kernels()[0];
  EXPECT_THAT(kernel.constants,
              ElementsAre(std::pair(1u, 5ull), std::pair(2u, 0x123456789ABCDEF0ull)));
  EXPECT_TRUE(kernel.declared_layout && kernel.full_subgroups);
  EXPECT_FALSE(kernel.has_parameters_by_kind());
  EXPECT_EQ(kernel.subgroup_size, 32u);
  EXPECT_THAT(kernel.array_counts, ElementsAre(DescriptorCount{0, 1, 8}));
  ASSERT_EQ(kernel.parameters.size(), 1u);
  EXPECT_EQ(kernel.parameters[0].descriptor, DescriptorKind::storage_image);
  EXPECT_EQ(kernel.parameters[0].set, 2u);
  EXPECT_EQ(kernel.parameters[0].binding, 9u);
  EXPECT_EQ(kernel.parameters[0].array_element, 3u);
}

// Random bytes with runs of zeros of any length at any place, of any size around those at which
// samples are taken: whatever was stored comes back, and what is half zeros gets smaller.
TEST(TraceBlobs, LargeOnesComeBackWhetherTheyGetSmallerOrNot) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return random() % end; };
  std::vector<std::vector<std::byte>> blobs;
  std::vector<Hash128> ids;
  const std::string path = folder / "blobs.reel";
  std::uint64_t random_bytes = 0, half_empty_bytes = 0;
  {
    DocumentWriter writer(path, {});
    for (int i = 0; i < 24; ++i) {
      std::vector<std::byte> bytes((128u << 10) + below(1u << 20));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
      if (i % 3 == 1) {
        const std::size_t size = below(bytes.size()), from = below(bytes.size() - size + 1);
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), size, std::byte{0});
      }
      if (i % 3 == 2)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() / 2)),
                    bytes.size() / 2, std::byte{0});
      ids.push_back(hash128(bytes));
      const std::uint64_t before = writer.file_bytes();
      writer.blob(ids.back(), bytes);
      const std::uint64_t stored = writer.file_bytes() - before;
      if (i % 3 == 0) {
        EXPECT_GE(stored, bytes.size()) << i;
        random_bytes += stored;
      }
      if (i % 3 == 2) {
        EXPECT_LT(stored, bytes.size() * 3 / 4) << i << " has " << bytes.size() << " bytes";
        half_empty_bytes += stored;
      }
      blobs.push_back(std::move(bytes));
    }
    writer.close({});
  }
  EXPECT_LT(half_empty_bytes, random_bytes);
  const Trace trace = Trace::load(path);
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    const auto found = trace.blob({ids[i].low, ids[i].high});
    ASSERT_TRUE(found) << i;
    EXPECT_TRUE(std::ranges::equal(*found, blobs[i])) << i;
  }
}

}  // namespace
}  // namespace reel::test
