// Documents that somebody changed: every replay fails, and names the right command.
#include <cstring>

#include "replay/filled_test.hpp"
#include "replay/racing_kernels.hpp"
#include "replay/tampered.hpp"

namespace reel::test {
namespace {

void wrong_mad(const HostGroup& group, std::uint32_t* x, std::uint32_t a, std::uint32_t b,
               std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) x[i] = a * x[i] + b + (i == 77 ? 1 : 0);
  });
}

void replace(std::vector<std::byte>& text, const std::string& what, const std::string& by) {
  std::string all(reinterpret_cast<const char*>(text.data()), text.size());
  const auto at = all.find(what);
  ASSERT_NE(at, std::string::npos);
  all.replace(at, what.size(), by);
  text.resize(all.size());
  std::memcpy(text.data(), all.data(), all.size());
}

class TamperedReplay : public FilledReplayTest {
 protected:
  // c0: z = 5 x + y   c1: z = 3 z + 1   c2: w = 2 z + x   c3: w = 7 w + 9
  Trace recorded(Contents contents = Contents::all) {
    const Stream stream = device().stream();
    return captured(
        [&] {
          mix(stream, x, y, z, 5);
          mad(stream, z, 3, 1);
          mix(stream, z, x, w, 2);
          mad(stream, w, 7, 9);
          stream.synchronize();
        },
        {.contents = contents});
  }

  ScratchFolder folder;
};

TEST_P(TamperedReplay, WithOneConstantOfAKernelChanged) {
  const Trace trace = recorded();
  Trace changed = trace;
  if (is("host")) {
    register_host_kernel("mul_add", host_kernel<&wrong_mad>());
  } else {
    changed = tampered(trace, folder.path(), {.kernel = [](document::KernelRow& row) {
                         if (row.name != "mul_add") return;
                         for (document::VariantRow& variant : row.variants)
                           if (!variant.text.empty())
                             replace(variant.text, "a * x[i] + b;",
                                     "a * x[i] + b + (i == 77u ? 1u : 0u);");
                       }});
  }
  for (const ReplayOrder order : every_order) {
    const ReplayReport report = replayed(changed, {.order = order});
    ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
    const Difference& first = report.differences.front();
    EXPECT_EQ(first.command, 1u) << told(report);
    EXPECT_EQ(trace.buffers()[first.buffer].label, "z");
    EXPECT_EQ(first.offset_bytes, 77u * 4);
    EXPECT_EQ(first.elements, 1u);
    EXPECT_EQ(first.expected, std::to_string(3 * (5 * 78 + 1077) + 1));
    EXPECT_EQ(first.found, std::to_string(3 * (5 * 78 + 1077) + 2));
    EXPECT_EQ(report.culprit, 1u) << report.culprit_reason;
  }
  // Where it was not, all is well: a replay proves something.
  register_host_kernel("mul_add", mad_source().host);
  EXPECT_EQ(replayed(trace).verdict(), Verdict::equal);
}

// With hashes of the end alone, z was checked last and c1 wrote it last.
TEST_P(TamperedReplay, WithHashesOfTheEndAlone) {
  const Trace trace = recorded(Contents::inputs);
  const Trace changed =
      tampered(trace, folder.path(), {.work = [&](const TraceWork& work, auto&, auto& values) {
                 if (trace.kernels()[work.kernel].name != "mul_add") return;
                 std::uint32_t a = 0;
                 std::memcpy(&a, values.data(), 4);
                 if (a != 3) return;
                 a = 4;
                 std::memcpy(values.data(), &a, 4);
               }});
  const ReplayReport report = replayed(changed);
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.differences.front().command, 1u);
  EXPECT_TRUE(report.differences.front().expected.empty());
  // c0 fed it and nobody checked c0: not certain.
  EXPECT_FALSE(report.culprit);
  EXPECT_NE(report.culprit_reason.find("c0"), std::string::npos) << report.culprit_reason;
}

TEST_P(TamperedReplay, WithOneByteOfAnInputChanged) {
  const Trace trace = recorded();
  bool is_changed = false;
  const Trace changed = tampered(
      trace, folder.path(), {.page = [&](const TraceContents& row, std::vector<std::byte>& bytes) {
        if (is_changed || trace.buffers()[row.buffer].label != "y") return;
        bytes[40] ^= std::byte{1};
        is_changed = true;
      }});
  ASSERT_TRUE(is_changed);
  const ReplayReport report = replayed(changed);
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.differences.front().command, 0u);
  EXPECT_EQ(report.differences.front().offset_bytes, 40u);
  EXPECT_EQ(report.culprit, 0u);
}

TEST_P(TamperedReplay, ShowsItFirstInTheFirstOfSeveralReads) {
  const Stream stream = device().stream();
  std::vector<std::uint32_t> read(256);
  const Trace trace = captured(
      [&] {
        mad(stream, x, 3, 1);
        for (int i = 0; i < 3; ++i) stream.read(x, std::as_writable_bytes(std::span(read)));
        stream.synchronize();
      },
      {.contents = Contents::inputs});
  const Trace changed = tampered(trace, folder.path(),
                                 {.page = [&](const TraceContents&, std::vector<std::byte>& bytes) {
                                   bytes[40] ^= std::byte{1};
                                 }});
  const ReplayReport report = replayed(changed);
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.differences.front().check, 1u) << told(report);
}

TEST_P(TamperedReplay, NamesTheEarliestOfThoseWhoWroteWhatDiffers) {
  const Stream stream = device().stream();
  const Trace trace = captured(
      [&] {
        mad(stream, x, 3, 1);
        stream.fill(BufferRange{x, 256, 512}, 0u);  // in the midst of what differs
        mad(stream, BufferRange{x, 256, 512}, 5, 1);
        stream.synchronize();
      },
      {.contents = Contents::all});
  const Trace changed =
      tampered(trace, folder.path(),
               {.work =
                    [&](const TraceWork& work, auto&, std::vector<std::byte>& values) {
                      if (work.kind == WorkKind::dispatch) values[4] = std::byte{2};
                    },
                .drop_contents =
                    [](const TraceContents& row) {
                      return row.role == ContentRole::check && row.command == 0;
                    }});
  const ReplayReport report = replayed(changed);
  ASSERT_FALSE(report.differences.empty()) << told(report);
  EXPECT_EQ(report.differences.front().command, 0u) << told(report);
}

TEST_P(TamperedReplay, WithOneArgumentChanged) {
  const Trace trace = recorded();
  // The last one: a scalar.
  Trace changed =
      tampered(trace, folder.path("value.reel"),
               {.work = [&](const TraceWork& work, auto&, std::vector<std::byte>& values) {
                 if (trace.kernels()[work.kernel].name != "mul_add" || values[0] != std::byte{7})
                   return;
                 values[4] = std::byte{8};
               }});
  ReplayReport report = replayed(changed);
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.differences.front().command, 3u);
  EXPECT_EQ(report.culprit, 3u);
  // Another buffer in the place of x: c2 reads y.
  const auto id_of = [&](const char* label) {
    for (const TraceBuffer& buffer : trace.buffers())
      if (buffer.label == label) return static_cast<std::uint32_t>(buffer.id);
    return no_index;
  };
  changed = tampered(trace, folder.path("buffer.reel"),
                     {.work = [&](const TraceWork&, auto& arguments, auto&) {
                       if (arguments[0].buffer == id_of("z") && arguments.size() == 5)
                         arguments[1].buffer = id_of("y");
                     }});
  report = replayed(changed);
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.differences.front().command, 2u);
}

TEST_P(TamperedReplay, WithOneWaitBetweenStreamsTakenOut) {
  const Stream a = device().stream("a"), b = device().stream("b");
  const Event event = device().event();
  const Trace trace = captured_all([&] {
    mad(a, x, 3, 1);
    mad(a, y, 3, 1);
    a.record(event);
    b.wait(event);
    mix(b, x, y, z, 5);
    b.synchronize();
    a.synchronize();
  });
  EXPECT_EQ(replayed(trace).verdict(), Verdict::equal);
  const Trace changed =
      tampered(trace, folder.path(), {.drop_order = [](const TraceOrder&) { return true; }});
  register_racing_kernels();
  const ReplayReport report = replayed(changed);
  EXPECT_EQ(report.verdict(), Verdict::different) << told(report);
  ASSERT_EQ(report.races.size(), 2u);
  EXPECT_EQ(report.races[0].second, 2u);
  EXPECT_EQ(report.races[1].second, 2u);
  EXPECT_EQ(report.races[0].first + report.races[1].first, 1u);  // c0 and c1
  EXPECT_FALSE(report.races[0].observed);
}

TEST_P(TamperedReplay, WithOneEdgeOfAGraphTakenOut) {
  Graph graph;
  add_mad(graph, x, 3, 1);
  add_mix(graph, x, y, z, 2);
  add_mad(graph, z, 5, 5);
  const GraphExec exec = graph.instantiate(device());
  const Stream stream = device().stream();
  const Trace trace = captured([&] { exec.launch(stream), stream.synchronize(); });
  ASSERT_EQ(trace.edges().size(), 2u);
  const Trace changed = tampered(trace, folder.path(),
                                 {.drop_edge = [](const TraceEdge& edge) { return edge.to == 2; }});
  register_racing_kernels();
  const ReplayReport report = replayed(changed);
  EXPECT_EQ(report.verdict(), Verdict::different) << told(report);
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].first, 2u);  // c0 is the launch itself
  EXPECT_EQ(report.races[0].second, 3u);
  EXPECT_EQ(trace.buffers()[report.races[0].buffer].label, "z");
}

TEST_P(TamperedReplay, SaysWhatIsMissing) {
  const Trace trace = recorded();
  expect_error(Code::unsupported, {"c0", "'x'", "hashes", "contents 'inputs' or 'all'"}, [&] {
    replayed(tampered(trace, folder.path("hashes.reel"), {.only_hashes = true}));
  });
  expect_error(Code::unsupported, {"c0", "'x'", "not in the document"}, [&] {
    replayed(tampered(trace, folder.path("none.reel"),
                      {.drop_contents = [](const TraceContents&) { return true; }}));
  });
  // Without checks nothing is proved.
  const ReplayReport report = replayed(tampered(
      trace, folder.path("unchecked.reel"),
      {.drop_contents = [](const TraceContents& row) { return row.role == ContentRole::check; }}));
  EXPECT_EQ(report.verdict(), Verdict::not_proved);
  EXPECT_EQ(report.checks, 0u);
  ASSERT_EQ(report.unchecked.size(), 1u);
  EXPECT_EQ(report.unchecked[0].bytes, 2u * 4 * word_count);  // z and w
  // With some of them, not all is.
  const ReplayReport half = replayed(
      tampered(trace, folder.path("half.reel"), {.drop_contents = [&](const TraceContents& row) {
                 return row.role == ContentRole::check && trace.buffers()[row.buffer].label == "z";
               }}));
  EXPECT_EQ(half.verdict(), Verdict::not_proved) << told(half);
  EXPECT_EQ(half.checks, 2u);
  EXPECT_EQ(half.unchecked[0].bytes, 4u * word_count);
}

TEST_P(TamperedReplay, NamesWhatADeviceIsTooSmallFor) {
  const Trace trace = recorded();
  expect_error(
      Code::out_of_memory, {"'z'", std::to_string(std::uint64_t{1} << 50), info().id}, [&] {
        replayed(tampered(trace, folder.path("one.reel"), {.buffer = [](document::BufferRow& row) {
                            if (row.label == "z") row.size_bytes = std::uint64_t{1} << 50;
                          }}));
      });
  // Each fits, all of them don't.
  const std::uint64_t most = std::min(info().max_buffer_bytes, info().memory_bytes);
  expect_error(Code::out_of_memory, {"4 buffers", std::to_string(info().memory_bytes)}, [&] {
    replayed(tampered(trace, folder.path("all.reel"),
                      {.buffer = [&](document::BufferRow& row) { row.size_bytes = most; }}));
  });
  // What the command says no longer fits its kernel: the others are run without it.
  const ReplayReport rest = replayed(tampered(
      trace, folder.path("arguments.reel"), {.work = [](const TraceWork&, auto& arguments, auto&) {
        if (arguments.size() == 5) arguments.erase(arguments.begin() + 2);
      }}));
  ASSERT_FALSE(rest.left_out.empty());
  EXPECT_THAT(rest.left_out[0].reason, testing::HasSubstr("c0 (mix_words)"));
  EXPECT_THAT(rest.left_out[0].reason, testing::HasSubstr("can't be run here"));
  EXPECT_EQ(rest.verdict(), Verdict::not_proved);
}

INSTANTIATE_TEST_SUITE_P(Each, TamperedReplay, every_device(), device_name);

}  // namespace
}  // namespace reel::test
