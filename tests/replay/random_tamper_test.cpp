// Documents in which something was changed at random: their replay is different at the command that
// shows it, or says why nothing is proved; never equal.
#include <cstdlib>
#include <cstring>
#include <random>

#include "replay/filled_test.hpp"
#include "replay/tampered.hpp"

namespace reel::test {
namespace {

class RandomTampering : public FilledReplayTest {
 protected:
  // Each command's result feeds the next, and each number in it matters.
  Trace recorded(std::mt19937& random) {
    const Stream stream = device().stream();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> steps(4 + random() % 6);
    for (auto& [kind, number] : steps) {
      kind = random() % 3;
      number = 2 * (random() % 100) + 3;
    }
    return captured_all([&] {
      mix(stream, x, y, z, 5);
      for (const auto& [kind, number] : steps) {
        if (kind == 0) mad(stream, z, number, 1);
        if (kind == 1) mix(stream, z, y, w, number);
        if (kind == 2) mix(stream, z, x, w, number);
        if (kind != 0) mix(stream, w, z, z, 3);
      }
      stream.synchronize();
    });
  }

  ScratchFolder folder;
};

TEST_P(RandomTampering, IsNeverEqual) {
  std::uint32_t seed = std::random_device()();
  if (const char* given = std::getenv("REEL_TEST_SEED"))
    seed = static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
  std::mt19937 random(seed);
  for (int round = 0; round < 24; ++round) {
    const Trace trace = recorded(random);
    const std::uint32_t kind = random() % 4, which = random();
    std::uint32_t seen = 0, changed_command = no_index;
    Tampering tampering;
    const auto is_it = [&](std::uint32_t of) { return seen++ == which % of; };
    if (kind == 0)  // a byte of an input
      tampering.page = [&](const TraceContents& row, std::vector<std::byte>& page) {
        if (row.role == ContentRole::input && is_it(2)) page[which % page.size()] ^= std::byte{1};
      };
    if (kind == 1) {  // a number given to a kernel
      const auto works = static_cast<std::uint32_t>(trace.works().size());
      tampering.work = [&, works](const TraceWork& work, auto&, std::vector<std::byte>& values) {
        const std::uint32_t index = seen;
        if (!is_it(works) || work.kind != WorkKind::dispatch) return;
        values[0] ^= std::byte{2};
        for (std::uint32_t c = 0; c < trace.commands().size() && changed_command == no_index; ++c)
          if (trace.commands()[c].work == index) changed_command = c;
      };
    }
    if (kind == 2) {  // a buffer for another
      const auto works = static_cast<std::uint32_t>(trace.works().size());
      tampering.work = [&, works](const TraceWork& work, auto& arguments, auto&) {
        const std::uint32_t index = seen;
        if (!is_it(works) || work.kind != WorkKind::dispatch) return;
        for (auto& argument : arguments)
          if (argument.kind == ArgumentKind::buffer) {
            argument.buffer =
                (argument.buffer + 1) % static_cast<std::uint32_t>(trace.buffers().size());
            break;
          }
        for (std::uint32_t c = 0; c < trace.commands().size() && changed_command == no_index; ++c)
          if (trace.commands()[c].work == index) changed_command = c;
      };
    }
    if (kind == 3) {  // a check taken out
      const auto checks = static_cast<std::uint32_t>(
          std::count_if(trace.contents().begin(), trace.contents().end(),
                        [](const TraceContents& row) { return row.role == ContentRole::check; }));
      tampering.drop_contents = [&, checks](const TraceContents& row) {
        return row.role == ContentRole::check && is_it(checks);
      };
    }
    const Trace changed = tampered(trace, folder.path(std::to_string(round) + ".reel"), tampering);
    const std::string where = "REEL_TEST_SEED=" + std::to_string(seed) + " round " +
                              std::to_string(round) + " kind " + std::to_string(kind);
    try {
      const ReplayReport report = replayed(changed);
      const bool is_untouched = (kind == 1 || kind == 2) && changed_command == no_index;
      if (is_untouched) continue;
      EXPECT_NE(report.verdict(), Verdict::equal) << where;
      EXPECT_NE(report.verdict(), Verdict::within_tolerance) << where;
      if (kind == 3) {
        EXPECT_EQ(report.verdict(), Verdict::not_proved) << where;
        EXPECT_FALSE(report.incomplete.empty()) << where;
      }
      if (kind == 1) {
        ASSERT_FALSE(report.differences.empty()) << where;
        EXPECT_EQ(report.differences.front().command, changed_command) << where << told(report);
      }
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "") << where;  // it can't be run, and says why
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RandomTampering, every_device(), device_name);

}  // namespace
}  // namespace reel::test
