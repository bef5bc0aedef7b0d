#include "replay/page_reader.hpp"

namespace reel::rerun {

namespace {

constexpr std::size_t most_ready = 16;
// Pages are handed over by so many: to be woken for each takes longer, where a machine is busy,
// than to uncompress it.
constexpr std::size_t handed_over = 8;
constexpr std::uint64_t few_pages = 4;

}  // namespace

PageReader::PageReader(Trace trace, std::vector<std::uint32_t> contents)
    : trace_(std::move(trace)), contents_(std::move(contents)) {
  std::uint64_t pages = 0;
  for (const std::uint32_t i : contents_) pages += trace_.contents()[i].page_count;
  if (pages > few_pages) thread_ = std::thread([this] { read_ahead(); });
}

PageReader::~PageReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    unwanted_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<PageReader::Page> PageReader::read() {
  while (place_ < contents_.size() && number_ == trace_.contents()[contents_[place_]].page_count) {
    ++place_;
    number_ = 0;
  }
  if (place_ == contents_.size()) return std::nullopt;
  Page page{contents_[place_], number_, {}};
  if (auto bytes = trace_.page(trace_.contents()[page.contents], number_++))
    page.bytes = std::move(*bytes);
  return page;
}

void PageReader::read_ahead() {
  std::exception_ptr error;
  try {
    while (std::optional<Page> page = read()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return unwanted_ || ready_.size() < most_ready; });
      if (unwanted_) return;
      ready_.push_back(std::move(*page));
      if (ready_.size() == handed_over) changed_.notify_all();
    }
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  at_end_ = true;
  changed_.notify_all();
}

std::optional<PageReader::Page> PageReader::next() {
  if (!thread_.joinable()) return read();
  if (taken_.empty()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return at_end_ || ready_.size() >= handed_over; });
    taken_.swap(ready_);
    if (taken_.empty() && error_) std::rethrow_exception(error_);
    changed_.notify_all();
  }
  if (taken_.empty()) return std::nullopt;
  std::optional<Page> page(std::move(taken_.front()));
  taken_.pop_front();
  return page;
}

}  // namespace reel::rerun
