#include "export/tables/document_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "export/tables/run_columns.hpp"
#include "reel/error.hpp"
#include "reel/trace_totals.hpp"

namespace reel::tables {
namespace {

// Of files that stay open: a thousand small documents are read once, not once for each table.
constexpr std::uint64_t most_kept_bytes = 32u << 20, most_bytes_each = 1u << 20;
constexpr std::size_t most_recent = 2;

}  // namespace

DocumentList::DocumentList(const Trace& trace, const analysis::AnalysisOptions& options)
    : paths_{trace.path()} {
  kept_.emplace(0, std::make_shared<Opened>(trace, options));
}

DocumentList::DocumentList(const std::vector<std::string>& paths) : is_folder_(true) {
  for (const std::string& path : paths) {
    try {
      add(path);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      const std::string why = error.what();
      problems_.push_back(why.find(path) == std::string::npos ? fmt::format("{}: {}", path, why)
                                                              : why);
      ++left_out_;
    }
  }
  for (std::size_t i = 0; i < paths_.size(); ++i) places_.emplace(paths_[i], i);
}

void DocumentList::add(const std::string& path) {
  std::error_code ignored;
  const std::uint64_t bytes = std::filesystem::file_size(path, ignored);
  const auto take = [&](const auto& facts, bool is_complete, const auto& problems) {
    for (const auto& [key, value] : facts) fact_keys_.insert(key);
    if (!is_complete)
      problems_.push_back(
          fmt::format("{} is incomplete: {}", path,
                      problems.empty() ? "It was never closed." : problems.front()));
  };
  if (bytes > most_bytes_each) {
    const TraceTotals totals = TraceTotals::load(path);
    take(totals.run_facts, totals.is_complete, totals.problems);
  } else {
    auto opened = std::make_shared<Opened>(Trace::load(path));
    take(opened->trace.run_facts(), opened->trace.is_complete(), opened->trace.problems());
    if (kept_bytes_ + bytes <= most_kept_bytes) {
      kept_bytes_ += bytes;
      kept_.emplace(paths_.size(), std::move(opened));
    }
  }
  paths_.push_back(path);
}

std::shared_ptr<DocumentList::Opened> DocumentList::open(std::size_t document) {
  if (const auto found = kept_.find(document); found != kept_.end()) return found->second;
  const auto found =
      std::ranges::find(recent_, document, &std::pair<std::size_t, std::shared_ptr<Opened>>::first);
  if (found != recent_.end()) return found->second;
  // What is given up first makes room for what comes.
  while (recent_.size() >= most_recent) recent_.pop_front();
  recent_.emplace_back(document, std::make_shared<Opened>(Trace::load(paths_[document])));
  return recent_.back().second;
}

std::optional<std::size_t> DocumentList::find(std::string_view path) const {
  const auto found = places_.find(path);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

}  // namespace reel::tables
