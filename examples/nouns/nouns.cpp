// nouns - a small example of each main class. The API's reference shows the pieces between the
// marks; this program runs them all.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "reel/reel.hpp"

using namespace reel;  // NOLINT: as the pieces read in the reference

namespace {

void scale_host(const HostGroup& group, float* x, float factor) {
  group.for_each([&](const HostItem& item) { x[item.global.x] *= factor; });
}

KernelSource scale_source() {
  return {.name = "scale",
          .opencl_c =
              "kernel void scale(global float* x, float factor) {"
              "  x[get_global_id(0)] *= factor; }",
          .glsl =
              "#version 450\n"
              "layout(local_size_x = 64) in;\n"
              "layout(set = 0, binding = 0) buffer X { float x[]; };\n"
              "layout(push_constant) uniform Values { float factor; };\n"
              "void main() { x[gl_GlobalInvocationID.x] *= factor; }",
          .host = host_kernel<&scale_host>(),
          .group_size = {64}};
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "nouns: %s\n", what);
  std::exit(1);
}

void devices_and_errors() {
  //! [DeviceInfo]
  for (const DeviceInfo& info : devices())
    std::printf("%s: %s\n", info.id.c_str(),
                info.available() ? info.name.c_str() : info.unavailable.c_str());
  //! [DeviceInfo]
  //! [Error]
  try {
    open_device("no such device");
  } catch (const Error& error) {
    std::printf("%s\n", error.what());  // a whole sentence, with the devices that are there
    expect(error.code() == Code::no_device, "a device that isn't there has a code of its own");
  }
  //! [Error]
}

void running(const Device& device) {
  //! [Kernel]
  Kernel scale = device.kernel(scale_source());  // its forms for OpenCL, Vulkan and the host
  std::printf("%s takes %zu arguments\n", scale.name().c_str(), scale.parameters().size());
  //! [Kernel]
  //! [Buffer]
  Buffer x = device.buffer_of(std::vector<float>(256, 1.0F), "x");
  x.write(std::vector<float>(16, 3.0F));  // the first 16 elements
  std::vector<float> values = x.read<float>();
  //! [Buffer]
  expect(values[15] == 3.0F && values[16] == 1.0F, "a buffer holds what was written");
  //! [Stream]
  Stream stream = device.stream("main");
  stream.dispatch(scale, {.groups = {256 / 64}}, inout(x), 2.0F);
  stream.copy(x.range(0, 64), x.range(64, 64));  // after the kernel: a stream runs in order
  stream.synchronize();
  //! [Stream]
  expect(x.read<float>()[0] == 2.0F, "a stream runs in order");
  //! [Event]
  Stream side = device.stream("side");
  Event ready = device.event("ready");
  stream.dispatch(scale, {.groups = {4}}, inout(x), 0.5F);
  stream.record(ready);
  side.wait(ready);  // what follows on `side` comes after the kernel
  const std::vector<float> halved = side.read_now<float>(x);
  //! [Event]
  expect(halved[0] == 1.0F, "an event orders two streams");
  //! [MemoryPool]
  MemoryPool pool(device);
  {
    Temporary scratch = pool.take(4096);  // goes back to the pool with this object
    stream.fill(scratch.range(), 0U);
  }
  //! [MemoryPool]
  stream.synchronize();
}

void graphs(const Device& device) {
  Kernel scale = device.kernel(scale_source());
  Buffer x = device.buffer_of(std::vector<float>(64, 1.0F), "x");
  Stream stream = device.stream("main");
  //! [Graph]
  Graph graph;
  const NodeId twice = graph.add_dispatch(scale, {.groups = {1}}, inout(x), 2.0F);
  graph.add_dispatch(scale, {.groups = {1}}, inout(x), 3.0F);  // after `twice`: both write x
  //! [Graph]
  //! [GraphExec]
  GraphExec exec = graph.instantiate(device);  // checked and lowered once
  exec.launch(stream);
  exec.set_argument(twice, 1, 0.5F);  // for later launches
  exec.launch(stream);
  //! [GraphExec]
  expect(stream.read_now<float>(x)[0] == 9.0F, "a graph's arguments can be changed");
  //! [StreamCapture]
  StreamCapture capture = StreamCapture::begin(stream);
  stream.dispatch(scale, {.groups = {1}}, inout(x), 2.0F);  // recorded, not run
  Graph recorded = std::move(capture).end();
  //! [StreamCapture]
  expect(recorded.nodes().size() == 1, "a stream capture is a graph");
  //! [GraphExecutor]
  GraphExecutor executor(device);
  GraphSession session = executor.begin();
  session.dispatch(scale, {.groups = {1}}, inout(x), 2.0F);
  PassReport report = session.finish();
  //! [GraphExecutor]
  expect(stream.read_now<float>(x)[0] == 18.0F, "a session runs its commands");
}

void documents(const Device& device, const std::string& path) {
  Kernel scale = device.kernel(scale_source());
  Buffer x = device.buffer_of(std::vector<float>(64, 1.0F), "x");
  Stream stream = device.stream("main");
  //! [Capture]
  start_capture(path, {.contents = Contents::all, .overwrite = true});
  {
    const ScopeGuard layer = stream.scope("layer0");
    stream.dispatch(scale, {.groups = {1}}, inout(x), 2.0F);
  }
  stream.synchronize();
  CaptureReport captured = stop_capture();
  //! [Capture]
  //! [Trace]
  Trace trace = Trace::load(path);
  for (const TraceCommand& command : trace.commands())
    std::printf("%s\n", trace.kernels()[trace.work_of(command).kernel].name.c_str());
  //! [Trace]
  //! [Report]
  analysis::Report report = analyze(trace);
  for (const analysis::KernelUsage& usage : report.kernels)
    std::printf("%s: %s\n", trace.kernels()[usage.kernel].name.c_str(),
                time_text(usage.total_ns).c_str());
  //! [Report]
  //! [Finding]
  for (const analysis::Finding& finding : find_insights(trace, report))
    std::printf("%s: %s\n", finding.id.c_str(), finding.title.c_str());
  //! [Finding]
  //! [Sql]
  Sql sql(trace);
  const SqlResult rows = sql.query("select name, runs from kernel_usage");
  //! [Sql]
  expect(rows.rows.size() == 1, "one kernel ran");
  //! [ReplayReport]
  ReplayReport replayed = replay(trace, device);
  std::printf("%s\n",
              replayed.verdict() == Verdict::equal ? "every byte as recorded" : "different");
  //! [ReplayReport]
  expect(replayed.verdict() == Verdict::equal, "a replay is equal");
  //! [TraceDiff]
  analysis::TraceDiff changed = analysis::diff(trace, trace);
  std::printf("%zu rows\n", changed.rows.size());
  //! [TraceDiff]
}

}  // namespace

int main(int count, char** words) {
  const Device device = open_device();  // $REEL_DEVICE, else the best one
  devices_and_errors();
  running(device);
  graphs(device);
  documents(device, count > 1 ? words[1] : "nouns.reel");
}
