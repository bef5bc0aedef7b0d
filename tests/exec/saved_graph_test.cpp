// Graphs saved by one process and launched by another, and buffers given by name.
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "stream_test.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A name for one file, which is removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("reel_" + std::to_string(getpid()) + "_" + name + ".reel")) {
    std::filesystem::remove(path_);
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// This program again, with one test that is otherwise disabled; what it printed.
std::string in_another_process(const std::string& test, const std::string& graph) {
  char self[PATH_MAX] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return "no /proc";
  const std::string command = "REEL_TEST_GRAPH='" + graph + "' '" + self +
                              "' --gtest_also_run_disabled_tests --gtest_filter='" + test +
                              "' 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "no process";
  char chunk[4096];
  while (const std::size_t got = fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, got);
  if (pclose(pipe) != 0) output += "\nit failed";
  return output;
}

std::string graph_from_parent() {
  const char* path = std::getenv("REEL_TEST_GRAPH");
  return path ? path : "";
}

class SavedGraph : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (const KernelSource& source : {mad_source(), mix_source()})
      register_host_kernel(source.name, source.host);
  }

  // x = 2 x + 1; z = 5 (3 x + y) + 7, half of it in a child; y = what is written to w.
  Graph some_work() const {
    Graph child, graph;
    add_mad(child, z, 5, 7);
    add_mad(graph, x, 2, 1);
    add_mix(graph, x, y, z, 3);
    graph.add_child(child, {.label = "child"});
    graph.add_write(w, std::as_bytes(std::span<const std::uint32_t>(ramp(40))));
    graph.add_copy(y, w, {.label = "last"});
    return graph;
  }
  Graph loaded(const Graph& graph) const {
    const ScratchFile file(GetParam());
    graph.save(file.path());
    return Graph::load(file.path());
  }
  void run(const GraphExec& exec) const {
    exec.launch(stream);
    stream.synchronize();
  }
  Buffer mine(std::string_view label, const Words& values) const {
    return device().buffer_of(values, label);
  }
};
INSTANTIATE_TEST_SUITE_P(Each, SavedGraph, every_device(), device_name);

TEST_P(SavedGraph, RunsInAnotherProcessOnEveryDevice) {
  const ScratchFile file(GetParam());
  some_work().save(file.path());
  for (const std::string device : {"host", "opencl", "vulkan"}) {
    const std::string said = in_another_process(
        "Each/SavedGraph.DISABLED_WhatAnotherProcessSavedRuns/" + device, file.path());
    if (said.find("device is not here") != std::string::npos) continue;
    EXPECT_THAT(said, HasSubstr("[  PASSED  ] 1 test.")) << device;
  }
}

TEST_P(SavedGraph, DISABLED_WhatAnotherProcessSavedRuns) {
  const Graph graph = Graph::load(graph_from_parent());
  std::vector<std::string> names;
  for (const GraphBuffer& buffer : graph.buffers()) names.push_back(buffer.name);
  ASSERT_THAT(names, ElementsAre("x", "y", "z", "w"));
  const Buffer in_x = mine("a", ramp(10)), in_y = mine("b", words(9)), out_z = make("c");
  const GraphExec exec =
      graph.instantiate(device(), {.buffers = {{"z", out_z}, {"x", in_x}, {"y", in_y}}});
  run(exec);
  Words expected_x, expected_z;
  for (const std::uint32_t value : ramp(10)) {
    expected_x.push_back(2 * value + 1);
    expected_z.push_back(5 * (3 * expected_x.back() + 9) + 7);
  }
  EXPECT_EQ(contents(in_x), expected_x);
  EXPECT_EQ(contents(out_z), expected_z);
  EXPECT_EQ(contents(in_y), ramp(40));
}

TEST_P(SavedGraph, WhatNobodyGivesIsZeroedAndCanBeBoundLater) {
  GraphExec exec = loaded(some_work()).instantiate(device());
  EXPECT_EQ(contents(x), words(0));
  run(exec);
  EXPECT_EQ(contents(x), words(0)) << "not the buffer that it was saved with";
  const Buffer other = make("other"), result = make("result");
  exec.bind("z", result);
  exec.bind("y", other);
  run(exec);  // x was 1 by now
  EXPECT_EQ(contents(result), words(5 * (3 * 3 + 0) + 7));
  EXPECT_EQ(contents(other), ramp(40));
}

TEST_P(SavedGraph, AGivenBufferIsBoundByTheNameThatTheGraphHasForIt) {
  const Buffer first = mine("first", words(1)), second = mine("second", words(2));
  GraphExec exec = loaded(some_work()).instantiate(device(), {.buffers = {{"x", first}}});
  run(exec);
  exec.bind("x", second);
  run(exec);
  EXPECT_EQ(contents(first), words(3));
  EXPECT_EQ(contents(second), words(5));
  expect_error(Code::invalid_argument, {"'first'"}, [&] { exec.bind("first", second); });
}

TEST_P(SavedGraph, ALargerBufferServesAsWell) {
  const Buffer large = device().buffer_of(words(4, 2 * word_count), "large");
  run(loaded(some_work()).instantiate(device(), {.buffers = {{"x", large}}}));
  Words expected = words(9);
  expected.resize(2 * word_count, 4);
  EXPECT_EQ(contents(large), expected);
}

TEST_P(SavedGraph, ClonesAndUpdatesKeepTheBuffersOfTheExec) {
  const Buffer given = mine("given", words(1));
  const Graph graph = loaded(some_work());
  GraphExec exec = graph.instantiate(device(), {.buffers = {{"x", given}}});
  GraphExec clone = exec.clone();
  EXPECT_EQ(why(exec.update(graph)), "");
  EXPECT_EQ(why(exec.update(loaded(some_work()))), "");
  run(exec);
  run(clone);
  EXPECT_EQ(contents(given), words(7));
}

TEST_P(SavedGraph, ALaunchOfItCanBeCapturedIntoAnotherGraph) {
  const Buffer given = mine("given", words(1));
  const GraphExec exec = loaded(some_work()).instantiate(device(), {.buffers = {{"x", given}}});
  auto capture = StreamCapture::begin(stream);
  exec.launch(stream);
  exec.launch(stream);
  const Graph twice = capture.end();
  run(twice.instantiate(device()));
  EXPECT_EQ(contents(given), words(7));
}

TEST_P(SavedGraph, BuffersCanBeGivenForThoseOfAnyGraph) {
  const Buffer given = mine("given", words(1));
  run(some_work().instantiate(device(), {.buffers = {{"x", given}}}));
  EXPECT_EQ(contents(given), words(3));
  EXPECT_EQ(contents(x), words(0));
  EXPECT_EQ(contents(y), ramp(40));
  // In place of each other, too.
  x.write(words(1));
  z.write(words(2));
  Graph both;
  add_mad(both, x, 2, 1);
  add_mad(both, z, 3, 1);
  run(both.instantiate(device(), {.buffers = {{"x", z}, {"z", x}}}));
  EXPECT_EQ(contents(x), words(4));
  EXPECT_EQ(contents(z), words(5));
}

TEST_P(SavedGraph, WrongBuffersAreNamed) {
  const Graph graph = loaded(some_work());
  const auto refused = [&](const Graph& with, std::vector<std::pair<std::string, Buffer>> buffers,
                           std::initializer_list<std::string_view> words) {
    expect_error(Code::invalid_argument, words,
                 [&] { with.instantiate(device(), {.buffers = std::move(buffers)}); });
  };
  const Buffer fine = make("fine"), small = device().buffer(16, "small");
  refused(graph, {{"q", fine}}, {"named 'q'", "'x', 'y', 'z', 'w'"});
  refused(graph, {{"x", small}}, {"'small' has 16 bytes", "'x'", "1024"});
  refused(graph, {{"x", Buffer()}}, {"'x' is empty"});
  refused(graph, {{"x", fine}, {"x", make("more")}}, {"'x' is given twice"});
  refused(graph, {{"x", fine}, {"y", fine}}, {"'fine' is given for 'x' and for 'y'"});
  if (const Device other = another_device())
    refused(graph, {{"x", other.buffer(4 * word_count, "foreign")}},
            {"'foreign'", "'x'", "belongs to device"});
  const Buffer freed = make("freed");
  Buffer(freed).free();
  refused(graph, {{"x", freed}}, {"'freed'", "was freed"});

  Graph two;
  add_mad(two, make("same"), 2, 1);
  add_mad(two, make("same"), 2, 1);
  refused(two, {{"same", fine}}, {"2 buffers", "labelled 'same'", "'same#1', 'same#2'"});
  run(two.instantiate(device(), {.buffers = {{"same#2", fine}}}));
  EXPECT_EQ(contents(fine), words(1));
  refused(some_work(), {{"x", y}}, {"'y', given for 'x', is in the graph already"});
}

void unknown_here(const HostGroup& group, float* values) {
  group.for_each([&](const HostItem& item) { values[item.global.x] += 1; });
}

TEST(SavedHostKernel, IsAskedForByNameWhereItIsMissing) {
  const Device host = open_device("host");
  const Kernel kernel = host.kernel(
      {.name = "unknown_here", .host = host_kernel<&unknown_here>(), .group_size = {64}});
  Graph graph;
  graph.add_dispatch(kernel, {.groups = {1}}, inout(host.buffer(256, "values")));
  const ScratchFile file("host_kernel");
  graph.save(file.path());
  EXPECT_THAT(in_another_process("SavedHostKernel.DISABLED_IsMissingHere", file.path()),
              HasSubstr("[  PASSED  ] 1 test."));
}

TEST(SavedHostKernel, DISABLED_IsMissingHere) {
  const Device host = open_device("host");
  const Graph graph = Graph::load(graph_from_parent());
  expect_error(Code::invalid_argument, {"'unknown_here'", "register_host_kernel()"},
               [&] { graph.instantiate(host); });
  register_host_kernel("unknown_here", host_kernel<&unknown_here>());  // after loading will do
  const Buffer values = host.buffer(256, "mine");
  const Stream stream = host.stream();
  graph.instantiate(host, {.buffers = {{"values", values}}}).launch(stream);
  EXPECT_EQ(stream.read_now<float>(values), std::vector<float>(64, 1));
}

}  // namespace
}  // namespace reel::test
