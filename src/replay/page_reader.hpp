// page_reader.hpp - pages of contents, one after the other, read ahead by a thread of its own.
//
// Uncompressing takes longer than giving the bytes to a device, so it is done meanwhile: at most
// 32 pages wait to be taken. Owns the thread, which ends with it. next() is for one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "reel/trace.hpp"

namespace reel::rerun {

class PageReader {
 public:
  struct Page {
    std::uint32_t contents = no_index;  // index in trace.contents()
    std::uint32_t number = 0;
    std::vector<std::byte> bytes;  // none: missing, or not what their hash says
  };

  // Of these contents, in this order. A few pages are not worth a thread, and are read in next().
  PageReader(Trace trace, std::vector<std::uint32_t> contents);
  ~PageReader();
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  // None: that was the last. Throws what reading threw.
  std::optional<Page> next();

 private:
  std::optional<Page> read();
  void read_ahead();

  const Trace trace_;
  const std::vector<std::uint32_t> contents_;
  std::size_t place_ = 0;     // of whoever reads: in contents_,
  std::uint32_t number_ = 0;  // and the page in there

  std::deque<Page> taken_;  // of next()

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Page> ready_;
  std::exception_ptr error_;
  bool at_end_ = false, unwanted_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace reel::rerun
