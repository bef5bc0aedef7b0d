// document_list.hpp - documents that are asked together: one, or all of a folder.
//
// Those of a folder are opened when a row of them is asked for, and given up again: in memory are
// small ones up to a limit, the last few, and what a reader holds. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/tables/table_source.hpp"
#include "reel/trace.hpp"

namespace reel::tables {

class DocumentList {
 public:
  struct Opened {
    explicit Opened(Trace document, analysis::AnalysisOptions options = {})
        : trace(std::move(document)), source(trace, std::move(options)) {}
    Trace trace;
    Source source;
  };

  explicit DocumentList(const Trace& trace, const analysis::AnalysisOptions& options = {});
  // What can't be read is left out, and told in problems().
  explicit DocumentList(const std::vector<std::string>& paths);

  bool is_folder() const noexcept { return is_folder_; }
  std::size_t size() const noexcept { return paths_.size(); }
  std::shared_ptr<Opened> open(std::size_t document);
  std::optional<std::size_t> find(std::string_view path) const;
  const std::set<std::string>& fact_keys() const noexcept { return fact_keys_; }

  const std::vector<std::string>& problems() const noexcept { return problems_; }
  std::size_t left_out() const noexcept { return left_out_; }

 private:
  void add(const std::string& path);

  bool is_folder_ = false;
  std::vector<std::string> paths_;
  std::unordered_map<std::string_view, std::size_t> places_;  // of paths_, once all are there
  std::set<std::string> fact_keys_;
  std::vector<std::string> problems_;
  std::size_t left_out_ = 0;
  std::uint64_t kept_bytes_ = 0;
  std::unordered_map<std::size_t, std::shared_ptr<Opened>> kept_;
  std::deque<std::pair<std::size_t, std::shared_ptr<Opened>>> recent_;
};

}  // namespace reel::tables
