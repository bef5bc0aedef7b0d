// What protoc reads in our exports for Perfetto and pprof is what the trace has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "decoded.hpp"
#include "document/sample_document.hpp"
#include "export_documents.hpp"
#include "graph/commands/text.hpp"
#include "reel/export.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class Decoding : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_protoc()) GTEST_SKIP() << "protoc is not here";
  }
  Decoded perfetto(const Trace& trace) {
    const std::string path = folder / "x.pftrace";
    export_trace(trace, ExportFormat::perfetto, path, {.overwrite = true});
    Decoded decoded = decode(path, "perfetto.proto", "reel.perfetto.Trace");
    EXPECT_FALSE(decoded.has_unknown());
    return decoded;
  }
  TemporaryFolder folder;
};

// The texts of one list of interned ones, by number.
std::map<std::uint64_t, std::string> names_in(const Decoded& trace, const std::string& list) {
  std::map<std::uint64_t, std::string> names;
  for (const Decoded* packet : trace.all("packet"))
    for (const Decoded* entry : (*packet)["interned"].all(list))
      names[entry->number("iid")] = entry->text("name");
  return names;
}

TEST_F(Decoding, CommandsAreGpuEventsOfTheirQueues) {
  const Trace trace = Trace::load(write_sample(folder / "s.reel"));
  const Decoded decoded = perfetto(trace);
  const auto specifications = names_in(decoded, "specifications");
  const auto kernels = names_in(decoded, "kernels");
  const auto names = names_in(decoded, "event_names");
  std::size_t events = 0;
  for (const Decoded* packet : decoded.all("packet")) {
    EXPECT_EQ(packet->number("sequence"), 1);
    if (!packet->has("render_stage")) continue;
    ++events;
    const Decoded& event = (*packet)["render_stage"];
    const auto c = static_cast<std::uint32_t>(event.number("event_id") - 1);
    const TraceCommand& command = trace.commands().at(c);
    const TraceWork& work = trace.work_of(command);
    EXPECT_EQ(packet->number("timestamp"), command.started_ns);
    EXPECT_EQ(event.number("duration"), command.run_ns());
    ASSERT_TRUE(specifications.contains(event.number("queue_iid")));
    EXPECT_EQ(specifications.at(event.number("queue_iid")),
              command.stream == 0 ? "s0 main" : "s3 side");
    EXPECT_EQ(specifications.at(event.number("stage_iid")), to_string(work.kind));
    if (work.kind != WorkKind::dispatch) continue;
    EXPECT_EQ(kernels.at(event.number("kernel_iid")), trace.kernels()[work.kernel].name);
    EXPECT_EQ(names.at(event.number("name_iid")), trace.kernels()[work.kernel].name);
    EXPECT_EQ(event["launch"]["grid"].number("x"), 16);
    EXPECT_EQ(event["launch"]["group"].number("x"), 64);
  }
  EXPECT_EQ(events, 10);  // c6 has no stamps
}

TEST_F(Decoding, EventsNameWhatTheyWaitedForAndCallsWhatTheyGave) {
  const Decoded decoded = perfetto(Trace::load(write_sample(folder / "s.reel")));
  std::map<std::uint64_t, std::set<std::string>> waits;
  std::set<std::string> given;
  for (const Decoded* packet : decoded.all("packet")) {
    const Decoded& event = (*packet)["render_stage"];
    for (const Decoded* wait : event.all("wait_ids"))
      waits[event.number("event_id")].insert(wait->value);
    for (const Decoded* id : (*packet)["track_event"]["correlation"].all("submitted"))
      given.insert(id->value);
  }
  EXPECT_THAT(waits[3], UnorderedElementsAre("1", "2"));  // c2 reads what c0 and c1 wrote
  EXPECT_THAT(waits[4], UnorderedElementsAre("3"));       // c3 was told to, and reads c2's y
  EXPECT_TRUE(given.contains("1") && given.contains("9"));
}

TEST_F(Decoding, TheClockIsSaidAndTracksBalance) {
  const Decoded decoded = perfetto(Trace::load(write_sample(folder / "s.reel")));
  const Decoded& first = *decoded.all("packet").front();
  EXPECT_EQ(first["clock_snapshot"].number("primary"), 3);
  EXPECT_EQ(first["defaults"].number("clock_id"), 3);
  EXPECT_EQ(first.number("sequence_flags"), 1);
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::uint64_t, int> depth;
  std::map<std::string, std::vector<std::int64_t>> counters;
  for (const Decoded* packet : decoded.all("packet")) {
    if (packet->has("track")) {
      const Decoded& track = (*packet)["track"];
      tracks[track.number("uuid")] = track.has("process")  ? track["process"].text("name")
                                     : track.has("thread") ? track["thread"].text("name")
                                                           : track.text("name");
    }
    if (!packet->has("track_event")) continue;
    const Decoded& event = (*packet)["track_event"];
    ASSERT_TRUE(tracks.contains(event.number("track")));
    if (event.number("type") == 1) ++depth[event.number("track")];
    if (event.number("type") == 2) {
      ASSERT_GE(--depth[event.number("track")], 0);
    }
    if (event.number("type") == 4)
      counters[tracks[event.number("track")]].push_back(
          static_cast<std::int64_t>(event.number("value")));
  }
  for (const auto& [track, open] : depth) EXPECT_EQ(open, 0) << tracks[track];
  std::set<std::string> names;
  for (const auto& [uuid, name] : tracks) names.insert(name);
  EXPECT_THAT(names, testing::IsSupersetOf({"sample", "thread 77", "passes and regions", "capture",
                                            "notes", "s0 main: scopes"}));
  EXPECT_EQ(std::ranges::max(counters["host: bytes allocated"]), 4096 + 4096 + 2'621'440);
  EXPECT_EQ(counters["host: commands in flight"].back(), 0);
}

TEST_F(Decoding, HostileNamesAreValidTextAndNothingIsLost) {
  const Trace trace = Trace::load(write_hostile(folder / "h.reel"));
  const Decoded decoded = perfetto(trace);
  std::size_t events = 0;
  for (const Decoded* packet : decoded.all("packet")) events += packet->has("render_stage");
  EXPECT_EQ(events, 7);
  EXPECT_EQ(names_in(decoded, "kernels").at(1), valid_utf8(hostile_name));
}

TEST_F(Decoding, DocumentsWithNothingGiveFilesThatAreWhole) {
  EXPECT_EQ(perfetto(Trace::load(write_empty(folder / "e.reel"))).all("packet").size(), 2);
  const Decoded bare = perfetto(Trace::load(write_bare(folder / "b.reel")));
  for (const Decoded* packet : bare.all("packet")) EXPECT_FALSE(packet->has("render_stage"));
}

TEST_F(Decoding, AHundredThousandStreamsEachHaveAQueue) {
  const Trace trace = Trace::load(write_streams(folder / "m.reel", 100'000));
  const std::string path = folder / "m.pftrace";
  export_trace(trace, ExportFormat::perfetto, path);
  EXPECT_LT(std::filesystem::file_size(path), 60'000'000U);
}

TEST_F(Decoding, PprofHasAStackForEachScopeAndKernel) {
  const Trace trace = Trace::load(write_sample(folder / "s.reel"));
  const std::string path = folder / "s.pb.gz";
  export_trace(trace, ExportFormat::pprof, path);
  const Decoded profile = decode(path, "pprof.proto", "reel.pprof.Profile");
  EXPECT_FALSE(profile.has_unknown());
  std::vector<std::string> strings;
  for (const Decoded* text : profile.all("string_table")) {
    Decoded holder;
    holder.fields.push_back(*text);
    strings.push_back(holder.text("string_table"));
  }
  EXPECT_EQ(strings.at(0), "");
  std::map<std::string, std::string> functions;
  for (const Decoded* function : profile.all("function"))
    functions[(*function)["id"].value] = strings.at(function->number("name"));
  std::map<std::string, std::vector<std::string>> samples;
  for (const Decoded* sample : profile.all("sample")) {
    std::string stack;
    for (const Decoded* location : sample->all("location_id"))
      stack += (stack.empty() ? "" : " < ") + functions.at(location->value);
    for (const Decoded* value : sample->all("value")) samples[stack].push_back(value->value);
  }
  EXPECT_THAT(samples["add < attention < layer0"], ElementsAre("3", "24000", "24576"));
  EXPECT_THAT(samples["scale < mlp < layer0"], ElementsAre("1", "5000", "2048"));
  EXPECT_THAT(samples["step < mlp < layer0"], ElementsAre("1", "0", "0"));  // its nodes have it
}

}  // namespace
}  // namespace reel::test
