// check.cpp - `reel check`: every document of a folder replayed, and one verdict.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <reel/documents.hpp>
#include <reel/error.hpp>
#include <thread>

#include "cli/replaying/checked_documents.hpp"
#include "cli/running/watched_run.hpp"
#include "cli/showing/junit.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/replay_report.hpp"
#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::vector<std::string> places, host_kernels;
  std::string device, tolerance, junit;
  std::uint32_t jobs = 0, time_limit_s = 60;
  bool json = false, update = false, yes = false;
};

std::vector<std::string> documents_of(const std::vector<std::string>& places) {
  std::vector<std::string> paths;
  for (const std::string& place : places) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(place, ignored)) {
      // A name that is wrong is a mistake of the command line, and no broken document.
      if (!std::filesystem::exists(place, ignored))
        throw Error(Code::io_failed,
                    fmt::format("Can't read '{}': No such file or directory.", place));
      paths.push_back(place);  // what is wrong with it is told as of any other
      continue;
    }
    const std::vector<std::string> found = documents_in(place);
    if (found.empty())
      throw Error(Code::io_failed, fmt::format("'{}' has no .reel file in it.", place));
    paths.insert(paths.end(), found.begin(), found.end());
  }
  return paths;
}

// For runs of a document, whatever for.
std::vector<std::string> run_words(const Options& options, std::uint32_t jobs) {
  std::vector<std::string> words{"--time-limit", std::to_string(options.time_limit_s)};
  // Together they have what one would have alone.
  if (const std::uint64_t memory = default_memory_bytes() / jobs; memory > 0)
    words.insert(words.end(), {"--memory", std::to_string(memory)});
  if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
  for (const std::string& library : options.host_kernels)
    words.insert(words.end(), {"--host-kernels", library});
  return words;
}

std::size_t count_of(const std::vector<CheckedDocument>& documents, CheckResult result) {
  return static_cast<std::size_t>(std::ranges::count(documents, result, &CheckedDocument::result));
}

// A difference says more than what could not be looked at.
int exit_code_of(const std::vector<CheckedDocument>& documents) {
  if (count_of(documents, CheckResult::different)) return failed;
  if (count_of(documents, CheckResult::broken)) return damaged;
  return count_of(documents, CheckResult::cannot_run) ? cannot : done;
}

void print(const std::vector<CheckedDocument>& documents) {
  Table table({{"RESULT"}, {"DOCUMENT"}, {"DEVICE"}, {"TOOK", Table::Align::right}, {""}});
  for (const CheckedDocument& document : documents) {
    const bool passed = document.result == CheckResult::passed;
    table.add({passed                                       ? "passed"
               : document.result == CheckResult::different  ? "DIFFERENT"
               : document.result == CheckResult::cannot_run ? "can't run"
                                                            : "broken",
               document.path, document.device.empty() ? "-" : document.device,
               fmt::format("{:.1f} s", document.seconds), passed ? document.sentence : ""});
    table.tone(0, passed                                       ? Tone::good
                  : document.result == CheckResult::cannot_run ? Tone::warning
                                                               : Tone::bad);
  }
  fmt::print("{}", table.text());
  for (const CheckedDocument& document : documents)
    if (document.result != CheckResult::passed)
      fmt::print("\n{}\n  {}\n", bold(printable(document.path)), printable(document.sentence));
  fmt::print("\n{}: {} passed, {} different, {} can't be run here, {} broken\n",
             count_text(documents.size(), "document"), count_of(documents, CheckResult::passed),
             count_of(documents, CheckResult::different),
             count_of(documents, CheckResult::cannot_run),
             count_of(documents, CheckResult::broken));
}

Json json_of(const std::vector<CheckedDocument>& documents) {
  Json json{{"schema_version", 1},
            {"passed", exit_code_of(documents) == done},
            {"documents", Json::array()}};
  for (const CheckedDocument& document : documents)
    json["documents"].push_back(
        {{"document", document.path},
         {"result", to_string(document.result)},
         {"verdict", document.verdict.empty() ? Json() : Json(document.verdict)},
         {"sentence", document.sentence},
         {"device", document.device.empty() ? Json() : Json(document.device)},
         {"checks", document.checks},
         {"seconds", document.seconds}});
  return json;
}

// Differences are failures, what is broken is an error, and what can't be run here is skipped.
JunitCase case_of(const CheckedDocument& document) {
  const auto result = [&] {
    switch (document.result) {
      case CheckResult::passed:
        return JunitResult::passed;
      case CheckResult::different:
        return JunitResult::failure;
      case CheckResult::cannot_run:
        return JunitResult::skipped;
      case CheckResult::broken:
        break;
    }
    return JunitResult::error;
  }();
  const std::filesystem::path path = document.path;
  return {path.parent_path().string(), path.filename().string(), result,
          result == JunitResult::passed ? "" : document.sentence, document.seconds};
}

void write_results(const Options& options, const std::vector<CheckedDocument>& documents) {
  std::vector<JunitCase> cases;
  for (const CheckedDocument& document : documents) cases.push_back(case_of(document));
  write_junit(options.junit, fmt::format("reel check {}", fmt::join(options.places, " ")), cases);
}

bool is_agreed(std::size_t count) {
  fmt::print("\nRenew {}, so that what differs above is right from now on? [y/N] ",
             count_text(count, "document"));
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Those that differ, and only those: what can't be run or read has no results to keep.
int renew(const Options& options, const std::vector<CheckedDocument>& documents) {
  const std::size_t count = count_of(documents, CheckResult::different);
  const int code = count_of(documents, CheckResult::broken)       ? damaged
                   : count_of(documents, CheckResult::cannot_run) ? cannot
                                                                  : done;
  if (count == 0) {
    if (!options.json) fmt::print("Nothing is to be renewed.\n");
    return code;
  }
  if (!options.yes && !is_agreed(count)) {
    fmt::print("Nothing was renewed.\n");
    return failed;
  }
  bool all_renewed = true;
  for (const CheckedDocument& document : documents) {
    if (document.result != CheckResult::different) continue;
    const std::string why = renew_document(document.path, run_words(options, 1));
    all_renewed &= why.empty();
    if (!why.empty())
      fmt::print(stderr, "reel: {} was not renewed: {}\n", printable(document.path),
                 printable(why));
    else if (!options.json)
      fmt::print("renewed {}\n", printable(document.path));
  }
  return all_renewed ? code : failed;
}

int run(const Options& options) {
  if (options.update && !options.yes && (options.json || isatty(STDIN_FILENO) != 1))
    throw Misuse("--update asks before it renews; where nobody can answer, add --yes");
  const std::vector<std::string> paths = documents_of(options.places);
  const std::uint32_t most = options.jobs ? options.jobs : std::thread::hardware_concurrency();
  CheckOptions how;
  how.jobs = std::clamp<std::uint32_t>(most, 1, static_cast<std::uint32_t>(paths.size()));
  how.replay = run_words(options, how.jobs);
  if (!options.tolerance.empty())
    how.replay.insert(how.replay.end(), {"--tolerance", options.tolerance});
  std::vector<CheckedDocument> documents;
  {
    Progress progress(fmt::format("Replaying {}", count_text(paths.size(), "document")));
    how.on_progress = [&](std::size_t finished) {
      progress.show(fmt::format("{} of {} documents replayed", finished, paths.size()));
    };
    documents = check_documents(paths, how);
  }
  if (!options.junit.empty()) write_results(options, documents);
  if (options.json)
    print_json(json_of(documents));
  else
    print(documents);
  return options.update ? renew(options, documents) : exit_code_of(documents);
}

}  // namespace

void add_check(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("check", "Replay every document of a folder, with one verdict");
  verb.add_option("documents", options->places, "Folders with .reel files, or such files")
      .required()
      .type_name("FILE");
  verb.add_option("--device", options->device,
                  "Device to run on: host, opencl, vulkan:0, …; default: the recorded one")
      .type_name("DEVICE");
  verb.add_option("--tolerance", options->tolerance,
                  "Allowed error of floating-point numbers, as of reel replay")
      .type_name("R[,A]");
  verb.add_option("--jobs", options->jobs,
                  "Documents replayed at the same time; default: the number of processors")
      .between(1, 1024)
      .type_name("N");
  verb.add_option("--host-kernels", options->host_kernels,
                  "A library whose host kernels register themselves (docs/replay.md)")
      .one_value_each()
      .type_name("LIB.so");
  verb.add_option("--time-limit", options->time_limit_s,
                  "Seconds that one command may take; 0: no limit")
      .show_default()
      .type_name("SECONDS");
  verb.add_option("--junit", options->junit, "Write the results as JUnit XML").type_name("FILE");
  const Option update =
      verb.add_flag("--update", options->update,
                    "Show the differences, ask, and renew the documents that differ: what they "
                    "give now is right from now on");
  verb.add_flag("--yes", options->yes, "With --update: renew without asking").needs(update);
  verb.add_flag("--json", options->json, "Print JSON: one object with schema_version 1");
  verb.footer(
      "Keep captures of kernels in a folder, and check them with every new driver, compiler or\n"
      "kernel: each runs in a process of its own, and all others are checked whatever happens to "
      "one.\n"
      "A renewed document has the same commands, on one stream, with the times and results of "
      "now.\n\n"
      "Exit codes: 0 all passed, 1 one differs, 2 the command line is wrong, 3 one is damaged or\n"
      "can't be read, 4 one can't be replayed, or not be proved, here. The first of these that is "
      "true\n"
      "of any document.\n\n"
      "Examples:\n"
      "  reel check golden/\n"
      "  reel check golden/ --device vulkan --junit results.xml\n"
      "  reel check golden/ --update");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
