// rank_pages.hpp - the page of many ranks, and below it one page for each rank's document.
//
// A document is read when its page is first asked for. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <string_view>

#include "page/server/http_request.hpp"
#include "reel/page.hpp"

namespace reel::page {

class RankPages {
 public:
  explicit RankPages(RanksData data) : data_(std::move(data)) {}
  // `path` is what follows the token: "", "data/ranks", "rank/3/", "rank/3/data/summary".
  HttpAnswer answer(std::string_view path);

 private:
  PageData document(std::size_t place);

  RanksData data_;
  std::mutex mutex_;
  std::map<std::size_t, PageData> documents_;  // by place in the report
};

}  // namespace reel::page
