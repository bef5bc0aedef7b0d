#include "cli/benching/device_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "cli/benching/bench_kernels.hpp"
#include "reel/buffer.hpp"
#include "reel/error.hpp"
#include "reel/stream.hpp"

namespace reel::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t buffer_bytes = 16 << 20;  // past the caches of most processors, not of all
constexpr std::uint32_t fma_items = 1 << 14, launches = 1000, matrix = 256;
constexpr std::size_t least_runs = 3;    // however slow
constexpr double worth_timing_ns = 2e6;  // a run this long is not measured by its launch

double ns_of(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

// The time of a device: what is left of it is shared by the measures that are left, so that
// building kernels, warming up and a slow device's shortest measure come off the time of the
// others.
class Budget {
 public:
  Budget(Clock::time_point begin, double seconds)
      : end_(begin +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  double next_seconds() {
    const double left = ns_of(end_ - Clock::now()) / 1e9 / measures_left_--;
    return std::max(left, 0.0);
  }

 private:
  Clock::time_point end_;
  int measures_left_ = 8;  // launches: 2, memory: 4, arithmetic: 2
};

// The median time of a run, of as many as the time allows; one before them warms up.
template <class Run>
double median_ns(double seconds, const Run& run) {
  run();
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < least_runs || ns_of(Clock::now() - begin) < seconds * 1e9) {
    const auto before = Clock::now();
    run();
    times.push_back(ns_of(Clock::now() - before));
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void expect(float found, float expected, const char* kernel, const Device& device) {
  if (std::abs(found - expected) <= 1e-4F * std::abs(expected)) return;
  throw Error(Code::driver_failed,
              fmt::format("{} computes wrongly, so its speed means nothing: {} gave {} in place "
                          "of {}.",
                          device.info().id, kernel, found, expected));
}

float first_of(const Stream& stream, const Buffer& buffer, std::uint64_t at) {
  return stream.read_now<float>(buffer.range(at * sizeof(float), sizeof(float))).front();
}

void measure_launches(const Device& device, const Stream& stream, Budget& budget,
                      DeviceBench& result) {
  const Kernel kernel = device.kernel(bench_empty());
  const Buffer y = device.buffer(sizeof(float) * bench_group, "y");
  const auto dispatch = [&] { stream.dispatch(kernel, {.groups = {1}}, out(y)); };
  result.round_trip_ns = median_ns(budget.next_seconds(), [&] {
    dispatch();
    stream.synchronize();
  });
  result.launch_ns = median_ns(budget.next_seconds(),
                               [&] {
                                 for (std::uint32_t i = 0; i < launches; ++i) dispatch();
                                 stream.synchronize();
                               }) /
                     launches;
  expect(first_of(stream, y, 0), 1.0F, "bench_empty", device);
}

void measure_memory(const Device& device, const Stream& stream, Budget& budget,
                    DeviceBench& result) {
  constexpr std::uint64_t count = buffer_bytes / sizeof(float);
  constexpr double bytes = static_cast<double>(buffer_bytes);
  std::vector<float> host(count, 1.5F);
  const Buffer x = device.buffer(buffer_bytes, "x"), y = device.buffer(buffer_bytes, "y"),
               z = device.buffer(buffer_bytes, "z");
  const auto rate = [&](double moved, const auto& give) {
    return moved * 1e9 / median_ns(budget.next_seconds(), [&] {
             give();
             stream.synchronize();
           });
  };
  result.write_bytes_per_s = rate(bytes, [&] { stream.write(x, host); });
  result.copy_bytes_per_s = rate(2 * bytes, [&] { stream.copy(y, x); });
  const Kernel triad = device.kernel(bench_triad());
  const std::uint32_t groups = static_cast<std::uint32_t>(count / 4 / bench_group);
  result.triad_bytes_per_s =
      rate(3 * bytes, [&] { stream.dispatch(triad, {.groups = {groups}}, in(x), in(y), out(z)); });
  expect(first_of(stream, z, count - 1), 4.5F, "bench_triad", device);
  result.read_bytes_per_s = rate(bytes, [&] { stream.read(z, host); });
  expect(host.front(), 4.5F, "a read", device);
}

void measure_arithmetic(const Device& device, const Stream& stream, Budget& budget,
                        DeviceBench& result) {
  const Kernel fma = device.kernel(bench_fma()), matmul = device.kernel(bench_matmul());
  const Buffer y = device.buffer(sizeof(float) * fma_items, "y");
  std::uint32_t rounds = 64;
  const auto run = [&] {
    stream.dispatch(fma, {.groups = {fma_items / bench_group}}, out(y), rounds);
    stream.synchronize();
  };
  // As many as make the launch small beside it.
  while (rounds < (1U << 20) && median_ns(0, run) < worth_timing_ns) rounds *= 2;
  result.fma_flops = 1e9 * fma_operations * static_cast<double>(fma_items) * rounds /
                     median_ns(budget.next_seconds(), run);
  expect(first_of(stream, y, 3), fma_result(3, rounds), "bench_fma", device);

  const std::vector<float> ones(std::size_t{matrix} * matrix, 1.0F),
      halves(std::size_t{matrix} * matrix, 0.5F);
  const Buffer a = device.buffer_of(ones, "a"), b = device.buffer_of(halves, "b"),
               c = device.buffer(ones.size() * sizeof(float), "c");
  const double operations = 2.0 * matrix * matrix * matrix;
  result.matmul_flops = 1e9 * operations / median_ns(budget.next_seconds(), [&] {
                          stream.dispatch(matmul, {.groups = {matrix / bench_group, matrix}}, in(a),
                                          in(b), out(c), matrix);
                          stream.synchronize();
                        });
  expect(first_of(stream, c, ones.size() - 1), 0.5F * matrix, "bench_matmul", device);
}

}  // namespace

double DeviceBench::peak_bytes_per_s() const {
  return std::max(copy_bytes_per_s, triad_bytes_per_s);
}
double DeviceBench::peak_flops() const { return std::max(fma_flops, matmul_flops); }

DeviceBench measure(const Device& device, double seconds,
                    const std::function<void(std::string_view what)>& on_progress) {
  Budget budget(Clock::now(), seconds);
  const Stream stream = device.stream("bench");
  const auto say = [&](std::string_view what) {
    if (on_progress) on_progress(what);
  };
  DeviceBench result;
  say("launches");
  measure_launches(device, stream, budget, result);
  say("memory");
  measure_memory(device, stream, budget, result);
  say("arithmetic");
  measure_arithmetic(device, stream, budget, result);
  return result;
}

}  // namespace reel::cli
