// Documents of one run in one file for Perfetto, as protoc reads it: machines, processes, and times
// on one clock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "analysis/made_document.hpp"
#include "decoded.hpp"
#include "document/sample_document.hpp"
#include "expect_error.hpp"
#include "reel/export.hpp"

namespace reel::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A host whose clock is ahead of the first one's, and drifts.
struct Host {
  std::string name, boot_id;
  double ahead_ns = 0, drift = 0;
};

// One kernel of 100 us at each of these times of the first host's clock, us; no device time is
// exact to more than a nanosecond.
struct Rank {
  int number = 0;
  Host host;
  std::vector<double> starts_us;
  std::string pid = "100";
  bool has_messages = true;
};

double of_host(const Host& host, double true_us) {
  return true_us * (1 + host.drift) + host.ahead_ns / 1000;
}

class PerfettoRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_protoc()) GTEST_SKIP() << "protoc is not here";
  }

  // `answers`: the boot id of the host that the others asked.
  std::string made(const Rank& rank, const std::string& answers, std::mt19937_64& random) {
    document::Facts facts{{"rank", std::to_string(rank.number)},
                          {"host", rank.host.name},
                          {"boot_id", rank.host.boot_id},
                          {"pid", rank.pid}};
    const bool asks = rank.has_messages && rank.host.boot_id != answers;
    if (asks) facts["clock_boot_id"] = answers;
    MadeDocument document(2, facts);
    const auto kernel = document.kernel(fmt::format("kernel{}", rank.number));
    for (const double start : rank.starts_us) {
      const Span run{of_host(rank.host, start), of_host(rank.host, start + 100)};
      document.add({.kernel = kernel, .run = run, .call = Span{run.begin - 5, run.begin - 3}});
    }
    for (double t = 0; asks && t <= rank.starts_us.back() + 1e6; t += 1e6) {
      // The question is t after the start; its answer may have been quick in one direction.
      const double there = 2 + static_cast<double>(random() % 40),
                   back = 2 + static_cast<double>(random() % 40);
      document.clock({ClockKind::common, at_us(of_host(rank.host, t + (there + back) / 2)),
                      at_us(t + there), static_cast<std::uint64_t>((there + back) * 500) + 10});
    }
    const std::string path = folder / fmt::format("run-{}.reel", rank.number);
    std::filesystem::copy_file(document.trace().path(), path,
                               std::filesystem::copy_options::overwrite_existing);
    return path;
  }

  Decoded exported(const std::vector<std::string>& paths, const RunExportOptions& how = {}) {
    const std::string path = folder / "run.pftrace";
    RunExportOptions options = how;
    options.overwrite = true;
    report = export_run(paths, path, options);
    Decoded decoded = decode(path, "perfetto.proto", "reel.perfetto.Trace");
    EXPECT_FALSE(decoded.has_unknown());
    return decoded;
  }

  TemporaryFolder folder;
  ExportReport report;
};

// By machine and sequence: starts of GPU events, ns.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> starts_in(
    const Decoded& trace) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> starts;
  for (const Decoded* packet : trace.all("packet"))
    if (packet->has("render_stage"))
      starts[{packet->has("machine") ? packet->number("machine") : 0, packet->number("sequence")}]
          .push_back(packet->number("timestamp"));
  return starts;
}

const Host first{"node1", "boot-1"};

TEST_F(PerfettoRun, RanksOfOneHostAreProcessesOnItsClock) {
  std::mt19937_64 random(1);
  const std::vector<std::string> paths{made({1, first, {500, 900}, "12"}, "boot-1", random),
                                       made({0, first, {400, 800}, "11"}, "boot-1", random)};
  const Decoded decoded = exported(paths);
  EXPECT_THAT(report.left_out, IsEmpty());
  std::map<std::string, std::uint64_t> processes;
  std::set<std::uint64_t> tracks, events;
  std::size_t snapshots = 0;
  for (const Decoded* packet : decoded.all("packet")) {
    EXPECT_FALSE(packet->has("machine"));
    snapshots += packet->has("clock_snapshot");
    if (packet->has("render_stage")) {
      EXPECT_TRUE(events.insert((*packet)["render_stage"].number("event_id")).second);
    }
    if (!packet->has("track")) continue;
    const Decoded& track = (*packet)["track"];
    EXPECT_TRUE(tracks.insert(track.number("uuid")).second) << "a track of two documents";
    if (track.has("process"))
      processes[track["process"].text("name")] = track["process"].number("pid");
  }
  EXPECT_EQ(snapshots, 1u);
  EXPECT_THAT(processes,
              ElementsAre(std::pair("rank 0: made", 11u), std::pair("rank 1: made", 12u)));
  EXPECT_EQ(events.size(), 4u);
  const auto starts = starts_in(decoded);
  // In the order of ranks, not of the command line.
  EXPECT_THAT(starts.at({0, 1}), ElementsAre(at_us(400), at_us(800)));
  EXPECT_THAT(starts.at({0, 2}), ElementsAre(at_us(500), at_us(900)));
  std::vector<std::string> gpus;
  for (const Decoded* packet : decoded.all("packet"))
    for (const Decoded* gpu : (*packet)["gpu_info"].all("gpus")) gpus.push_back(gpu->text("name"));
  EXPECT_THAT(gpus, ElementsAre("rank 0: Test", "rank 1: Test"));
}

// Hosts with clocks that are a day apart and drift: what is at the same time is drawn so, to the
// error that is told.
TEST_F(PerfettoRun, HostsAreMachinesAndTimesAreWithinTheErrorThatIsTold) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 12; ++round) {
    std::vector<Host> hosts{first};
    while (hosts.size() < 3)
      hosts.push_back({fmt::format("node{}", hosts.size() + 1),
                       fmt::format("boot-{}", hosts.size() + 1),
                       static_cast<double>(random() % 90'000'000'000'000ull),
                       (static_cast<double>(random() % 200) - 100) * 1e-6});
    std::vector<std::string> paths;
    std::vector<double> starts_us;
    for (int i = 0; i < 20; ++i) starts_us.push_back(1000 + 150'000 * i);
    for (int rank = 0; rank < 6; ++rank)
      paths.push_back(
          made({rank, hosts[static_cast<std::size_t>(rank) % 3], starts_us}, "boot-1", random));
    const Decoded decoded = exported(paths);
    ASSERT_THAT(report.left_out, Contains(HasSubstr("right to")));
    std::map<std::uint64_t, std::string> machines;
    std::map<std::uint64_t, std::set<std::uint64_t>> pids;  // by machine
    std::map<std::uint64_t, double> errors_us;              // by sequence
    for (const Decoded* packet : decoded.all("packet")) {
      EXPECT_TRUE(packet->has("machine"));
      EXPECT_FALSE(packet->has("clock_snapshot"));
      if (packet->has("system_info"))
        machines[packet->number("machine")] = (*packet)["system_info"].text("machine_name");
      if ((*packet)["track"].has("process")) {
        EXPECT_TRUE(pids[packet->number("machine")]
                        .insert((*packet)["track"]["process"].number("pid"))
                        .second)
            << "two processes of one number";
      }
      const std::string note = (*packet)["track_event"].text("name");
      if (const auto at = note.find("aligned by messages, ±"); at != std::string::npos) {
        const std::string size = note.substr(note.find("±") + std::string("±").size());
        const double unit = size.ends_with("ns") ? 1e-3 : size.ends_with("ms") ? 1e3 : 1;
        errors_us[packet->number("sequence")] = std::stod(size) * unit;
      }
    }
    EXPECT_THAT(machines, ElementsAre(std::pair(1u, "node1"), std::pair(2u, "node2"),
                                      std::pair(3u, "node3")));
    std::size_t sequences = 0;
    for (const auto& [of, starts] : starts_in(decoded)) {
      ++sequences;
      ASSERT_TRUE(errors_us.contains(of.second));
      ASSERT_EQ(starts.size(), starts_us.size());
      for (std::size_t i = 0; i < starts.size(); ++i) {
        const double wrong_us = std::abs(static_cast<double>(
                                    static_cast<std::int64_t>(starts[i] - at_us(starts_us[i])))) /
                                1000;
        // As exact as the text is, a hundredth of it.
        EXPECT_LE(wrong_us, errors_us[of.second] * 1.01 + 0.01) << "round " << round;
      }
    }
    EXPECT_EQ(sequences, 6u);
  }
}

TEST_F(PerfettoRun, WithoutACommonClockIsRefusedUnlessThatIsAskedFor) {
  std::mt19937_64 random(3);
  const Host second{"node2", "boot-2", 5e12};
  Rank alone{1, second, {7000, 7500}};
  alone.has_messages = false;
  const std::vector<std::string> paths{made({0, first, {400, 800}}, "boot-1", random),
                                       made(alone, "boot-1", random)};
  expect_error(Code::invalid_argument,
               {"no common clock", "'node1'", "'node2'", "--clocks", "--unaligned"},
               [&] { exported(paths); });
  EXPECT_FALSE(std::filesystem::exists(folder / "run.pftrace"));
  const Decoded decoded = exported(paths, {.unaligned = true});
  EXPECT_THAT(report.left_out, Contains(HasSubstr("begins at the same moment")));
  const auto starts = starts_in(decoded);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts.at({1, 1})[0], starts.at({2, 2})[0]);
  EXPECT_EQ(starts.at({1, 1})[1] - starts.at({1, 1})[0], 400'000u);
  EXPECT_EQ(starts.at({2, 2})[1] - starts.at({2, 2})[0], 500'000u);
}

TEST_F(PerfettoRun, WhatCantBeReadIsNamedAndTheRestIsThere) {
  std::mt19937_64 random(4);
  const std::string good = made({0, first, {400, 800}}, "boot-1", random);
  const std::string bad = folder / "bad.reel", gone = folder / "gone.reel";
  std::ofstream(bad) << "this is no document";
  EXPECT_EQ(starts_in(exported({bad, good, gone})).size(), 1u);
  EXPECT_THAT(report.left_out, ElementsAre(HasSubstr("bad.reel is left out: "),
                                           HasSubstr("gone.reel is left out: ")));
  expect_error(Code::invalid_argument, {"None of the 2 documents", "bad.reel", "gone.reel"}, [&] {
    exported({bad, gone});
  });
}

}  // namespace
}  // namespace reel::test
