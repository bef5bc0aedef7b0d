// Dependencies of sets against a search that looks at every byte and every pair of commands.
#include "reel/dependency_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "analysis/made_document.hpp"
#include "analysis/order/happens_before.hpp"
#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"
#include "reel/insights.hpp"
#include "reel/page.hpp"

namespace reel {
namespace {

using analysis::Dependencies;
using analysis::Dependency;
using analysis::DependencyKind;
using analysis::DependencySets;
using test::MadeDocument;
using test::MadeRange;

using CommandPair = std::pair<std::uint32_t, std::uint32_t>;  // to, from
struct Told {
  DependencyKind kind = DependencyKind::order;
  std::uint64_t bytes = 0;
  friend bool operator==(const Told&, const Told&) = default;
  friend void PrintTo(const Told& told, std::ostream* out) {
    *out << to_string(told.kind) << " " << told.bytes;
  }
};
using Pairs = std::map<CommandPair, Told>;

// What of each stream is done when a command begins, by the waits that `counts` takes.
class EveryClock {
 public:
  EveryClock(const Trace& trace, const std::set<CommandPair>& without = {}) : trace_(trace) {
    const std::size_t count = trace.commands().size();
    clocks_.resize(count);
    std::vector<std::vector<std::uint32_t>> of_stream(
        trace.streams().size(), std::vector<std::uint32_t>(trace.streams().size()));
    for (std::uint32_t c = 0; c < count; ++c) {
      auto& clock = of_stream[trace.commands()[c].stream];
      for (const TraceOrder& order : trace.orders()) {
        if (order.command != c || without.contains({c, order.after})) continue;
        for (std::size_t s = 0; s < clock.size(); ++s)
          clock[s] = std::max(clock[s], clocks_[order.after][s]);
        auto& upto = clock[trace.commands()[order.after].stream];
        upto = std::max(upto, order.after + 1);
      }
      clocks_[c] = clock;
    }
  }
  bool is_ordered(std::uint32_t earlier, std::uint32_t later) const {
    const TraceCommand a = trace_.commands()[earlier], b = trace_.commands()[later];
    if (a.stream != b.stream) return clocks_[later][a.stream] > earlier;
    if (a.launch == no_index || a.launch != b.launch) return true;
    std::set<std::uint32_t> reached{a.node};
    for (std::size_t size = 0; size != reached.size();) {
      size = reached.size();
      for (const TraceEdge& edge : trace_.edges())
        if (reached.contains(edge.from)) reached.insert(edge.to);
    }
    return reached.contains(b.node);
  }

 private:
  const Trace& trace_;
  std::vector<std::vector<std::uint32_t>> clocks_;
};

// By bytes alone, without what was told.
Pairs every_pair(const Trace& trace) {
  struct Byte {
    std::uint32_t writer = no_index;
    std::vector<std::uint32_t> readers = {};
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Byte> bytes;
  const EveryClock clock(trace);
  Pairs pairs;
  const auto each_byte = [&](std::uint32_t c, auto&& visit) {
    for_each_range(trace, trace.work_of(trace.commands()[c]),
                   [&](const TraceArgument& range, Access access) {
                     for (std::uint64_t at = 0; at < range.size_bytes; ++at)
                       visit(bytes[{range.buffer, range.offset_bytes + at}], access);
                   });
  };
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    std::map<std::uint32_t, std::map<DependencyKind, std::uint64_t>> found;  // by from
    each_byte(c, [&](const Byte& byte, Access access) {
      if (reads(access) && byte.writer != no_index) ++found[byte.writer][DependencyKind::data];
      if (!writes(access)) return;
      for (const std::uint32_t reader : byte.readers) ++found[reader][DependencyKind::order];
      if (byte.readers.empty() && byte.writer != no_index && !reads(access))
        ++found[byte.writer][DependencyKind::order];
    });
    for (const auto& [from, kinds] : found) {
      const auto& [kind, size] = *kinds.begin();
      pairs[{c, from}] = {clock.is_ordered(from, c) ? kind : DependencyKind::missing, size};
    }
    each_byte(c, [&](Byte& byte, Access access) {
      if (!writes(access) && (byte.readers.empty() || byte.readers.back() != c))
        byte.readers.push_back(c);
    });
    each_byte(c, [&](Byte& byte, Access access) {
      if (writes(access)) byte = {c};
    });
  }
  return pairs;
}

// One by one; those that were told and have no bytes are left out.
Pairs pairs_of(const Dependencies& found) {
  const DependencySets sets(found.sets);
  Pairs pairs;
  for (const Dependency& d : found.edges) {
    if (d.buffer == no_index) continue;
    for (const std::uint32_t from : sets.commands_of(d)) {
      EXPECT_LT(from, d.to);
      const auto [at, is_new] = pairs.try_emplace({d.to, from}, Told{d.kind, 0});
      EXPECT_EQ(at->second.kind == DependencyKind::missing, d.kind == DependencyKind::missing)
          << "a pair is ordered or it isn't";
      at->second.kind = std::min(at->second.kind, d.kind);
    }
  }
  return pairs;
}

Pairs without_bytes(Pairs pairs) {
  for (auto& [pair, told] : pairs) told.bytes = 0;
  return pairs;
}

// Many small writes and large reads, so that sets come about.
void make_program(MadeDocument& made, std::uint32_t seed) {
  made.kernel("k");
  std::minstd_rand random(seed);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  constexpr std::uint64_t size = 96;
  const std::uint32_t streams = 1 + below(4);
  for (std::uint32_t s = 1; s < streams; ++s) made.stream();
  std::vector<std::uint32_t> buffers;
  for (std::uint32_t b = 0; b < 1 + seed % 2; ++b) buffers.push_back(made.buffer({.size = size}));
  const auto range = [&](std::uint64_t most) {
    const std::uint64_t offset = below(size - 1);
    return MadeRange{buffers[below(static_cast<std::uint32_t>(buffers.size()))], offset,
                     1 + below(static_cast<std::uint32_t>(std::min(most, size - offset)))};
  };
  const auto all = [&] {
    return MadeRange{buffers[0], 0, size - below(3) * below(static_cast<std::uint32_t>(size / 3))};
  };
  const bool appends = below(2) != 0, waits_often = below(3) != 0;
  std::vector<std::uint32_t> stream_of;
  std::uint32_t launch = no_index, node = 0, launch_stream = 0;
  const std::uint32_t graph = 7;
  const bool has_launches = below(3) == 0;
  if (has_launches)  // one graph, launched often
    for (std::uint32_t to = 1; to < 12; ++to)
      for (std::uint32_t from = 0; from < to; ++from)
        if (below(3) == 0) made.edge(graph, from, to, static_cast<std::uint8_t>(1 + below(2)));
  std::uint64_t end = 0;
  for (int i = 0; i < 120; ++i) {
    const double t = 1 + 2 * i;
    test::MadeCommand command{.kernel = 0, .run = {t, t + 1}};
    if (launch != no_index && node == 12) launch = no_index;
    if (has_launches && launch == no_index && below(10) == 0) {
      launch_stream = below(streams);
      node = 0;
      launch = made.add(
          {.kind = WorkKind::launch, .stream = launch_stream, .run = {t, t + 0.5}, .graph = graph});
      stream_of.push_back(launch_stream);
      continue;
    }
    command.stream = launch == no_index ? below(streams) : launch_stream;
    if (launch != no_index) {
      command.launch = launch;
      command.node = node++;
    }
    switch (below(8)) {
      case 0:
      case 1:
        command.reads = {all()};
        break;
      case 2:
        command.changes = {range(size)};
        break;
      case 3:
        command.reads = {range(size)};
        command.writes = {range(6)};
        break;
      case 4:
        command.reads = {range(30), range(30)};
        break;
      default:
        if (appends) {
          if (end + 2 > size) end = 0;
          command.writes = {{buffers[0], end, 2}};
          end += 2;
        } else {
          command.writes = {range(i % 20 == 0 ? size : 4)};
        }
    }
    const std::uint32_t c = made.add(command);
    stream_of.push_back(command.stream);
    std::set<std::uint32_t> waited;
    for (int tries = waits_often ? 3 : 1; tries > 0 && c > 0; --tries) {
      const std::uint32_t after = c - 1 - below(std::min(c, 10u));
      if (stream_of[after] != command.stream && below(3) == 0 && waited.insert(after).second)
        made.order(c, after);
    }
  }
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, HaveTheDependenciesThatEveryByteTells) {
  std::size_t in_sets = 0, missing_in_sets = 0;
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed + 1000 * GetParam());
    MadeDocument made;
    make_program(made, seed + 1000 * static_cast<std::uint32_t>(GetParam()));
    const Trace trace = made.trace();
    const Pairs expected = every_pair(trace);
    const Dependencies found = analysis::find_dependencies(trace);
    ASSERT_EQ(pairs_of(found), without_bytes(expected));
    for (const Dependency& d : found.edges) {
      in_sets += d.set != no_index;
      missing_in_sets += d.set != no_index && d.kind == DependencyKind::missing;
    }

    // What was told for nothing may go, and all that was in order still is.
    std::set<CommandPair> redundant;
    for (const Dependency& d : found.edges)
      if (d.kind == DependencyKind::redundant) redundant.insert({d.to, d.from});
    const EveryClock without(trace, redundant);
    for (const auto& [pair, told] : expected)
      ASSERT_EQ(without.is_ordered(pair.second, pair.first), told.kind != DependencyKind::missing)
          << "c" << pair.second << " > c" << pair.first << " needs a wait called redundant";
  }
  EXPECT_GT(in_sets, 0u);
  EXPECT_GT(missing_in_sets, 0u);
}

TEST_P(RandomPrograms, TellOfOneCommandWhatTheyTellOfAll) {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed + 1000 * GetParam());
    MadeDocument made;
    make_program(made, seed + 1000 * static_cast<std::uint32_t>(GetParam()));
    const Trace trace = made.trace();
    const Pairs all = every_pair(trace);
    for (std::uint32_t c = 0; c < trace.commands().size(); c += 3) {
      Pairs expected, found;
      for (const auto& [pair, told] : all)
        if (pair.first == c || pair.second == c) expected[pair] = told;
      for (const Dependency& d : analysis::find_dependencies_of(trace, c)) {
        EXPECT_EQ(d.set, no_index);
        if (d.buffer != no_index) found[{d.to, d.from}] = {d.kind, d.bytes};
      }
      ASSERT_EQ(found, expected) << "c" << c;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, RandomPrograms, testing::Range(0, 8));

// --- large ones
// -----------------------------------------------------------------------------------

struct Sizes {
  std::size_t commands, entries;  // dependencies, and members of sets
};

// Each token appends to a cache, on a stream of its own, and attention reads all of it.
Sizes decoder(std::uint32_t tokens, bool waits, std::uint32_t window) {
  MadeDocument made;
  made.kernel("k");
  const auto cache = made.buffer({.size = 16ull * window}), out = made.buffer();
  const auto side = made.stream();
  for (std::uint32_t token = 0; token < tokens; ++token) {
    const double t = 4.0 * token;
    const auto append = made.add({.kernel = 0,
                                  .stream = side,
                                  .run = {t + 1, t + 2},
                                  .writes = {{cache, 16ull * (token % window), 16}}});
    if (token >= window && waits) made.order(append, append - 1);
    const auto read = made.add({.kernel = 0,
                                .run = {t + 2, t + 3},
                                .reads = {{cache, 0, 16ull * std::min(token + 1, window)}},
                                .writes = {{out}}});
    if (waits) made.order(read, append);
  }
  const Trace trace = made.trace();
  const Dependencies found = analysis::find_dependencies(trace);
  std::uint64_t pairs = 0, missing = 0;
  const DependencySets sets(found.sets);
  for (const Dependency& d : found.edges) missing += d.kind == DependencyKind::missing;
  EXPECT_EQ(missing > 0, !waits);
  sets.for_each_pair(found.edges, waits ? DependencyKind::data : DependencyKind::missing,
                     [&](std::uint32_t, std::uint32_t) { return ++pairs > 0; });
  if (tokens <= window) {
    EXPECT_EQ(pairs, std::uint64_t{tokens} * (tokens + 1) / 2);
  }
  return {trace.commands().size(), found.edges.size() + found.sets.size()};
}

TEST(DependencySets, OfADecoderGrowAsItsCommandsDo) {
  for (const bool waits : {true, false}) {
    const Sizes small = decoder(500, waits, 500), large = decoder(2000, waits, 2000);
    // Four times the commands, and two more levels of sets; every pair would be sixteen times.
    EXPECT_LT(large.entries, 6 * small.entries) << waits;
    EXPECT_LT(large.entries, 20 * large.commands) << waits;
  }
}

TEST(DependencySets, OfASlidingWindowGrowAsItsCommandsDo) {
  const Sizes small = decoder(2000, true, 250), large = decoder(8000, true, 1000);
  EXPECT_LT(large.entries, 7 * small.entries);
}

// What can't be followed is said, from the command on where it begins, and is no race.
TEST(DependencySets, SayWhereOrderIsNotFollowedAnyMore) {
  MadeDocument made;
  made.kernel("k");
  const auto x = made.buffer();
  const std::uint32_t other = made.stream();
  for (int i = 0; i < 50; ++i) {
    const auto write = made.add({.kernel = 0, .stream = 0, .writes = {{x, 0, 4}}});
    const auto read = made.add({.kernel = 0, .stream = other, .reads = {{x, 0, 4}}});
    made.order(read, write);
    made.order(made.add({.kernel = 0, .stream = 0, .reads = {{x, 4, 4}}}), read);
  }
  const Trace trace = made.trace();
  EXPECT_EQ(analysis::find_dependencies(trace).unfollowed_from, no_index);
  analysis::HappensBefore before(trace, 1);
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) before.next(c);
  EXPECT_EQ(before.gave_up_at(), 1u);  // the first that waits
  analysis::Report report = analyze(trace);
  const auto is_told = [&] {
    return std::ranges::any_of(find_insights(trace, report), [](const analysis::Finding& f) {
      return f.id == "order.unfollowed" && f.title.find("c7") != std::string::npos;
    });
  };
  EXPECT_FALSE(is_told());
  report.order_unfollowed_from = 7;
  EXPECT_TRUE(is_told());
}

// Every stream writes its part, one reads all, and all wait for it: twice.
TEST(DependencySets, OfAHundredThousandStreamsThatMeet) {
  constexpr std::uint32_t streams = 100'000;
  MadeDocument made;
  made.kernel("k");
  const auto x = made.buffer({.size = 4ull * streams});
  std::vector<std::uint32_t> all{0};
  for (std::uint32_t s = 1; s < streams; ++s) all.push_back(made.stream());
  std::uint32_t join = no_index;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint32_t> writes;
    for (const std::uint32_t s : all) {
      writes.push_back(made.add({.kernel = 0, .stream = s, .writes = {{x, 4ull * s, 4}}}));
      if (join != no_index && s != 0) made.order(writes.back(), join);
    }
    join = made.add({.kernel = 0, .stream = 0, .reads = {{x}}});
    for (std::uint32_t s = 1; s < streams; ++s) made.order(join, writes[s]);
  }
  const Trace trace = made.trace();
  const Dependencies found = analysis::find_dependencies(trace);
  for (const Dependency& d : found.edges) {
    ASSERT_NE(d.kind, DependencyKind::missing) << "c" << d.from << " > c" << d.to;
    ASSERT_NE(d.kind, DependencyKind::redundant) << "c" << d.from << " > c" << d.to;
  }
  EXPECT_LT(found.edges.size() + found.sets.size(), 10u * trace.commands().size());
  // Everything else that is made of a document comes to an end, too.
  const PageData data(trace);
  for (const std::string& name : data.names()) EXPECT_TRUE(data.get(name).has_value()) << name;
  // A wait that is left out is seen.
  MadeDocument racy;
  racy.kernel("k");
  const auto y = racy.buffer({.size = 4ull * streams});
  for (std::uint32_t s = 1; s < streams; ++s) racy.stream();
  std::vector<std::uint32_t> writes;
  for (std::uint32_t s = 0; s < streams; ++s)
    writes.push_back(racy.add({.kernel = 0, .stream = s, .writes = {{y, 4ull * s, 4}}}));
  const auto last = racy.add({.kernel = 0, .stream = 0, .reads = {{y}}});
  for (std::uint32_t s = 1; s < streams; ++s)
    if (s != 54'321) racy.order(last, writes[s]);
  const Dependencies with_race = analysis::find_dependencies(racy.trace());
  std::vector<CommandPair> races;
  DependencySets(with_race.sets)
      .for_each_pair(with_race.edges, DependencyKind::missing,
                     [&](std::uint32_t from, std::uint32_t to) {
                       races.emplace_back(to, from);
                       return true;
                     });
  EXPECT_THAT(races, testing::ElementsAre(CommandPair(last, writes[54'321])));
}

TEST(Dependencies, OfWaitsThroughOneStreamAreAllNeeded) {
  MadeDocument made;
  made.kernel("k");
  const auto x = made.buffer(), y = made.buffer(), z = made.buffer();
  const auto second = made.stream(), middle = made.stream(), last = made.stream();
  made.add({.kind = WorkKind::fill, .writes = {{x}}});
  made.add({.kind = WorkKind::fill, .stream = second, .writes = {{y}}});
  const auto joins = made.add({.kind = WorkKind::fill, .stream = middle, .writes = {{z}}});
  const auto reads = made.add({.kernel = 0, .stream = last, .reads = {{x}, {y}}});
  made.order(joins, 0);
  made.order(joins, 1);
  made.order(reads, joins);
  for (const Dependency& d : analysis::find_dependencies(made.trace()).edges)
    EXPECT_NE(d.kind, DependencyKind::redundant) << "c" << d.from << " > c" << d.to;
}

}  // namespace
}  // namespace reel
