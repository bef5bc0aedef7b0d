#include "argument_modes.hpp"

#include <chrono>
#include <memory>

#include "shared/reel_modes.hpp"

namespace bench {
namespace {

constexpr double aim_ns = 200;

// A chain on the first slice of `chain`; its last node works on a buffer of its own, since one
// that other nodes use can't be exchanged alone.
struct Exec {
  std::uint32_t nodes;
  reel::Device device;
  reel::Buffer chain, one, other;
  reel::GraphExec exec;

  Exec(std::uint32_t count, const reel::Device& d)
      : nodes(count),
        device(d),
        chain(d.buffer(2 * slice_bytes, "chain")),
        one(d.buffer(2 * slice_bytes, "one")),
        other(d.buffer(2 * slice_bytes, "other")),
        exec(graph().instantiate(d)) {}

  reel::Graph graph() const {
    const reel::Kernel kernel = add_one_kernel(device);
    reel::Graph result;
    for (std::uint32_t n = 0; n < nodes; ++n)
      result.add_dispatch(kernel, one_group, inout(n + 1 < nodes ? chain : one), std::uint32_t{0});
    return result;
  }
  reel::NodeId last() const { return reel::NodeId{nodes - 1}; }

  // What is wrong if slice `slice` of the buffer doesn't hold so many increments, or the other
  // slice holds any.
  static std::string expect(const reel::Buffer& buffer, std::uint32_t slice,
                            std::uint64_t increments) {
    for (std::uint32_t s = 0; s < 2; ++s) {
      const std::string wrong =
          check_counters(buffer.read<std::uint32_t>(s * items, items), {Shape::independent, 1},
                         s == slice ? increments : 0);
      if (!wrong.empty()) return buffer.label() + ", slice " + std::to_string(s) + ": " + wrong;
    }
    return {};
  }
  void launch() const {
    const reel::Stream stream = device.stream("check");
    exec.launch(stream);
    stream.synchronize();
  }
};

// Every node of the chain in turn gets another offset.
Mode change_value(std::shared_ptr<Exec> exec) {
  return {"set_argument, a value",
          [exec, pass = 0u](std::uint64_t passes) mutable {
            for (; passes; --passes) {
              const std::uint32_t off = ++pass % 2 ? items : 0;
              for (std::uint32_t n = 0; n < exec->nodes; ++n)
                exec->exec.set_argument(reel::NodeId{n}, 1, off);
            }
          },
          [exec](std::uint64_t passes) {
            exec->launch();
            return Exec::expect(exec->chain, passes % 2, exec->nodes - 1);
          },
          {{"", aim_ns}}};
}

// The last node is given one buffer and another by turns.
Mode change_buffer(std::shared_ptr<Exec> exec) {
  return {"set_argument, a buffer",
          [exec](std::uint64_t passes) {
            for (; passes; --passes)
              for (std::uint32_t n = 0; n < exec->nodes; ++n)
                exec->exec.set_argument(exec->last(), 0, inout(n % 2 ? exec->one : exec->other));
          },
          [exec](std::uint64_t) {
            exec->launch();
            const bool on_one = exec->nodes % 2 == 0;
            std::string wrong = Exec::expect(exec->one, 0, on_one ? 1 : 0);
            return wrong.empty() ? Exec::expect(exec->other, 0, on_one ? 0 : 1) : wrong;
          },
          {{"", aim_ns}}};
}

// As a decoder does for each token: the launch is left out of the time, what it evicts is not. One
// call on cold caches, by the clock on the wall, so there is no aim.
Mode change_between_launches(std::shared_ptr<Exec> exec) {
  using Clock = std::chrono::steady_clock;
  auto spent = std::make_shared<double>(0);
  Mode mode{"set_argument, a value, after each launch",
            [exec, spent, stream = exec->device.stream("launches"),
             pass = 0u](std::uint64_t passes) mutable {
              for (; passes; --passes) {
                exec->exec.launch(stream);
                stream.synchronize();
                const std::uint32_t off = ++pass % 2 ? items : 0;
                const auto before = Clock::now();
                exec->exec.set_argument(exec->last(), 1, off);
                *spent += std::chrono::duration<double, std::nano>(Clock::now() - before).count();
              }
            },
            [exec](std::uint64_t passes) {
              return Exec::expect(exec->chain, 0, passes * (exec->nodes - 1));
            }};
  mode.spent = [spent] {
    const double ns = std::exchange(*spent, 0);
    return Spent{ns, ns};
  };
  return mode;
}

}  // namespace

std::vector<Group> argument_groups(std::uint32_t nodes, const reel::Device& device) {
  const std::string of = " of an exec of " + std::to_string(nodes) + " nodes";
  const auto exec = [&] { return std::make_shared<Exec>(nodes, device); };
  return {{device.info().id,
           "change an argument" + of,
           nodes,
           {change_value(exec()), change_buffer(exec())}},
          {device.info().id,
           "launch, then change an argument" + of,
           1,
           {change_between_launches(exec())}}};
}

}  // namespace bench
