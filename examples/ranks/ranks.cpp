// ranks - a decoder's forward pass in every rank of an MPI job, with an all-reduce after each step.
//
//   mpirun -n 4 ranks [--steps N] [--slow-rank R --slow-us US]
//
// Each rank decodes on the host device, and the sums of all ranks are exchanged, so everybody waits
// for the slowest. One rank can be slowed by a known time: its 'sample' kernel takes as much
// longer, as it would on a device that is throttled. At the end it prints what it measured itself,
// which `reel ranks` should find out without being told: how much longer 'sample' took in that
// rank, how long the others were done with their kernels before the last one was, and how much
// longer than the last one they were in the all-reduce, medians of a step.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "decoder.hpp"
#include "reel/reel.hpp"

namespace {

struct Options {
  std::uint32_t steps = 40, slow_us = 0;
  int slow_rank = -1;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const long value = std::strtol(argv[i + 1], nullptr, 10);
    if (name == "--steps") options.steps = static_cast<std::uint32_t>(value);
    if (name == "--slow-rank") options.slow_rank = static_cast<int>(value);
    if (name == "--slow-us") options.slow_us = static_cast<std::uint32_t>(value);
  }
  options.steps = std::max(options.steps, 1u);
  return options;
}

double now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}
std::vector<double> begun_us, done_us;  // of 'sample', by step
std::vector<double> waited_us;          // in the all-reduce, by step

// Every rank runs it with the same sizes. It sleeps, so that ranks that share a core don't slow
// each other down in it.
void sample(const reel::HostGroup& group, const float* x, float* y, std::uint32_t us) {
  begun_us.push_back(now_us());
  std::this_thread::sleep_for(std::chrono::microseconds(us));
  group.for_each([&](const reel::HostItem& item) { y[item.global.x] = x[item.global.x] / 2; });
  done_us.push_back(now_us());
}

double median_of(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

std::vector<double> gathered(const std::vector<double>& own, int ranks) {
  std::vector<double> all(own.size() * static_cast<std::size_t>(ranks));
  const int count = static_cast<int>(own.size());
  MPI_Gather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

// All ranks run on one machine here, so their clocks are one.
void print_measured(int rank, int slow_rank) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<double> begun = gathered(begun_us, ranks), done = gathered(done_us, ranks),
                            waited = gathered(waited_us, ranks);
  if (rank != 0 || ranks < 2) return;
  const std::size_t steps = begun_us.size(), count = static_cast<std::size_t>(ranks);
  const auto took = [&](std::size_t r, std::size_t s) {
    return done[r * steps + s] - begun[r * steps + s];
  };
  std::vector<double> longer;
  for (std::size_t s = 0; s < steps && slow_rank >= 0; ++s) {
    const auto slow = static_cast<std::size_t>(slow_rank);
    std::vector<double> others;
    for (std::size_t r = 0; r < count; ++r)
      if (r != slow) others.push_back(took(r, s));
    longer.push_back(took(slow, s) - median_of(others));
  }
  if (!longer.empty())
    std::printf("'sample' took %.0f us longer in rank %d\n", median_of(longer), slow_rank);
  std::vector<double> earlier, waiting;
  for (std::size_t s = 0; s < steps; ++s) {
    double last = 0, least = waited[s], sum = 0, waits = 0;
    for (std::size_t r = 0; r < count; ++r) {
      last = std::max(last, done[r * steps + s]);
      least = std::min(least, waited[r * steps + s]);
    }
    for (std::size_t r = 0; r < count; ++r) {
      sum += last - done[r * steps + s];
      waits += waited[r * steps + s] - least;
    }
    earlier.push_back(sum / static_cast<double>(count - 1));
    waiting.push_back(waits / static_cast<double>(count - 1));
  }
  std::printf("the others were done %.0f us before the last\n", median_of(earlier));
  std::printf("the others waited %.0f us in the all-reduce\n", median_of(waiting));
}

void decode(const Options& options, int rank) {
  const reel::Device device = reel::open_device("host");
  forward_pass::Sizes sizes;
  sizes.tokens = options.steps;
  const reel::ops::Ops ops(device);
  const forward_pass::Model model(device, sizes);
  const forward_pass::Decoder decoder(device, model, ops);
  const reel::Kernel sampling =
      device.kernel({.name = "sample", .host = reel::host_kernel<&sample>(), .group_size = {64}});
  const reel::Buffer x = device.buffer_of(std::vector<float>(64, 1), "x"),
                     y = device.buffer(64 * sizeof(float), "y");
  constexpr std::uint32_t usual_us = 9000;
  const std::uint32_t us = usual_us + (rank == options.slow_rank ? options.slow_us : 0);
  const reel::GraphExecutor executor(device);
  decoder.reset(std::array{1u});
  double sum = 0;
  for (std::uint32_t step = 0; step < options.steps; ++step) {
    reel::GraphSession pass = executor.begin();
    decoder.encode(pass, step, reel::ops::CacheBinding::exact);
    pass.dispatch(sampling, {.groups = {1}}, in(x), out(y), us);
    pass.finish();
    const std::vector<float> halves = y.read<float>();
    double own = std::accumulate(halves.begin(), halves.end(), 0.0), all = 0;
    const double entered = now_us();
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    waited_us.push_back(now_us() - entered);
    sum += all;
  }
  if (rank == 0) std::printf("%u steps, sum %.0f\n", options.steps, sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Options options = parse(argc, argv);
    decode(options, rank);
    print_measured(rank, options.slow_rank);
  } catch (const reel::Error& error) {
    std::fprintf(stderr, "ranks: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
