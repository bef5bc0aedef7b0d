// document_thread.hpp - the thread that packs, compresses and writes.
//
// Takes messages and the logs of streams, from any thread; alone has the document. When the disk is
// full or the limit is far exceeded it goes on taking and throws away: is_lost() then says so, and
// the recorder stops giving. Joined by finish(), wait_until_finished() or discard().
//
// It has a table of descriptors of its own (base/process/own_descriptors.hpp), and the document is
// opened, written and closed on it: a program that closes every descriptor doesn't find the
// document's, and none of the program's files can ever be taken for it. Where the system has no
// such tables, the descriptor is out of the way and checked before each use. Hence nothing may run
// here that calls a driver, or says something on standard error: that is left to the next thread
// that gives something.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/process/forks.hpp"
#include "base/process/own_memory.hpp"
#include "document/document_writer.hpp"
#include "recording/writing/command_log.hpp"
#include "recording/writing/host_clocks.hpp"
#include "recording/writing/message_list.hpp"
#include "recording/writing/work_table.hpp"

namespace reel::capture {

class DocumentThread : public InOwnMemory {
 public:
  // Opens the document, and throws what keeps it from being written. `limit_bytes` 0: no limit.
  DocumentThread(const std::string& path, document::Facts facts,
                 const document::DocumentOptions& options, std::uint64_t limit_bytes);
  ~DocumentThread();
  DocumentThread(const DocumentThread&) = delete;
  DocumentThread& operator=(const DocumentThread&) = delete;

  void push(Message message);
  void push(document::DeviceRow row) {
    push(std::make_unique<document::DeviceRow>(std::move(row)));
  }
  void push(document::KernelRow row) {
    push(std::make_unique<document::KernelRow>(std::move(row)));
  }
  // A call that ends now: all that takes its time in noting it is done before, and is in it.
  void push_ending(CallMessage call);
  void note(const char* kind, const std::vector<std::string>& sentences);
  // Of the calling thread, all that it has told as overhead, and what is none.
  static std::uint64_t& told_ns() noexcept;
  void add(std::shared_ptr<CommandLog> log);
  // The writer packs two million commands a second; a producer that stays faster is throttled.
  void wait_for_room(const CommandLog& log) {
    if (log.blocks() > most_log_blocks) [[unlikely]]
      wait_until_read(log);
  }

  // Contents that came lately were in the document already: it may be worth asking before copying.
  bool sees_repeats() const noexcept { return repeats_.load(std::memory_order_relaxed) > 0; }
  // Of large pages only.
  const std::shared_ptr<StoredPages>& stored_pages() const noexcept { return stored_; }

  // Nothing that is given from now on is kept, for the first such reason.
  void lose(std::string_view why) noexcept;
  void lose(const std::exception& error) noexcept;
  bool is_lost() const noexcept {
    if (!lost_.load(std::memory_order_acquire)) [[likely]]
      return false;
    say_lost();
    return true;
  }

  struct Result {
    std::uint64_t document_bytes = 0, contents_bytes = 0;
    std::string lost;
  };
  // Writes all that was given, and the index; the caller waits.
  Result finish(document::Facts end_facts);
  // The same in two steps, where nobody waits between them.
  void begin_finishing(document::Facts end_facts);
  bool is_finished() const noexcept { return is_finished_.load(std::memory_order_acquire); }
  Result wait_until_finished();  // once
  // Nothing was begun: the document is taken away again.
  void discard();

 private:
  static constexpr std::size_t most_log_blocks = 256;  // of 256 KiB, of one stream

  enum class Ending : std::uint8_t { none, finished, discarded };

  void open(const std::string& path, const document::Facts& facts,
            document::DocumentOptions options);
  void wait_until_read(const CommandLog& log);
  void run();
  void round(bool last);
  void sync_now_and_then();
  void look_at_clocks(HostClocks::Moment moment);
  void check_limit();
  void tell_cpu_time(std::uint64_t least_ns);  // that is not in the document yet, if so much
  void leave_thread() noexcept;
  void close();
  void ask_for(Ending ending);
  void end(Ending ending);  // and joins
  void say_lost() const noexcept;

  void write(std::unique_ptr<document::DeviceRow>& row) { document_->add(*row); }
  void write(document::StreamRow& row) { document_->add(row); }
  void write(document::BufferRow& row) { document_->add(row); }
  void write(std::unique_ptr<document::KernelRow>& row) { document_->add(*row); }
  void write(document::OrderRow& row) { document_->add(row); }
  void write(document::IntervalRow& row) { document_->add(row); }
  void write(document::AllocationRow& row) { document_->add(row); }
  void write(document::OverheadRow& row) { document_->add(row); }
  void write(document::ClockRow& row) { document_->add(row); }
  void write(document::NoteRow& row) { document_->add(row); }
  template <class Page>
  void write_pages(document::ContentsRow row, bool store, Page&& page);
  void write(ContentsMessage& message);
  void write(TakenMessage& message);
  bool keep(const Hash128& hash, std::span<const std::byte> page);
  void seen(const Hash128& page, bool is_new);
  void write(HashesMessage& message);
  void write(CallMessage& message);
  void write(RegionMessage& message);
  void write(GraphMessage& message);
  void write(SubmissionMessage& message);
  void write(EntryHeader& entry, CommandLog& log);

  std::unique_ptr<document::DocumentWriter> document_;
  const std::uint64_t limit_bytes_;
  bool at_limit_ = false;
  WorkTable works_;
  HostClocks clocks_;
  std::vector<Hash128> pages_;  // of the row that is put together
  const std::shared_ptr<StoredPages> stored_ = std::make_shared<StoredPages>();
  std::atomic<int> repeats_{0};  // more of late were known than new
  std::uint64_t contents_bytes_ = 0;
  std::mutex lost_mutex_;
  char lost_why_[512] = {};  // not a string: losing a document may take no memory
  std::atomic<bool> lost_{false};
  mutable std::atomic<bool> is_said_{false};
  std::atomic<bool> is_finished_{false};
  bool fresh_ = false;  // something was added since the last flush
  std::uint64_t synced_bytes_ = 0, synced_ns_ = 0;
  std::uint64_t told_cpu_ns_ = 0;
  document::Facts end_facts_;
  std::uint32_t waiting_thread_ = 0;  // for the end, since then
  std::uint64_t waits_since_ns_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_;
  MessageList messages_;
  std::vector<std::shared_ptr<CommandLog>> logs_;
  Ending ending_ = Ending::none;
  bool urgent_ = false;
  const Birth birth_;  // in a fork's child the thread is the parent's, and so is the document
  std::thread::id writer_;
  std::thread thread_;
};

}  // namespace reel::capture
