#include "recording/contents/taken_pages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reel/trace.hpp"

namespace reel::capture {

TakenPages::TakenPages(std::span<const std::byte> source, Block memory, bool keeps,
                       std::shared_ptr<StoredPages> stored, std::shared_ptr<CopiedPages> copied)
    : source_(source),
      memory_(std::move(memory)),
      keeps_(keeps),
      stored_(std::move(stored)),
      copied_(std::move(copied)) {
  pages_.reserve((source.size() + page_bytes - 1) / page_bytes);
}

bool TakenPages::is_known(const Hash128& page) const {
  return copied_->pages.contains(page) || stored_->contains(page);
}

std::span<const std::byte> TakenPages::bytes(std::size_t page) const {
  const std::size_t at = pages_[page].copied_to;
  if (at == nowhere) return {};
  return memory_.bytes().subspan(
      at, std::min<std::size_t>(page_bytes, source_.size() - page * page_bytes));
}

// What is kept has the hash of the copy: where a program writes meanwhile, it must still be what
// its name says. A copy that turns out to be known is written over by the next.
TakenPages::Page TakenPages::take(std::span<const std::byte> page, std::size_t end) {
  const bool is_large = page.size() >= least_bytes;
  if (!keeps_) return {hash128(page), nowhere};
  if (is_large && copied_->expects_known)
    if (const Hash128 hash = hash128(page); is_known(hash)) return {hash, nowhere};
  const std::span<std::byte> copy = memory_.bytes().subspan(end, page.size());
  std::memcpy(copy.data(), page.data(), page.size());
  const Hash128 hash = hash128(copy);
  if (!is_large) return {hash, end};
  copied_->expects_known = is_known(hash);
  if (copied_->expects_known) return {hash, nowhere};
  copied_->pages.insert(hash);
  return {hash, end};
}

void TakenPages::take() noexcept try {
  std::size_t end = 0;
  for (std::size_t at = 0; at < source_.size(); at += page_bytes) {
    const std::size_t size = std::min<std::size_t>(page_bytes, source_.size() - at);
    pages_.push_back(take(source_.subspan(at, size), end));
    if (pages_.back().copied_to != nowhere) end += size;
  }
  are_there_.store(true, std::memory_order_release);
} catch (...) {  // no memory: nobody gets these pages, so later ones must be copied
  for (const Page& page : pages_)
    if (page.copied_to != nowhere) copied_->pages.erase(page.hash);
}

}  // namespace reel::capture
