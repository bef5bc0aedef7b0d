// document_thread.hpp - the thread that packs, compresses and writes.
//
// Takes messages and the logs of streams, from any thread; alone has the document. When the disk is
// full or the limit is far exceeded it goes on taking and throws away: is_lost() then says so, and
// the recorder stops giving. Joined by finish().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "capture/command_log.hpp"
#include "capture/messages.hpp"
#include "capture/work_table.hpp"
#include "document/document_writer.hpp"

namespace reel::capture {

class DocumentThread {
 public:
  DocumentThread(std::unique_ptr<document::DocumentWriter> document, std::uint64_t limit_bytes);
  ~DocumentThread();

  void push(Message message);
  void add(std::shared_ptr<CommandLog> log);
  // The writer packs two million commands a second; who is faster for long has to wait for it.
  void wait_for_room(const CommandLog& log) {
    if (log.blocks() > most_log_blocks) [[unlikely]]
      wait_until_read(log);
  }

  // Nothing that is given from now on is kept, for the first such reason.
  void lose(std::string why);
  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }

  struct Result {
    std::uint64_t document_bytes = 0, contents_bytes = 0;
    std::string lost;
  };
  // Writes all that was given, and the index.
  Result finish(document::Facts end_facts);

 private:
  static constexpr std::size_t most_log_blocks = 256;  // of 256 KiB, of one stream

  void wait_until_read(const CommandLog& log);
  void run();
  void round(bool last);
  void check_limit();

  void write(document::DeviceRow& row) { document_->add(row); }
  void write(document::StreamRow& row) { document_->add(row); }
  void write(document::BufferRow& row) { document_->add(row); }
  void write(document::KernelRow& row) { document_->add(row); }
  void write(document::OrderRow& row) { document_->add(row); }
  void write(document::AllocationRow& row) { document_->add(row); }
  void write(document::OverheadRow& row) { document_->add(row); }
  void write(document::ClockRow& row) { document_->add(row); }
  void write(document::NoteRow& row) { document_->add(row); }
  void write(KernelMessage& message);
  void write(ContentsMessage& message);
  void write(CallMessage& message);
  void write(RegionMessage& message);
  void write(GraphMessage& message);
  void write(const EntryHeader& entry);

  std::unique_ptr<document::DocumentWriter> document_;
  const std::uint64_t limit_bytes_;
  bool at_limit_ = false;
  WorkTable works_;
  std::vector<Hash128> pages_;
  std::uint64_t contents_bytes_ = 0, cpu_ns_ = 0;
  std::mutex lost_mutex_;
  std::string lost_why_;
  std::atomic<bool> lost_{false};
  bool fresh_ = false;  // something was added since the last flush

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> messages_;
  std::vector<std::shared_ptr<CommandLog>> logs_;
  bool stopping_ = false, urgent_ = false;
  std::thread thread_;
};

}  // namespace reel::capture
