#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "reel/graph_exec.hpp"

namespace forward_pass {
namespace {

using reel::ops::CacheBinding;
using reel::ops::PositionArgument;

// Calls pass(position) for every token and takes its time.
template <class F>
void measure(Run& result, const Decoder& decoder, std::uint32_t first_token,
             std::uint32_t token_count, F&& pass) {
  decoder.reset(first_token);
  pass(0u);
  // Again from nothing, so that no cached key comes from the warm-up.
  decoder.reset(first_token);
  result.pass_us.reserve(token_count);
  for (std::uint32_t position = 0; position < token_count; ++position) {
    const auto begin = std::chrono::steady_clock::now();
    pass(position);
    const auto end = std::chrono::steady_clock::now();
    result.pass_us.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  result.tokens = decoder.tokens();
  result.logits = decoder.logits();
}

Run run_sessions(const reel::Device& device, const Decoder& decoder, bool recorded,
                 std::uint32_t first_token, std::uint32_t token_count) {
  const reel::GraphExecutor executor(device);
  Run result;
  measure(result, decoder, first_token, token_count, [&](std::uint32_t position) {
    reel::GraphSession pass = recorded ? executor.begin_recorded() : executor.begin();
    decoder.encode(pass, position, CacheBinding::exact);
    const reel::PassReport report = pass.finish();
    result.dispatches = report.dispatches;
    result.barriers = report.barriers;
    result.barriers_avoided = report.barriers_avoided;
  });
  return result;
}

Run run_graph(const reel::Device& device, const Decoder& decoder, const reel::ops::Ops& ops,
              std::uint32_t first_token, std::uint32_t token_count) {
  const reel::GraphExecutor executor(device);
  reel::GraphSession session = executor.begin_recorded();
  decoder.encode(session, 0, CacheBinding::whole);
  const std::vector<PositionArgument> positions = ops.position_arguments(session.graph(), 0);
  reel::GraphExec exec = session.graph().instantiate(device);

  Run result;
  measure(result, decoder, first_token, token_count, [&](std::uint32_t position) {
    for (const PositionArgument& argument : positions)
      exec.set_argument(argument.node, argument.index, position + argument.ahead);
    exec.launch(executor.stream());
    executor.stream().synchronize();
  });
  result.dispatches = exec.node_count();
  result.barriers = exec.barrier_count();
  result.barriers_avoided = result.dispatches - 1 - result.barriers;  // the first needs none anyhow
  return result;
}

}  // namespace

const char* to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::direct:
      return "direct";
    case Mode::recorded:
      return "recorded";
    case Mode::graph:
      return "graph";
  }
  return "?";
}

double Run::median_us() const {
  std::vector<double> sorted = pass_us;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double Run::longest_us() const { return *std::max_element(pass_us.begin(), pass_us.end()); }

double Run::tokens_per_second() const {
  const double total_us = std::accumulate(pass_us.begin(), pass_us.end(), 0.0);
  return static_cast<double>(pass_us.size()) * 1e6 / total_us;
}

Run run(const reel::Device& device, const Decoder& decoder, const reel::ops::Ops& ops, Mode mode,
        std::uint32_t first_token, std::uint32_t token_count) {
  return mode == Mode::graph
             ? run_graph(device, decoder, ops, first_token, token_count)
             : run_sessions(device, decoder, mode == Mode::recorded, first_token, token_count);
}

}  // namespace forward_pass
