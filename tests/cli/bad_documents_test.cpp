// Random documents that lack what one would like to have, and every verb asked about each: an
// answer or a sentence, never a crash, a NaN, a time below nothing or a zero for what nobody knows;
// and the same numbers from whoever is asked.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "analysis/made_document.hpp"
#include "base/handles.hpp"
#include "graph/fixtures.hpp"
#include "verb_test.hpp"

namespace reel::test {
namespace {

using nlohmann::json;

struct Properties {
  enum class Stamps { all, none, some } stamps{};
  enum class Clock { right, before_calls, ends_first } clock{};
  enum class Passes { none, one, several, launches } passes{};
  enum class Cut { no, told, truncated } cut{};
  std::uint32_t streams = 1, commands = 30;
};

std::string text_of(std::uint32_t seed, const Properties& p) {
  return fmt::format("seed {}: stamps {}, clock {}, passes {}, cut {}, {} streams, {} commands",
                     seed, static_cast<int>(p.stamps), static_cast<int>(p.clock),
                     static_cast<int>(p.passes), static_cast<int>(p.cut), p.streams, p.commands);
}

Properties random_properties(std::mt19937& random) {
  Properties p;
  p.stamps = static_cast<Properties::Stamps>(random() % 3);
  p.clock = static_cast<Properties::Clock>(random() % 3);
  p.passes = static_cast<Properties::Passes>(random() % 4);
  p.cut = static_cast<Properties::Cut>(random() % 3);
  p.streams = random() % 4 ? 1 + random() % 3 : 500;
  p.commands = random() % 5 ? 12 + random() % 60 : random() % 3;
  return p;
}

// Whether commands have times, and where those are.
Span random_run(std::mt19937& random, const Properties& p, double t) {
  if (p.stamps == Properties::Stamps::none) return {};
  if (p.stamps == Properties::Stamps::some && random() % 2) return {};
  const double begin =
      p.clock == Properties::Clock::before_calls && random() % 2 ? std::max(1.0, t - 200) : t + 2;
  const double took = 0.1 * static_cast<double>(1 + random() % 60);
  if (p.clock == Properties::Clock::ends_first && random() % 3 == 0) return {begin + took, begin};
  return {begin, begin + took};
}

void fill(MadeDocument& made, std::mt19937& random, const Properties& p) {
  std::vector<std::uint32_t> streams{0}, kernels, buffers;
  while (streams.size() < p.streams) streams.push_back(made.stream());
  for (const char* name : {"add", "mul", "sum"}) kernels.push_back(made.kernel(name));
  for (int i = 0; i < 5; ++i) {
    MadeBuffer buffer{.size = 64u << (random() % 8)};
    if (random() % 2) buffer.allocated = 1 + static_cast<double>(random() % 50);
    if (random() % 2) buffer.freed = 60 + static_cast<double>(random() % 2000);
    buffers.push_back(made.buffer(buffer));
  }
  double t = 10, begin = t;
  const std::uint32_t in_a_pass = 6;
  std::uint32_t launch = no_index;
  for (std::uint32_t i = 0; i < p.commands; ++i) {
    if (i % in_a_pass == 0) {
      begin = t - 0.5;
      launch = no_index;
      if (p.passes == Properties::Passes::launches)
        launch = made.add({.kind = WorkKind::launch, .call = Span{t, t + 1}, .graph = 0});
    }
    const auto pick = [&](const std::vector<std::uint32_t>& of) {
      return of[random() % of.size()];
    };
    MadeCommand command{.kernel = kernels[i % kernels.size()], .call = Span{t, t + 1}};
    // Nodes of a launch are on its stream.
    if (launch == no_index) command.stream = pick(streams);
    if (random() % 6 == 0) {
      constexpr WorkKind kinds[] = {WorkKind::copy, WorkKind::fill,    WorkKind::write,
                                    WorkKind::read, WorkKind::barrier, WorkKind::host_call};
      command.kind = kinds[random() % std::size(kinds)];
      command.kernel = no_index;
    }
    const std::uint32_t a = pick(buffers), b = pick(buffers);
    if (command.kind == WorkKind::copy) {
      command.reads = {{a, 0, 32}};
      command.writes = {{b, 32, 32}};
    } else if (command.kind == WorkKind::read) {
      command.reads = {{a}};
    } else if (command.kind == WorkKind::fill || command.kind == WorkKind::write) {
      command.writes = {{a}};
    } else if (command.kind == WorkKind::dispatch) {
      command.reads = {{a}};
      command.changes = {{b}};
    }
    command.run = random_run(random, p, t);
    command.launch = launch;
    command.node = launch == no_index ? no_index : i % in_a_pass;
    command.scope = i % 2 ? "layer/mlp" : "";
    made.add(command);
    t += 5;
    if (random() % 4 == 0)
      made.call(random() % 2 ? "clFinish" : "clBuildProgram",
                {t, t + static_cast<double>(random() % 9) - 1});
    if (random() % 8 == 0) made.overhead({t, t + 1});
    t += 5;
    if (p.passes == Properties::Passes::several && i % in_a_pass == in_a_pass - 1)
      made.pass({begin, t});
  }
  if (p.passes == Properties::Passes::one && p.commands) made.pass({5, t});
}

class BadDocuments : public VerbTest {
 protected:
  static const std::vector<std::vector<std::string>>& questions() {
    static const std::vector<std::vector<std::string>> list{{"info"},
                                                            {"commands"},
                                                            {"commands", "c0"},
                                                            {"gaps"},
                                                            {"kernels"},
                                                            {"insights"},
                                                            {"memory"},
                                                            {"deps"},
                                                            {"scopes"},
                                                            {"calls"},
                                                            {"clocks"},
                                                            {"buffers"},
                                                            {"buffer", "b0"},
                                                            {"sql", "select * from critical_path"},
                                                            {"sql", "select * from passes"},
                                                            {"sql", "select * from findings"}};
    return list;
  }

  static std::vector<std::string> words(const std::vector<std::string>& question,
                                        const std::string& path) {
    std::vector<std::string> all{question[0], path};
    all.insert(all.end(), question.begin() + 1, question.end());
    return all;
  }

  // What holds for every answer. False: the document can't be read, and that was said.
  static bool check(const Outcome& run, const std::string& what, bool is_text, bool has_times) {
    SCOPED_TRACE(what);
    EXPECT_GE(run.exit_code, 0) << "ended by a signal; " << run.err;
    EXPECT_LE(run.exit_code, 3);
    if (run.exit_code != 0) {
      EXPECT_THAT(run.err, testing::MatchesRegex("reel: [^\n]+\n(.|\n)*")) << "a sentence why";
      EXPECT_THAT(run.out, testing::Not(testing::HasSubstr("{"))) << "half an answer";
      return false;
    }
    static const std::regex not_a_number("(^|[^a-zA-Z'_])-?(nan|inf)([^a-zA-Z'_]|$)",
                                         std::regex::icase);
    // `buffer` names a column so.
    if (!what.starts_with("buffer b0")) {
      EXPECT_FALSE(std::regex_search(run.out, not_a_number)) << run.out;
    }
    // A difference may be below nothing; these questions ask for none.
    static const std::regex negative("(^|[ (])-[0-9.]+ (ns|µs|ms|s)\\b|ns\": -[0-9]");
    if (!what.starts_with("diff") && !what.starts_with("ranks")) {
      EXPECT_FALSE(std::regex_search(run.out, negative)) << run.out;
    }
    static const std::regex zero("(^|[ (])0(\\.0+)? (ns|µs|ms|s)([^a-z]|$)");
    // Of calls and allocations times are known, and the first is at the origin.
    constexpr const char* of_devices[] = {"info",    "commands of", "gaps",
                                          "kernels", "scopes",      "insights"};
    const bool is_of_devices =
        std::ranges::any_of(of_devices, [&](const char* verb) { return what.starts_with(verb); });
    if (is_text && !has_times && is_of_devices) {
      EXPECT_FALSE(std::regex_search(run.out, zero)) << "0 ns for what isn't known:\n" << run.out;
    }
    return true;
  }

  static void ask_all(const std::string& path, bool has_times) {
    for (const auto& question : questions()) {
      const std::string name = fmt::format("{} of {}", fmt::join(question, " "), path);
      check(reel(words(question, path)), name, true, has_times);
      std::vector<std::string> as_json = words(question, path);
      as_json.emplace_back("--json");
      const Outcome run = reel(as_json);
      if (check(run, name + " --json", false, has_times)) {
        EXPECT_TRUE(json::accept(run.out)) << name << "\n" << run.out;
      }
    }
  }

  static json answer(std::vector<std::string> question) {
    question.emplace_back("--json");
    const Outcome run = reel(question);
    return run.exit_code == 0 ? json::parse(run.out) : json();
  }

  // Whatever a document lacks, checking it comes to a result and a sentence.
  static void expect_checked(const std::string& path) {
    const Outcome run = reel({"check", path, "--device", "host", "--json"});
    EXPECT_GE(run.exit_code, 0) << run.err;
    EXPECT_LE(run.exit_code, 4) << run.err;
    const json answer = json::parse(run.out, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << run.out << run.err;
    EXPECT_EQ(answer["passed"], run.exit_code == 0);
    ASSERT_EQ(answer["documents"].size(), 1u);
    EXPECT_NE(answer["documents"][0]["sentence"], "") << run.out;
  }

  // Each number, from everybody who tells it.
  static void expect_one_truth(const std::string& path) {
    SCOPED_TRACE(path);
    const json info = answer({"info", path}), gaps = answer({"gaps", path}),
               commands = answer({"commands", path, "--limit", "100000"}),
               kernels = answer({"kernels", path}), memory = answer({"memory", path}),
               insights = answer({"insights", path});
    if (info.is_null()) return;
    for (const char* number : {"origin_ns", "active_ns", "busy_ns"})
      EXPECT_EQ(info[number], gaps[number]) << number;
    EXPECT_EQ(info["origin_ns"], memory["origin_ns"]);
    const json activity =
        answer({"sql", path, "select span_ns, active_ns, busy_ns, sum_ns from activity"});
    const auto sql_number = [&](std::size_t column) {
      return activity["rows"].empty() ? json() : activity["rows"][0][column];
    };
    EXPECT_EQ(sql_number(0), info["span_ns"]);
    EXPECT_EQ(sql_number(1), info["active_ns"]);
    EXPECT_EQ(sql_number(2), info["busy_ns"]);
    EXPECT_EQ(sql_number(3), kernels["sum_ns"]);
    EXPECT_EQ(info["commands"]["total"], commands["commands"].size());
    std::uint64_t idle = 0;
    for (const json& gap : gaps["gaps"]) idle += gap["ns"].get<std::uint64_t>();
    if (!gaps["active_ns"].is_null()) {
      EXPECT_EQ(gaps["active_ns"], gaps["busy_ns"].get<std::uint64_t>() + idle);
    }
    const json passes = answer({"sql", path, "select count(*) as n from passes"});
    EXPECT_EQ(info["passes"].is_array() ? json(info["passes"].size()) : info["passes"],
              passes["rows"][0][0]);
    for (const json& finding : insights["findings"]) {
      if (finding["id"] == "mem.peak") {
        EXPECT_NE(finding["title"].get<std::string>().find("At most"), std::string::npos);
      }
      if (!finding["saving_ns"].is_null() && !info["span_ns"].is_null()) {
        EXPECT_LE(
            finding["saving_ns"].get<std::uint64_t>(),
            std::max(info["span_ns"].get<std::uint64_t>(),
                     gaps["active_ns"].is_null() ? 0 : gaps["active_ns"].get<std::uint64_t>()))
            << finding["id"];
      }
    }
  }

  TemporaryFolder folder;
};

TEST_F(BadDocuments, EveryVerbAnswersOrSaysWhyNot) {
  std::string before;
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    const Properties p = random_properties(random);
    SCOPED_TRACE(text_of(seed, p));
    MadeDocument made;
    made.run_facts({{"commit", fmt::format("c{}", seed / 2)}});
    fill(made, random, p);
    const Trace trace = p.cut == Properties::Cut::told ? made.cut() : made.trace();
    const std::string path = folder / fmt::format("{}.reel", seed);
    std::filesystem::copy_file(trace.path(), path);
    if (p.cut == Properties::Cut::truncated)
      std::filesystem::resize_file(path,
                                   std::filesystem::file_size(path) * (30 + random() % 70) / 100);
    ask_all(path, p.stamps != Properties::Stamps::none);
    expect_one_truth(path);
    // Once more, so that a folder of them all is asked at the end.
    std::filesystem::create_directories(folder / "all");
    std::filesystem::copy_file(path, folder / "all" + fmt::format("/{}.reel", seed));
    if (!before.empty())
      for (const char* to : {"--unaligned", "--json"})
        check(reel({"export", before, path, "--to", "perfetto", "--overwrite", to, "-o",
                    folder / "two.pftrace"}),
              fmt::format("export of {} and {}", before, path), false, false);
    expect_checked(path);
    if (!before.empty())
      for (const char* format : {"--json", "--steps"})
        check(reel({"ranks", before, path, format}), fmt::format("ranks {} and {}", before, path),
              false, false);
    if (!before.empty())
      for (const char* format : {"--json", "--md", "--all"})
        check(reel({"diff", before, path, format}), fmt::format("diff of {} and {}", before, path),
              false, false);
    before = path;
  }
  // Verbs that take a folder: what can't be read is named, the rest is answered.
  const std::string all = folder / "all";
  const std::vector<std::vector<std::string>> of_folders{
      {"ranks", all},
      {"ranks", all, "--json"},
      {"trend", all, "--by", "commit"},
      {"trend", all, "--by", "commit", "--json"},
      {"trend", all, "--by", "commit", "--html", folder / "trend.html"},
      {"sql", all, "select document, count(*) from commands group by 1"},
      {"sql", all, "select * from findings", "--json"},
      {"export", all, "--to", "perfetto", "--unaligned", "-o", folder / "all.pftrace"}};
  for (const auto& question : of_folders) {
    const Outcome run = reel(question);
    const std::string what = fmt::format("{}", fmt::join(question, " "));
    SCOPED_TRACE(what + "\n" + run.err);
    // 3: answered, and some of them couldn't be read.
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3);
    EXPECT_FALSE(run.out.empty());
    check({0, run.out, run.err}, question[0] == "sql" ? "sql" : "ranks or trend", false, false);
  }
}

// A document with commands, times, kernels and buffers, cut at many places. What can't be read was
// recorded all the same: no sentence may say otherwise, name what isn't there, or pass over the
// cut.
TEST_F(BadDocuments, OfADocumentThatWasCutEverySentenceIsTrue) {
  std::mt19937 random(1);
  MadeDocument made;
  fill(made, random, {.passes = Properties::Passes::several, .commands = 5000});
  const Trace whole = made.trace();
  const std::string path = folder / "cut.reel";
  const std::uintmax_t size = std::filesystem::file_size(whole.path());
  std::vector<std::uintmax_t> places{9, 20, 38, 39, 60, 120, 300, size - 1, size - 9, size - 60};
  for (int i = 0; i < 16; ++i) places.push_back(1 + random() % (size - 1));
  auto all = questions();
  all.push_back({"replay", "--device", "host"});
  all.push_back({"verify"});
  for (const std::uintmax_t place : places) {
    std::filesystem::copy_file(whole.path(), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, place);
    SCOPED_TRACE(fmt::format("cut at byte {} of {}", place, size));
    std::optional<Trace> trace;
    try {
      trace = Trace::load(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::damaged_document);
    }
    for (const auto& question : all) {
      const Outcome run = reel(words(question, path));
      SCOPED_TRACE(question[0] + "\n" + run.out + run.err);
      const std::string said = run.out + run.err;
      if (!trace) {
        EXPECT_EQ(run.exit_code, 3);
        continue;
      }
      const bool asks_for_one = question.size() > 1 && (question[1] == "c0" || question[1] == "b0");
      if (!asks_for_one) {
        // A kernel that no device here has is told before the cut.
        EXPECT_TRUE(question[0] == "replay"   ? run.exit_code == 3 || run.exit_code == 4
                    : question[0] == "verify" ? run.exit_code == 3
                                              : run.exit_code == 0);
      }
      EXPECT_THAT(said,
                  testing::AnyOf(testing::HasSubstr("incomplete"), testing::HasSubstr("not whole"),
                                 testing::HasSubstr("damaged")))
          << "the cut is not said";
      for (const char* wrong : {"The document has no ", "No command ran", "timings were recorded",
                                "of commands were recorded", "names no memory", "No dependencies",
                                "No command of the document", " on ,", "''", "No timestamps were"})
        EXPECT_THAT(said, testing::Not(testing::HasSubstr(wrong)));
      // Ids that it tells to look at.
      static const std::regex hint("  reel [a-z]+ [^ ]+ ([^\n]*)"), id("\\b([cbk])([0-9]+)\\b");
      for (std::sregex_iterator line(run.out.begin(), run.out.end(), hint), end; line != end;
           ++line) {
        const std::string rest = (*line)[1];
        for (std::sregex_iterator one(rest.begin(), rest.end(), id); one != end; ++one) {
          const auto number = std::stoul((*one)[2]);
          const std::string kind = (*one)[1];
          const auto has_id = [&](const auto& rows) {
            return std::ranges::any_of(rows, [&](const auto& row) {
              return static_cast<std::uint32_t>(row.id) == number;
            });
          };
          EXPECT_TRUE(kind == "c"   ? number < trace->commands().size()
                      : kind == "b" ? has_id(trace->buffers())
                                    : has_id(trace->kernels()))
              << one->str();
        }
      }
    }
    // A recovery holds something, or is none.
    const std::string recovered = folder / "recovered.reel";
    std::filesystem::remove(recovered);
    const Outcome run = reel({"recover", path, "-o", recovered});
    EXPECT_EQ(std::filesystem::exists(recovered), run.exit_code == 0) << run.out << run.err;
    if (run.exit_code == 0) {
      const Trace good = Trace::load(recovered);
      EXPECT_FALSE(good.commands().empty() && good.buffers().empty() && good.kernels().empty());
      EXPECT_THAT(reel({"insights", recovered}).out,
                  testing::Not(testing::HasSubstr("No command ran")));
    } else {
      EXPECT_EQ(run.exit_code, 3);
      EXPECT_THAT(run.err, testing::HasSubstr("Nothing can be recovered from"));
    }
  }
}

TEST_F(BadDocuments, AnEmptyFileIsNoDocumentForAnyVerb) {
  const std::string path = folder / "empty.reel";
  std::ofstream(path).close();
  auto all = questions();
  for (const char* verb : {"verify", "recover", "replay", "view"}) all.push_back({verb});
  for (const auto& question : all) {
    const Outcome run = reel(words(question, path));
    EXPECT_EQ(run.exit_code, 3) << question[0] << ": " << run.err;
    EXPECT_THAT(run.err, testing::HasSubstr("is empty, so it is no .reel file")) << question[0];
  }
  EXPECT_EQ(reel({"diff", path, path}).exit_code, 3);
}

TEST_F(BadDocuments, OfSavedGraphsEveryVerbTellsWhatThereIs) {
  const Buffer x = make_buffer("x", 4096), y = make_buffer("y", 8192);
  Kernel scale = make_kernel("scale");
  resource_of(scale)->source.opencl_c = "kernel void scale(global float* x) {}";
  Graph graph;
  graph.add_fill(y, std::uint8_t{0});
  graph.add_dispatch(scale, one_group, in(x), inout(y));
  const std::string path = folder / "graph.reel";
  graph.save(path);
  ask_all(path, false);
  check(reel({"diff", path, path}), "diff", true, false);
  check(reel({"ranks", path, path}), "ranks", true, false);
}

TEST_F(BadDocuments, AHundredThousandStreamsAreAnswered) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  for (std::uint32_t s = 0; s < 100'000; ++s)
    made.add({.kernel = k,
              .stream = s ? made.stream() : 0,
              .run = {10.0 + s, 10.5 + s},
              .call = Span{1.0 + s, 1.1 + s},
              .reads = {{x}}});
  const Trace trace = made.trace();
  for (const char* verb : {"info", "gaps", "kernels", "insights", "memory"})
    check(reel({verb, trace.path()}), verb, true, true);
}

}  // namespace
}  // namespace reel::test
