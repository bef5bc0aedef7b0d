#include "reel_modes.hpp"

#include <memory>

namespace bench {
namespace {

// Counters of one mode. Ranges are made ahead, as those of a model's weights are.
struct Counters {
  Case work;
  reel::Device device;
  reel::Kernel kernel;
  reel::Buffer buffer;
  std::vector<reel::BufferRange> slices;

  Counters(const Case& c, const reel::Device& d)
      : work(c),
        device(d),
        kernel(add_one_kernel(d)),
        buffer(d.buffer(c.counters() * sizeof(std::uint32_t), "counters")) {
    for (std::uint32_t n = 0; n < work.nodes; ++n)
      slices.push_back(buffer.elements<std::uint32_t>(work.first_item(n), items));
  }

  // The nodes, on a Stream or a GraphSession.
  template <class Target>
  void dispatch_all(Target& target) const {
    for (const reel::BufferRange& slice : slices)
      target.dispatch(kernel, one_group, inout(slice), std::uint32_t{0});
  }
  std::string verify(std::uint64_t passes) const {
    return check_counters(buffer.read<std::uint32_t>(), work, passes);
  }
};

using SharedCounters = std::shared_ptr<const Counters>;

Mode stream_direct(const SharedCounters& counters) {
  return {ours::stream_direct,
          [counters, stream = counters->device.stream("direct")](std::uint64_t passes) {
            for (; passes; --passes) {
              counters->dispatch_all(stream);
              stream.synchronize();
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); }};
}

Mode session_direct(const SharedCounters& counters) {
  return {ours::session_direct,
          [counters, executor = reel::GraphExecutor(counters->device)](std::uint64_t passes) {
            for (; passes; --passes) {
              reel::GraphSession pass = executor.begin();
              counters->dispatch_all(pass);
              pass.finish();
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); }};
}

Mode session_recorded(const SharedCounters& counters) {
  return {ours::session_recorded,
          [counters, executor = reel::GraphExecutor(counters->device)](std::uint64_t passes) {
            for (; passes; --passes) {
              reel::GraphSession pass = executor.begin_recorded();
              counters->dispatch_all(pass);
              pass.finish();
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); }};
}

reel::Graph graph_of(const Counters& counters) {
  reel::Graph graph;
  for (const reel::BufferRange& slice : counters.slices)
    graph.add_dispatch(counters.kernel, one_group, inout(slice), std::uint32_t{0});
  return graph;
}

// Makes execs and throws them away; the last is launched once, to see that it is whole.
Mode instantiate(const SharedCounters& counters) {
  return {ours::instantiate,
          [counters, graph = graph_of(*counters)](std::uint64_t passes) {
            for (; passes; --passes) graph.instantiate(counters->device);
          },
          [counters, graph = graph_of(*counters)](std::uint64_t) {
            const reel::Stream stream = counters->device.stream("check");
            graph.instantiate(counters->device).launch(stream);
            stream.synchronize();
            return counters->verify(1);
          }};
}

Mode graph_exec(const SharedCounters& counters) {
  auto exec = std::make_shared<reel::GraphExec>(graph_of(*counters).instantiate(counters->device));
  return {ours::graph_exec,
          [counters, exec, stream = counters->device.stream("exec")](std::uint64_t passes) {
            for (; passes; --passes) {
              exec->launch(stream);
              stream.synchronize();
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); },
          {},
          {},
          [exec] { return exec->lowering(); }};
}

}  // namespace

reel::Kernel add_one_kernel(const reel::Device& device) {
  return device.kernel({.name = "add_one",
                        .opencl_c = add_one_opencl_c,
                        .glsl = add_one_glsl,
                        .host = reel::host_kernel<&add_one_group>()});
}

std::vector<Mode> reel_modes(const Case& work, const reel::Device& device) {
  const auto counters = [&] { return std::make_shared<const Counters>(work, device); };
  return {stream_direct(counters()), session_direct(counters()), session_recorded(counters()),
          instantiate(counters()), graph_exec(counters())};
}

}  // namespace bench
