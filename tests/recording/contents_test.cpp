#include <numeric>

#include "any_device.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

using RecordedContents = AnyDevice;

std::vector<std::uint32_t> numbers(std::size_t n, std::uint32_t first = 1) {
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<std::uint32_t> as_numbers(const Trace& trace, const TraceContents& contents) {
  const auto bytes = trace.bytes(contents);
  if (!bytes) return {};
  std::vector<std::uint32_t> values(bytes->size() / 4);
  std::memcpy(values.data(), bytes->data(), values.size() * 4);
  return values;
}

TEST_P(RecordedContents, InputsAreWhatWasThereBeforeTheCommandThatReadsThem) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(numbers(64), "x"), y = device().buffer(256, "y");
  const Kernel step = build(step_source());
  const Trace trace = captured([&] {
    stream.dispatch(step, over(64), in(x), out(y), 64u);
    stream.dispatch(step, over(64), in(y), out(x), 64u);  // y was made within
  });
  const auto inputs = contents_of(trace, ContentRole::input);
  ASSERT_EQ(inputs.size(), 2u) << "x, and y that a kernel might write in part";
  EXPECT_EQ(trace.buffers()[inputs[0]->buffer].label, "x");
  EXPECT_EQ(inputs[0]->command, 0u);
  EXPECT_EQ(as_numbers(trace, *inputs[0]), numbers(64));
  EXPECT_EQ(as_numbers(trace, *inputs[1]), std::vector<std::uint32_t>(64, 0));
}

TEST_P(RecordedContents, WhatADeviceWroteIsACheckAndNeverAnInput) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(numbers(64), "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    for (int i = 0; i < 3; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
    stream.synchronize();
    x.read<std::uint32_t>();
    stream.dispatch(increment, over(64), inout(x), 64u);
  });
  EXPECT_EQ(contents_of(trace, ContentRole::input).size(), 1u);
  const auto checks = contents_of(trace, ContentRole::check);
  ASSERT_EQ(checks.size(), 2u) << "what was read, and the end";
  EXPECT_FALSE(checks[0]->stored);
  EXPECT_EQ(checks[0]->command, 3u);
  EXPECT_EQ(checks[1]->command, 4u);
}

TEST_P(RecordedContents, AChecksMomentTellsWhatACommandLeftFromWhatAllLeft) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(numbers(64), "x"), y = device().buffer(256, "y");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    stream.dispatch(increment, over(64), inout(x), 64u);
    stream.dispatch(increment, over(64), inout(y), 64u);
    stream.synchronize();
    x.read<std::uint32_t>();
  });
  const auto checks = contents_of(trace, ContentRole::check);
  ASSERT_EQ(checks.size(), 3u) << "what was read, and both at the end";
  for (const TraceContents* check : checks) EXPECT_EQ(check->command, 2u);
  EXPECT_EQ(checks[0]->moment, CheckMoment::command);
  EXPECT_EQ(checks[1]->moment, CheckMoment::end);
  EXPECT_EQ(checks[2]->moment, CheckMoment::end);
}

TEST_P(RecordedContents, BuffersMadeWithinTheCaptureAreKnownToBeZero) {
  const Stream stream = device().stream();
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    const Buffer x = device().buffer(256, "x");
    stream.dispatch(increment, over(64), inout(x), 64u);
    stream.synchronize();
  });
  EXPECT_TRUE(contents_of(trace, ContentRole::input).empty());
}

TEST_P(RecordedContents, OnlyTheRangesThatAreUsedAreRead) {
  const Stream stream = device().stream();
  const std::uint64_t part = std::max<std::uint64_t>(1024, info().binding_alignment_bytes);
  const Buffer x = device().buffer(16 * part, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    stream.dispatch(increment, over(64), inout(x.range(2 * part, 256)), 64u);
    stream.dispatch(increment, over(64), inout(x.range(2 * part, 256)), 64u);
    stream.dispatch(increment, over(64), inout(x.range(8 * part, 256)), 64u);
    stream.copy(x.range(4 * part, 256), x.range(2 * part, 256));
    stream.fill(x.range(5 * part, 64), std::uint8_t{1});
  });
  EXPECT_EQ(bytes_in(contents_of(trace, ContentRole::input)), 512u);
  EXPECT_EQ(bytes_in(contents_of(trace, ContentRole::check)), 256u * 3 + 64);
}

TEST_P(RecordedContents, EqualPagesAreStoredOnce) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(5 * page_bytes, "x"), y = device().buffer(3 * page_bytes, "y");
  const Trace trace = captured([&] { stream.copy(y, x.range(0, 3 * page_bytes)); });
  const auto inputs = contents_of(trace, ContentRole::input);
  ASSERT_EQ(inputs.size(), 1u);
  const auto pages = trace.pages(*inputs[0]);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0], pages[1]);
  EXPECT_LT(trace.stored_bytes(), 4096u) << "one page of zeros, compressed";
}

TEST_P(RecordedContents, BuffersFreedWithinTheCaptureAreCheckedToo) {
  const Stream stream = device().stream();
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    for (const std::uint32_t count : {64u, 1u << 20, 64u}) {
      const Buffer x = device().buffer(count * 4, "x");
      stream.dispatch(increment, over(count), inout(x), count);
      stream.synchronize();
    }
  });
  EXPECT_EQ(contents_of(trace, ContentRole::check).size(), 3u);
  EXPECT_TRUE(trace.notes().empty());
}

TEST_P(RecordedContents, PoliciesSayHowMuchIsKept) {
  const Kernel increment = build(increment_source());
  const auto with = [&](Contents contents) {
    const Stream stream = device().stream();
    const Buffer x = device().buffer_of(numbers(64), "x");
    return captured(
        [&] {
          for (int i = 0; i < 3; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
        },
        {.contents = contents});
  };
  EXPECT_TRUE(with(Contents::none).contents().empty());
  const Trace hashes = with(Contents::hashes);
  EXPECT_EQ(hashes.contents().size(), 2u);
  for (const auto& contents : hashes.contents()) EXPECT_FALSE(contents.stored);
  const Trace all = with(Contents::all);
  const auto checks = contents_of(all, ContentRole::check);
  ASSERT_EQ(checks.size(), 4u) << "after each command, and at the end";
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(as_numbers(all, *checks[i]), numbers(64, 2 + i)) << "after c" << i;
}

TEST_P(RecordedContents, ALimitTurnsContentsIntoHashesAndSaysSo) {
  const Stream stream = device().stream();
  std::vector<std::uint32_t> noise(4 * page_bytes / 4);
  std::uint32_t state = 1;
  for (auto& value : noise) value = state = state * 1664525u + 1013904223u;
  const Buffer x = device().buffer_of(noise, "noise"), y = device().buffer(x.size_bytes(), "y");
  const Trace trace = captured(
      [&] {
        for (int i = 0; i < 4; ++i)
          stream.copy(y.range(i * page_bytes, page_bytes), x.range(i * page_bytes, page_bytes));
      },
      {.limit_bytes = 2 * page_bytes});
  EXPECT_LT(trace.file_bytes(), 3 * page_bytes);
  const auto inputs = contents_of(trace, ContentRole::input);
  ASSERT_EQ(inputs.size(), 4u);
  EXPECT_TRUE(inputs.front()->stored);
  EXPECT_FALSE(inputs.back()->stored);
  ASSERT_EQ(trace.notes().size(), 1u);
  EXPECT_EQ(trace.notes()[0].kind, "limit");
}

TEST_P(RecordedContents, TimeThatCaptureTookIsInTheDocument) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(8 * page_bytes, "x"), y = device().buffer(x.size_bytes(), "y");
  const Trace trace = captured([&] { stream.copy(y, x); });
  std::uint64_t inputs = 0, checks = 0;
  for (const TraceOverhead& overhead : trace.overheads()) {
    EXPECT_LE(overhead.begin_ns, overhead.end_ns);
    if (overhead.kind == OverheadKind::inputs) inputs += overhead.bytes;
    if (overhead.kind == OverheadKind::checks) checks += overhead.bytes;
  }
  EXPECT_EQ(inputs, 8 * page_bytes);
  EXPECT_EQ(checks, 8 * page_bytes);
}

TEST_P(RecordedContents, WhatGivingManyCommandsTookIsInTheDocumentToo) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(64, "x");
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 1000; ++i) stream.fill(x, i);
    stream.synchronize();
  });
  const auto ns = overhead_ns(trace.overheads());
  const auto of = [&](OverheadKind kind) { return ns[static_cast<std::size_t>(kind)]; };
  EXPECT_GT(of(OverheadKind::commands), 10'000u);  // 10 ns each
  EXPECT_GT(of(OverheadKind::writing), 0u);
  EXPECT_GT(of(OverheadKind::starting), 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, RecordedContents, every_device(), device_name);

}  // namespace
}  // namespace reel::test
