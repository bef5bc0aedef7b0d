#include "forward_pass_modes.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "decoder.hpp"
#include "run.hpp"
#include "shared/reel_modes.hpp"

namespace bench {
namespace {

using forward_pass::Decoder;
using reel::ops::CacheBinding;

constexpr std::uint32_t first_token = 1;
// Small enough that launching matters, as it does for a real model's short kernels on a GPU.
constexpr forward_pass::Sizes sizes{.layers = 4,
                                    .dim = 64,
                                    .heads = 4,
                                    .kv_heads = 2,
                                    .hidden = 160,
                                    .vocabulary = 256,
                                    .tokens = 16};

// What the modes share, and the tokens they must come to.
struct Setting {
  reel::Device device;
  reel::ops::Ops ops;
  forward_pass::Model model;
  std::vector<std::uint32_t> tokens;
  std::size_t dispatches = 0;

  explicit Setting(const reel::Device& d) : device(d), ops(d), model(d, sizes) {
    const forward_pass::Run run = forward_pass::run(
        d, Decoder(d, model, ops), ops, forward_pass::Mode::direct, std::array{first_token});
    tokens = run.tokens;
    dispatches = run.dispatches;
  }
};

// A decoder with its own sequence. It starts over after the last position: each pass writes what
// it wrote there before, so the tokens stay as they are.
struct Sequence {
  std::shared_ptr<const Setting> setting;
  Decoder decoder;
  std::uint32_t position = 0;

  explicit Sequence(std::shared_ptr<const Setting> of)
      : setting(std::move(of)), decoder(setting->device, setting->model, setting->ops) {
    decoder.reset(std::array{first_token});
  }
  std::uint32_t next_position() { return std::exchange(position, (position + 1) % sizes.tokens); }

  std::string verify(std::uint64_t passes) const {
    const std::vector<std::uint32_t> found = decoder.tokens();
    for (std::size_t i = 0; i < found.size() && i <= passes; ++i)
      if (found[i] != setting->tokens[i])
        return fmt::format("token {} is {}, expected {}", i, found[i], setting->tokens[i]);
    return {};
  }
};

Mode session_mode(const char* name, bool recorded, std::shared_ptr<const Setting> setting) {
  auto sequence = std::make_shared<Sequence>(std::move(setting));
  return {name,
          [=, executor = reel::GraphExecutor(sequence->setting->device)](std::uint64_t passes) {
            for (; passes; --passes) {
              reel::GraphSession pass = recorded ? executor.begin_recorded() : executor.begin();
              sequence->decoder.encode(pass, sequence->next_position(), CacheBinding::exact);
              pass.finish();
            }
          },
          [=](std::uint64_t passes) { return sequence->verify(passes); }};
}

// One pass recorded; for every token its positions are changed, and it is launched.
Mode graph_mode(std::shared_ptr<const Setting> setting) {
  auto sequence = std::make_shared<Sequence>(std::move(setting));
  const reel::GraphExecutor executor(sequence->setting->device);
  reel::GraphSession session = executor.begin_recorded();
  sequence->decoder.encode(session, 0, CacheBinding::whole);
  auto positions = sequence->setting->ops.position_arguments(session.graph(), 0);
  auto exec =
      std::make_shared<reel::GraphExec>(session.graph().instantiate(sequence->setting->device));
  return {ours::graph_exec,
          [=](std::uint64_t passes) {
            for (; passes; --passes) {
              const std::uint32_t position = sequence->next_position();
              for (const auto& argument : positions)
                exec->set_argument(argument.node, argument.index, position + argument.ahead);
              exec->launch(executor.stream());
              executor.stream().synchronize();
            }
          },
          [=](std::uint64_t passes) { return sequence->verify(passes); }};
}

}  // namespace

Group forward_pass_group(const reel::Device& device) {
  const auto setting = std::make_shared<const Setting>(device);
  return {device.info().id,
          fmt::format("forward pass, {} layers, {} dispatches", sizes.layers, setting->dispatches),
          setting->dispatches,
          {session_mode(ours::session_direct, false, setting),
           session_mode(ours::session_recorded, true, setting), graph_mode(setting)}};
}

}  // namespace bench
