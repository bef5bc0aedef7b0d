#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "reel/graph_exec.hpp"

namespace forward_pass {
namespace {

using reel::ops::CacheBinding;
using reel::ops::PositionArgument;

double us_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

// All tokens of the prompt but the last. A graph would have one shape, and these passes have two or
// more.
void take_prompt(const Decoder& decoder, const reel::GraphExecutor& executor, bool recorded,
                 std::uint32_t rows) {
  for (std::uint32_t position = 0; position < rows; position += Sizes::prompt_rows) {
    reel::GraphSession pass = recorded ? executor.begin_recorded() : executor.begin();
    decoder.encode_prompt(pass, position, std::min(Sizes::prompt_rows, rows - position));
    pass.finish();
  }
}

// Takes the prompt, then calls pass(position) for every token; with their times.
template <class F>
void measure(Run& result, const Decoder& decoder, const reel::GraphExecutor& executor,
             bool recorded, std::span<const std::uint32_t> prompt, F&& pass) {
  const auto last = static_cast<std::uint32_t>(prompt.size()) - 1;
  decoder.reset(prompt);
  take_prompt(decoder, executor, recorded, last);
  pass(last);
  // Again from nothing, so that no cached key comes from the warm-up.
  decoder.reset(prompt);
  const auto begin = std::chrono::steady_clock::now();
  take_prompt(decoder, executor, recorded, last);
  result.prompt_us = us_since(begin);
  result.prompt_rows = last;
  const std::uint32_t token_count = decoder.sizes().tokens;
  result.pass_us.reserve(token_count);
  for (std::uint32_t i = 0; i < token_count; ++i) {
    const auto pass_begin = std::chrono::steady_clock::now();
    pass(last + i);
    result.pass_us.push_back(us_since(pass_begin));
  }
  result.tokens = decoder.tokens();
  result.logits = decoder.logits();
}

Run run_sessions(const reel::Device& device, const Decoder& decoder, bool recorded,
                 std::span<const std::uint32_t> prompt) {
  const reel::GraphExecutor executor(device);
  Run result;
  measure(result, decoder, executor, recorded, prompt, [&](std::uint32_t position) {
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
              std::span<const std::uint32_t> prompt) {
  const reel::GraphExecutor executor(device);
  reel::GraphSession session = executor.begin_recorded();
  decoder.encode(session, 0, CacheBinding::whole);
  const std::vector<PositionArgument> positions = ops.position_arguments(session.graph(), 0);
  reel::GraphExec exec = session.graph().instantiate(device);

  Run result;
  measure(result, decoder, executor, true, prompt, [&](std::uint32_t position) {
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

double Run::prompt_tokens_per_second() const {
  return prompt_rows ? prompt_rows * 1e6 / prompt_us : 0;
}

Run run(const reel::Device& device, const Decoder& decoder, const reel::ops::Ops& ops, Mode mode,
        std::span<const std::uint32_t> prompt) {
  return mode == Mode::graph ? run_graph(device, decoder, ops, prompt)
                             : run_sessions(device, decoder, mode == Mode::recorded, prompt);
}

}  // namespace forward_pass
