// What a replay looks for: culprits, NaN, unsteady results, orders that only seem allowed, hangs.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <limits>

#include "replay/racing_kernels.hpp"
#include "replay/replay_test.hpp"
#include "replay/tampered.hpp"

namespace reel::test {
namespace {

class ReplaySearch : public ReplayTest {};

// z = x / y, in floats.
void divide(const HostGroup& group, const float* x, const float* y, float* z, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    if (item.global.x < n) z[item.global.x] = x[item.global.x] / y[item.global.x];
  });
}
KernelSource divide_source() {
  return {.name = "divide",
          .opencl_c = R"(
__kernel void divide(__global const float* x, __global const float* y, __global float* z, uint n) {
  const uint i = get_global_id(0);
  if (i < n) z[i] = x[i] / y[i];
})",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) writeonly buffer Z { float z[]; };
layout(push_constant) uniform Values { uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) z[i] = x[i] / y[i];
})",
          .host = host_kernel<&divide>()};
}

TEST_P(ReplaySearch, NamesTheFirstCommandThatWritesNan) {
  register_host_kernel("divide", divide_source().host);
  const Kernel kernel = build(divide_source());
  std::vector<float> ones(word_count, 1), some(word_count, 2);
  some[33] = 0;
  const Buffer p = device().buffer_of(ones, "p"), q = device().buffer_of(some, "q"),
               r = device().buffer(4 * word_count, "r"), s = device().buffer(4 * word_count, "s");
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.dispatch(kernel, grid(), in(p), in(p), out(r), word_count);
    stream.dispatch(kernel, grid(), in(p), in(q), out(r), word_count);  // infinity at 33
    stream.dispatch(kernel, grid(), in(r), in(r), out(s), word_count);  // NaN at 33
    stream.synchronize();
  });
  const ReplayReport report = replayed(trace, {.find_nan = true});
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  ASSERT_TRUE(report.first_nan);
  EXPECT_EQ(report.first_nan->command, 1u);
  EXPECT_EQ(trace.buffers()[report.first_nan->buffer].label, "r");
  EXPECT_EQ(report.first_nan->offset_bytes, 33u * 4);
  EXPECT_EQ(report.first_nan->value, "inf");
  EXPECT_FALSE(report.first_nan->was_read);
}

TEST_P(ReplaySearch, WhatIfComparesTimeAndResults) {
  if (is("host")) GTEST_SUCCEED() << "C++ functions are replaced by registering another.";
  const bool is_cl = is("opencl");
  if (!is_cl && !is("vulkan")) return;
  x.write(ramp(1));
  const Stream stream = device().stream();
  // Results of c0 are gone at the end, and only hashes are kept of c1's.
  const Trace trace = captured([&] {
    mad(stream, x, 3, 1);
    mad(stream, x, 5, 2);
    stream.synchronize();
  });
  const auto with = [&](const std::string& expression) {
    KernelSource source = mad_source();
    std::string& text = is_cl ? source.opencl_c : source.glsl;
    const auto at = text.find("a * x[i] + b");
    text.replace(at, 12, expression);
    return Replacement{is_cl ? KernelForm::opencl_c : KernelForm::glsl, text};
  };
  const ReplayReport same =
      replayed(trace, {.repeat = 3, .replacements = {{0, with("b + x[i] * a")}}});
  EXPECT_EQ(same.verdict(), Verdict::equal) << told(same);
  ASSERT_EQ(same.kernel_times.size(), 1u);
  ASSERT_TRUE(same.kernel_times[0].original);
  EXPECT_EQ(same.kernel_times[0].original->runs, 3u);

  const ReplayReport wrong = replayed(
      trace, {.replacements = {{0, with("a * x[i] + b + (i == 9u && a == 5u ? 1u : 0u)")}}});
  EXPECT_EQ(wrong.verdict(), Verdict::different);
  const Difference& first = wrong.differences.front();
  EXPECT_EQ(first.offset_bytes, 36u);
  // The recorded bytes are not in the document: the original kernel made them again.
  EXPECT_EQ(first.expected, std::to_string(5 * (3 * 10 + 1) + 2));
  EXPECT_EQ(wrong.culprit, 1u) << wrong.culprit_reason;

  expect_error(Code::build_failed, {}, [&] {
    replayed(trace,
             {.replacements = {
                  {0, Replacement{is_cl ? KernelForm::opencl_c : KernelForm::glsl, "nonsense"}}}});
  });
}

void wrong_at_four(const HostGroup& group, std::uint32_t* x, std::uint32_t a, std::uint32_t b,
                   std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) x[i] = a * x[i] + b + (b == 4 && i == 3 ? 1 : 0);
  });
}

// On another device, whatever the first difference is; here the other one is wrong on purpose.
TEST_P(ReplaySearch, BisectsAgainstTheRecordedDevice) {
  if (is("host")) return;
  x.write(ramp(1));
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 6; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  const Device host = open_device("host");
  EXPECT_EQ(replay(trace, host).verdict(), Verdict::equal);
  register_host_kernel("mul_add", host_kernel<&wrong_at_four>());
  const ReplayReport report = replay(trace, host, {.find_culprit = true});
  register_host_kernel("mul_add", mad_source().host);
  EXPECT_FALSE(report.is_recorded_device);
  EXPECT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.culprit, 4u) << report.culprit_reason;
}

// Declared as read, and written all the same: only a stream's order keeps it right.
TEST_P(ReplaySearch, ReportsAMissingDependencyThatShowsInAnotherOrder) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  const Trace trace = captured_all([&] {
    mad(stream, y, 3, 1);
    mad(stream, w, 3, 1);
    stream.dispatch(mad_kernel, grid("liar"), in(x), 3u, 1u, word_count);
    mix(stream, x, y, z, 5);
    mad(stream, w, 7, 2);
    stream.synchronize();
  });
  for (const ReplayOrder order : {ReplayOrder::recorded, ReplayOrder::sequential})
    EXPECT_EQ(replayed(trace, {.order = order}).verdict(), Verdict::equal);
  register_racing_kernels();
  const ReplayReport report = replayed(trace, {.order = ReplayOrder::relaxed});
  EXPECT_EQ(report.verdict(), Verdict::different);
  ASSERT_FALSE(report.races.empty()) << told(report);
  const Race& race = report.races.back();
  EXPECT_TRUE(race.observed);
  EXPECT_EQ(race.first, 2u);
  EXPECT_EQ(race.second, 3u);
  EXPECT_EQ(trace.buffers()[race.buffer].label, "x");
}

INSTANTIATE_TEST_SUITE_P(Each, ReplaySearch, every_device(), device_name);

// --- on the host, whose kernels can do anything
// ---------------------------------------------------

std::atomic<std::uint32_t> calls{0};
void count_calls(const HostGroup& group, std::uint32_t* x) {
  if (group.id.x == 0) x[5] = calls.fetch_add(1);
}

TEST(HostReplay, ReportsBuffersThatChangeFromRunToRun) {
  const Device host = open_device("host");
  register_host_kernel("count_calls", host_kernel<&count_calls>());
  const Kernel kernel =
      host.kernel({.name = "count_calls", .host = host_kernel<&count_calls>(), .group_size = {64}});
  const Buffer x = host.buffer(256, "x"), y = host.buffer(256, "y");
  const Stream stream = host.stream();
  calls = 41;
  const Trace trace = captured([&] {
    stream.dispatch(kernel, {.groups = {1}}, x);
    stream.fill(y, std::uint32_t{7});
    stream.synchronize();
  });
  calls = 41;
  const ReplayReport report = replay(trace, {.repeat = 3});
  EXPECT_EQ(report.verdict(), Verdict::different);
  ASSERT_EQ(report.unsteady.size(), 1u);
  EXPECT_EQ(trace.buffers()[report.unsteady[0]].label, "x");
  EXPECT_EQ(report.different_checks, 1u);  // the first run was as recorded, and others were not
  EXPECT_EQ(report.equal_bytes, report.checked_bytes);
}

void drift(const HostGroup& group, float* x) {
  if (group.id.x == 0) x[5] = 1.0F + 1e-6F * static_cast<float>(calls.fetch_add(1) % 100);
}

TEST(HostReplay, MayBeUnsteadyWithinATolerance) {
  const Device host = open_device("host");
  register_host_kernel("drift", host_kernel<&drift>());
  const Kernel kernel =
      host.kernel({.name = "drift", .host = host_kernel<&drift>(), .group_size = {64}});
  const Buffer x = host.buffer(256, "x");
  const Stream stream = host.stream();
  const Trace trace = captured(
      [&] {
        stream.dispatch(kernel, {.groups = {1}}, x);
        stream.synchronize();
      },
      {.contents = Contents::all});
  const auto with = [&](double relative) {
    return replay(trace, {.repeat = 5, .tolerance = Tolerance{.relative = relative}});
  };
  const ReplayReport loose = with(1e-3);
  EXPECT_EQ(loose.verdict(), Verdict::within_tolerance) << told(loose);
  EXPECT_EQ(loose.unsteady.size(), 1u);
  EXPECT_EQ(with(1e-9).verdict(), Verdict::different);
}

std::atomic<bool> is_held{false};
void hold(const HostGroup&, std::uint32_t*) {
  while (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::ptrdiff_t thread_count() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST(HostReplay, GivesUpOnACommandThatHangs) {
  const Device host = open_device("host");
  register_host_kernel("hold", host_kernel<&hold>());
  const Kernel kernel =
      host.kernel({.name = "hold", .host = host_kernel<&hold>(), .group_size = {64}});
  const Buffer x = host.buffer(256, "x");
  const Stream stream = host.stream();
  const Trace trace = captured([&] {
    stream.fill(x, std::uint32_t{7});
    stream.dispatch(kernel, {.groups = {1}, .label = "stuck"}, x);
    stream.synchronize();
  });
  EXPECT_EQ(replay(trace, {.time_limit_s = 20}).verdict(), Verdict::equal);
  is_held = true;
  const auto threads = thread_count();
  expect_error(Code::timed_out, {"c1 'stuck' (hold)", "1 s", "time limit"},
               [&] { replay(trace, {.time_limit_s = 1}); });
  is_held = false;
  // The thread that was left behind ends, with all that it uses.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (thread_count() > threads) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the thread left behind never ended";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void hold_nothing(const HostGroup&, std::uint32_t*) {}

// The second function of the name: which one the document means can't be told any more.
TEST(HostReplay, NamesKernelsWhoseFunctionIsNotKnown) {
  const Device host = open_device("host");
  const Kernel kernel =
      host.kernel({.name = "nobody_knows", .host = host_kernel<&hold>(), .group_size = {64}});
  const Kernel other = host.kernel(
      {.name = "nobody_knows", .host = host_kernel<&hold_nothing>(), .group_size = {64}});
  const Buffer x = host.buffer(256, "x");
  const Stream stream = host.stream();
  const Trace trace = captured([&] {
    stream.dispatch(kernel, {.groups = {1}}, x);
    stream.synchronize();
  });
  expect_error(Code::unsupported,
               {"'nobody_knows' (a function of the program)", "register_host_kernel"},
               [&] { replay(trace); });
  expect_error(Code::unsupported, {"'nobody_knows' (a function of the program)", "opencl"},
               [&] { replay(trace, open_device("opencl")); });
}

TEST(HostReplay, RefusesRangesThatAreNone) {
  const Device host = open_device("host");
  const Buffer x = host.buffer(256, "x");
  const Stream stream = host.stream();
  const Trace trace = captured([&] { stream.fill(x, std::uint8_t{1}), stream.synchronize(); });
  expect_error(Code::invalid_argument, {"c1", "ends with c0"}, [&] { replay(trace, {.from = 1}); });
  expect_error(Code::invalid_argument, {"no kernel 3"}, [&] {
    replay(trace, {.replacements = {{3, {KernelForm::glsl, ""}}}});
  });
  expect_error(Code::invalid_argument, {"Device", "empty"}, [&] { replay(trace, Device()); });
}

}  // namespace
}  // namespace reel::test
