#include "page/server/rank_pages.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "page/server/document_answer.hpp"

namespace reel::page {

PageData RankPages::document(std::size_t place) {
  const std::lock_guard lock(mutex_);
  if (const auto known = documents_.find(place); known != documents_.end()) return known->second;
  const Trace trace = Trace::load(data_.report().ranks[place].path);
  return documents_.try_emplace(place, PageData(trace, {.in_background = true})).first->second;
}

HttpAnswer RankPages::answer(std::string_view path) {
  const auto& ranks = data_.report().ranks;
  constexpr std::string_view below = "rank/";
  if (!path.starts_with(below))
    return page_answer(data_, path,
                       fmt::format("{} ranks of {}", ranks.size(), data_.report().program),
                       "data-ranks");
  path.remove_prefix(below.size());
  std::uint32_t rank = 0;
  const auto [stop, error] = std::from_chars(path.data(), path.data() + path.size(), rank);
  const auto end = static_cast<std::size_t>(stop - path.data());
  const auto place = static_cast<std::size_t>(
      std::ranges::find(ranks, rank, &analysis::RankReport::rank) - ranks.begin());
  if (error != std::errc{} || place == ranks.size() || end == path.size() || path[end] != '/')
    return error_answer({404, "There is no such rank."});
  return page_answer(document(place), path.substr(end + 1),
                     std::filesystem::path(ranks[place].path).filename().string(), "");
}

}  // namespace reel::page
