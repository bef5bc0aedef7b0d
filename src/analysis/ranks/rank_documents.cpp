#include "analysis/ranks/rank_documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "reel/error.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

std::string fact_of(const RankSteps& document, const char* key) {
  const auto fact = document.facts.find(key);
  return fact == document.facts.end() ? "" : fact->second;
}

// Numbers of a file's name, in order: {2026, 3} of "run2026-3.reel".
std::vector<std::uint64_t> numbers_in(const std::string& path) {
  std::vector<std::uint64_t> numbers;
  bool within = false;
  for (const char c : std::filesystem::path(path).stem().string()) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_digit && !within) numbers.push_back(0);
    // Nobody counts ranks beyond this; longer numbers are dates and ids.
    if (is_digit && numbers.back() < 100'000'000)
      numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
    within = is_digit;
  }
  return numbers;
}

// By the last number of their names where all have one and no two the same, else by their order.
void number_by_name(std::vector<RankSteps>& documents) {
  std::set<std::uint64_t> seen;
  bool all = true;
  for (const RankSteps& document : documents) {
    const auto numbers = numbers_in(document.path);
    all =
        all && !numbers.empty() && numbers.back() < no_index && seen.insert(numbers.back()).second;
  }
  std::uint32_t next = 0;
  for (RankSteps& document : documents)
    document.rank = all ? static_cast<std::uint32_t>(numbers_in(document.path).back()) : next++;
}

// What most documents have.
std::string most_common(const std::vector<RankSteps>& documents, const char* key) {
  std::map<std::string, std::size_t> counts;
  for (const RankSteps& document : documents) ++counts[fact_of(document, key)];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? "" : most->first;
}

class Arranging {
 public:
  explicit Arranging(std::vector<RankSteps> documents) : documents_(std::move(documents)) {}

  RankDocuments run() {
    keep_one_program();
    number();
    drop_repeated();
    name_missing();
    for (RankSteps& document : documents_) {
      name_damage(document);
      drop_jumps(document);
      found_.ranks.push_back(*document.rank);
    }
    name_lengths();
    name_jobs();
    found_.documents = std::move(documents_);
    return std::move(found_);
  }

 private:
  void tell(std::string sentence) { found_.problems.push_back(std::move(sentence)); }

  void keep_one_program() {
    found_.program = most_common(documents_, "program");
    std::erase_if(documents_, [&](const RankSteps& document) {
      const std::string program = fact_of(document, "program");
      if (program == found_.program) return false;
      tell(fmt::format("{} is of the program '{}', most of the others are of '{}': it is left out.",
                       document.path, program, found_.program));
      return true;
    });
  }

  void number() {
    const auto known = std::ranges::count_if(
        documents_, [](const RankSteps& document) { return document.rank.has_value(); });
    if (known == 0) {
      number_by_name(documents_);
      found_.numbered_by_name = true;
    } else {
      std::erase_if(documents_, [&](const RankSteps& document) {
        if (!document.rank)
          tell(fmt::format("{} doesn't tell its rank, and others do: it is left out.",
                           document.path));
        return !document.rank;
      });
    }
    std::ranges::stable_sort(documents_, {},
                             [](const RankSteps& document) { return *document.rank; });
  }

  void drop_repeated() {
    std::vector<RankSteps> kept;
    for (RankSteps& document : documents_) {
      if (kept.empty() || *kept.back().rank != *document.rank) {
        kept.push_back(std::move(document));
        continue;
      }
      tell(fmt::format("{} and {} are both of rank {}: the second is left out.", kept.back().path,
                       document.path, *document.rank));
    }
    documents_ = std::move(kept);
  }

  void name_missing() {
    std::uint32_t ranks = 0;
    for (const RankSteps& document : documents_)
      ranks = std::max(ranks, document.ranks.value_or(0));
    std::set<std::uint32_t> here;
    for (const RankSteps& document : documents_) here.insert(*document.rank);
    std::string list;
    std::uint32_t missing = 0;
    constexpr std::uint32_t most_named = 8;
    for (std::uint32_t rank = 0; rank < ranks && here.size() + missing < ranks; ++rank) {
      if (here.contains(rank)) continue;
      if (++missing <= most_named) list += (missing > 1 ? ", " : "") + std::to_string(rank);
    }
    if (missing == 0) return;
    tell(
        fmt::format("{} of {} ranks {} missing ({}{}): {} may be the one that the others wait for.",
                    missing, ranks, missing == 1 ? "is" : "are", list,
                    missing > most_named ? ", …" : "", missing == 1 ? "it" : "one of them"));
  }

  void name_damage(const RankSteps& document) {
    for (const std::string& note : document.clock_notes)
      tell(fmt::format("Rank {} ({}): {}", *document.rank, document.path, note));
    if (document.is_cut)
      tell(fmt::format("Rank {} ({}) was cut before its recording ended: its {} count.",
                       *document.rank, document.path,
                       count_text(document.steps.size(), "whole step")));
    if (document.steps.empty())
      tell(fmt::format("Rank {} ({}) has no whole step.", *document.rank, document.path));
    else if (!document.has_times())
      tell(fmt::format("Rank {} ({}) has no times: no timings were recorded.", *document.rank,
                       document.path));
    else if (!document.kind)
      tell(fmt::format("Rank {} ({}) repeats nothing: all of it is one step.", *document.rank,
                       document.path));
  }

  // A step that starts before the one before it started can't be: the clock was set back.
  void drop_jumps(RankSteps& document) {
    std::uint64_t latest = 0;
    std::uint32_t dropped = 0, first = 0;
    for (std::uint32_t s = 0; s < document.steps.size(); ++s) {
      RankStep& step = document.steps[s];
      if (!step.has_times()) continue;
      if (step.started_ns >= latest) {
        latest = step.started_ns;
        continue;
      }
      if (dropped++ == 0) first = s;
      step.started_ns = step.ended_ns = 0;
    }
    if (dropped > 0)
      tell(fmt::format("The clock of rank {} ({}) jumps back at step {}: {} left out.",
                       *document.rank, document.path, first,
                       count_text(dropped, "step") + (dropped == 1 ? " is" : " are")));
  }

  void name_lengths() {
    std::map<std::size_t, std::vector<std::uint32_t>> by_steps;
    for (const RankSteps& document : documents_)
      by_steps[document.steps.size()].push_back(*document.rank);
    if (by_steps.size() < 2) return;
    const auto most = std::ranges::max_element(by_steps, {}, [](const auto& entry) {
      return std::pair(entry.second.size(), entry.first);
    });
    std::string others;
    for (const auto& [steps, ranks] : by_steps)
      for (const std::uint32_t rank : ranks)
        if (steps != most->first)
          others += fmt::format("{}rank {} has {}", others.empty() ? "" : ", ", rank, steps);
    tell(fmt::format(
        "Numbers of steps differ: {} have {}, {}. Steps are compared from the first on.",
        count_text(most->second.size(), "rank"), most->first, others));
  }

  void name_jobs() {
    std::set<std::string> jobs;
    for (const RankSteps& document : documents_)
      if (const std::string job = fact_of(document, "job"); !job.empty()) jobs.insert(job);
    if (jobs.size() > 1)
      tell(fmt::format(
          "The documents are of {} jobs ('{}', '{}'{}): ranks that didn't run together "
          "didn't wait for each other.",
          jobs.size(), *jobs.begin(), *std::next(jobs.begin()), jobs.size() > 2 ? ", …" : ""));
  }

  std::vector<RankSteps> documents_;
  RankDocuments found_;
};

}  // namespace

RankDocuments arrange(std::vector<RankSteps> documents) {
  return Arranging(std::move(documents)).run();
}

RanksReport compare_ranks(const std::vector<std::string>& paths, const RanksOptions& options) {
  std::vector<RankSteps> documents;
  std::vector<std::string> unreadable;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (options.progress)
      options.progress(paths[i], static_cast<double>(i) / static_cast<double>(paths.size()));
    try {
      documents.push_back(steps_of(Trace::load(paths[i])));
    } catch (const Error& error) {
      unreadable.push_back(fmt::format("{} is left out: {}", paths[i], error.what()));
    }
  }
  if (documents.size() < 2) {
    std::string why;
    for (const std::string& sentence : unreadable) why += " " + sentence;
    throw Error(Code::invalid_argument,
                fmt::format("Ranks are compared with each other: two documents at least, and {} {} "
                            "here.{}",
                            documents.empty() ? "none" : "one",
                            documents.empty() ? "can be read" : "is", why));
  }
  RanksReport report = compare_ranks(std::move(documents));
  report.problems.insert(report.problems.begin(), unreadable.begin(), unreadable.end());
  return report;
}

}  // namespace reel::analysis
