#include "recording/writing/document_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <future>
#include <new>
#include <system_error>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/log.hpp"
#include "base/os/thread.hpp"
#include "base/process/own_descriptors.hpp"
#include "base/process/quiet_thread.hpp"
#include "recording/opening/preflight.hpp"

namespace reel::capture {

namespace {

// How long a command may be in memory only. A program killed loses no more than this.
constexpr auto pause = std::chrono::milliseconds(50);
// Of this thread, in one row.
constexpr std::uint64_t cpu_row_ns = 10'000'000;
// So many wait no longer than they must.
constexpr std::size_t many_messages = 16'384;
// What a machine may lose that goes off. More often, and a slow disk would hold up the writing.
constexpr std::uint64_t sync_every_ns = 5'000'000'000u;

// From here on a disk takes its time, which is to be in the document.
constexpr std::uint64_t many_unsynced_bytes = std::uint64_t{16} << 20;

std::thread start_quietly(auto function) {
  const SignalsBlocked blocked;
  try {
    return std::thread([function = std::move(function)]() mutable {
      os::name_this_thread("reel-document");
      function();
    });
  } catch (const std::system_error& error) {
    fail(Code::io_failed, "The thread that writes the document can't be started: {}.",
         error.code().message());
  }
}

}  // namespace

DocumentThread::DocumentThread(const std::string& path, document::Facts facts,
                               const document::DocumentOptions& options, std::uint64_t limit_bytes)
    : limit_bytes_(limit_bytes) {
  const std::uint64_t begin_ns = monotonic_ns();
  std::promise<void> opened;
  auto is_opened = opened.get_future();
  thread_ = start_quietly([&, this, opened = std::move(opened)]() mutable {
    writer_ = std::this_thread::get_id();
    try {
      open(path, facts, options);
    } catch (...) {
      opened.set_exception(std::current_exception());
      return;
    }
    opened.set_value();  // what was borrowed from the constructor is gone from here on
    run();
  });
  try {
    is_opened.get();
  } catch (...) {
    thread_.join();
    throw;
  }
  try {
    push(document::OverheadRow{OverheadKind::starting, thread_number(), begin_ns, monotonic_ns(),
                               0});
  } catch (...) {
    discard();
    throw;
  }
}

DocumentThread::~DocumentThread() {
  if (!thread_.joinable()) return;
  if (birth_.is_inherited())
    leave_thread();
  else
    end(Ending::finished);  // not finish(): what that returns takes memory
}

void DocumentThread::open(const std::string& path, const document::Facts& facts,
                          document::DocumentOptions options) {
  options.out_of_the_way = !take_own_descriptors();
  options.mode = document_mode();
  document_ = std::make_unique<document::DocumentWriter>(path, facts, options);
  synced_ns_ = monotonic_ns();
}

std::uint64_t& DocumentThread::told_ns() noexcept {
  thread_local std::uint64_t ns = 0;
  return ns;
}

void DocumentThread::push(Message message) {
  if (const auto* row = std::get_if<document::OverheadRow>(&message))
    told_ns() += row->end_ns - row->begin_ns;
  bool urgent = std::holds_alternative<ContentsMessage>(message) ||
                std::holds_alternative<TakenMessage>(message);
  {
    const std::lock_guard lock(mutex_);
    messages_.add(std::move(message));
    urgent = urgent || messages_.size() == many_messages;
    urgent_ = urgent_ || urgent;
  }
  if (urgent) wake_.notify_one();  // contents hold memory that others may wait for
}

void DocumentThread::push_ending(CallMessage call) {
  bool urgent = false;
  {
    const std::lock_guard lock(mutex_);
    // Its memory may have to be faulted in first.
    auto& noted = std::get<CallMessage>(messages_.add(call));
    urgent = messages_.size() == many_messages;
    urgent_ = urgent_ || urgent;
    noted.end_ns = monotonic_ns();
  }
  if (urgent) wake_.notify_one();
}

void DocumentThread::add(std::shared_ptr<CommandLog> log) {
  const std::lock_guard lock(mutex_);
  logs_.push_back(std::move(log));
}

void DocumentThread::run() {
  look_at_clocks(HostClocks::Moment::start);
  for (;;) {
    Ending ending;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, pause, [&] { return ending_ != Ending::none || urgent_; });
      ending = ending_;
      urgent_ = false;
    }
    if (ending == Ending::discarded) return document_->discard();
    round(ending == Ending::finished);
    if (ending == Ending::finished) {
      close();
      is_finished_.store(true, std::memory_order_release);
      return;
    }
    sync_now_and_then();
    look_at_clocks(HostClocks::Moment::meanwhile);
  }
}

// Everything given so far. Logs are looked at before messages, and read after them: what a command
// names was told before the command.
void DocumentThread::round(bool last) {
  OwnVector<MessageList::Block> messages;
  std::vector<std::pair<std::shared_ptr<CommandLog>, CommandLog::Position>> logs;
  try {
    {
      const std::lock_guard lock(mutex_);
      logs.reserve(logs_.size());
      for (const auto& log : logs_) logs.emplace_back(log, log->end());
      messages = messages_.take();
    }
    for (MessageList::Block& block : messages) {
      for (Message& message : block)
        if (!lost_) std::visit([&](auto& one) { write(one); }, message);
      block.clear();  // contents hold memory that others may wait for
      fresh_ = true;
    }
    for (auto& [log, end] : logs)
      log->read_until(end, [&, &its = *log](EntryHeader& entry) {
        if (!lost_) write(entry, its);
        fresh_ = true;
      });
    if (fresh_ && !lost_ && !last) document_->flush();
    fresh_ = false;
    if (!lost_ && !last) tell_cpu_time(cpu_row_ns);
    check_limit();
  } catch (const std::exception& error) {
    lose(error);
  }
  // Nobody appends to a log that only we have. Its count orders nothing; letting go of a copy does,
  // after whatever the last of the others appended.
  const std::lock_guard lock(mutex_);
  messages_.give_back(std::move(messages));
  logs.clear();
  std::erase_if(logs_, [](const auto& log) {
    if (log.use_count() != 1) return false;
    std::shared_ptr(log).reset();
    return log->is_read();
  });
}

void DocumentThread::wait_until_read(const CommandLog& log) {
  const std::uint64_t begin_ns = monotonic_ns();
  while (log.blocks() > most_log_blocks && !is_lost() && monotonic_ns() - begin_ns < 5'000'000'000u)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  push(document::OverheadRow{OverheadKind::waiting, thread_number(), begin_ns, monotonic_ns(), 0});
}

// Rows of clocks alone are no reason to write: they come with the next commands, or at the end.
void DocumentThread::look_at_clocks(HostClocks::Moment moment) {
  if (lost_) return;
  try {
    const HostClocks::Told told = clocks_.look(moment);
    for (const document::HostClockRow& row : told.rows) document_->add(row);
    for (const std::string& sentence : told.notes)
      document_->add(document::NoteRow{monotonic_ns(), "clock", sentence});
    if (!told.answered_by.empty()) document_->run_facts({{"clock_boot_id", told.answered_by}});
  } catch (const std::exception& error) {
    lose(error);
  }
}

void DocumentThread::sync_now_and_then() {
  const std::uint64_t now = monotonic_ns();
  if (lost_ || now - synced_ns_ < sync_every_ns || document_->file_bytes() == synced_bytes_) return;
  try {
    document_->sync();
  } catch (const std::exception& error) {
    lose(error);
  }
  synced_bytes_ = document_->file_bytes();
  synced_ns_ = monotonic_ns();
}

void DocumentThread::note(const char* kind, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences)
    push(document::NoteRow{monotonic_ns(), kind, sentence});
}

void DocumentThread::lose(std::string_view why) noexcept {
  {
    const std::lock_guard lock(lost_mutex_);
    if (lost_) return;
    lost_why_[why.copy(lost_why_, sizeof lost_why_ - 1)] = 0;
    lost_.store(true, std::memory_order_release);
  }
  say_lost();
}

void DocumentThread::lose(const std::exception& error) noexcept {
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  lose(is_memory ? "No memory was left for it." : error.what());
}

// This thread has no standard error; a copy of the program's would keep a pipe open that the
// program closed, and who reads from it would wait until the capture's end.
void DocumentThread::say_lost() const noexcept {
  if (std::this_thread::get_id() == writer_ || is_said_.exchange(true)) return;
  char line[sizeof lost_why_ + 64];  // there may be no memory left
  const auto end =
      fmt::format_to_n(line, sizeof line, "capture: recording ends here: {}", lost_why_);
  log(LogLevel::error, {line, std::min(end.size, sizeof line)});
}

void DocumentThread::check_limit() {
  if (limit_bytes_ == 0 || lost_) return;
  const std::uint64_t size = document_->file_bytes();
  if (size > limit_bytes_ + limit_bytes_ / 4)
    lose(fmt::format("The document has {} bytes, a quarter over its limit of {}.", size,
                     limit_bytes_));
}

void DocumentThread::tell_cpu_time(std::uint64_t least_ns) {
  const std::uint64_t ns = thread_cpu_ns() - told_cpu_ns_;
  if (ns < least_ns) return;
  told_cpu_ns_ += ns;
  const std::uint64_t end_ns = monotonic_ns();
  document_->add(
      document::OverheadRow{OverheadKind::writing, thread_number(), end_ns - ns, end_ns, 0});
}

// All of it is packed, written and, if it is much, on its disk before what that took is told; only
// the index comes after.
void DocumentThread::close() {
  try {
    // What is in the file stays valid after a failed write, and so may be closed if space came
    // back; a second failure says no more than the first.
    if (lost_) document_->add(document::NoteRow{monotonic_ns(), "lost", lost_why_});
    look_at_clocks(HostClocks::Moment::end);
    end_facts_["complete"] = lost_ ? std::string(lost_why_) : "yes";
    end_facts_["bytes_in"] = std::to_string(contents_bytes_);
    document_->flush();
    if (document_->file_bytes() - synced_bytes_ >= many_unsynced_bytes) document_->wait_for_disk();
    tell_cpu_time(1);
    if (waits_since_ns_)
      document_->add(document::OverheadRow{OverheadKind::waiting, waiting_thread_, waits_since_ns_,
                                           monotonic_ns(), 0});
    end_facts_["writer_cpu_ns"] = std::to_string(told_cpu_ns_);
    document_->close(end_facts_);
  } catch (const std::exception& error) {
    lose(error);
  }
}

void DocumentThread::ask_for(Ending ending) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = ending;
  }
  wake_.notify_one();
}

void DocumentThread::end(Ending ending) {
  ask_for(ending);
  thread_.join();
}

void DocumentThread::discard() {
  if (birth_.is_inherited())
    leave_thread();
  else
    end(Ending::discarded);
}

// Never joined, never destroyed: it isn't here.
void DocumentThread::leave_thread() noexcept { new (std::nothrow) std::thread(std::move(thread_)); }

DocumentThread::Result DocumentThread::finish(document::Facts end_facts) {
  waiting_thread_ = thread_number();
  waits_since_ns_ = monotonic_ns();
  begin_finishing(std::move(end_facts));
  return wait_until_finished();
}

void DocumentThread::begin_finishing(document::Facts end_facts) {
  if (birth_.is_inherited()) return;
  end_facts_ = std::move(end_facts);
  ask_for(Ending::finished);
}

DocumentThread::Result DocumentThread::wait_until_finished() {
  Result result;
  if (birth_.is_inherited()) {
    leave_thread();
    result.lost = "A forked process has no capture.";
    return result;
  }
  thread_.join();
  if (is_lost()) result.lost = lost_why_;
  result.document_bytes = document_->file_bytes();
  result.contents_bytes = contents_bytes_;
  document_.reset();
  return result;
}

// --- rows ---------------------------------------------------------------------------------------

// Rows of pages that the document has, and of those that it hasn't. page(i, offset, size) gives
// hash and bytes of each.
template <class Page>
void DocumentThread::write_pages(document::ContentsRow row, bool store, Page&& page) {
  const std::uint64_t offset_bytes = row.offset_bytes, size_bytes = row.size_bytes;
  contents_bytes_ += size_bytes;
  std::uint64_t begun = 0;
  const auto write_until = [&](std::uint64_t end) {
    if (begun == end && size_bytes != 0) return;
    row.offset_bytes = offset_bytes + begun;
    row.size_bytes = end - begun;
    row.pages = pages_;
    document_->add(row);
    pages_.clear();
    begun = end;
  };
  row.stored = store && !(size_bytes == 0 && at_limit_);
  pages_.clear();
  for (std::uint64_t at = 0; at < size_bytes; at += page_bytes) {
    const auto [hash, bytes] = page(at, std::min(page_bytes, size_bytes - at));
    const bool keeps = store && keep(hash, bytes);
    if (keeps != row.stored) write_until(at);
    row.stored = keeps;
    pages_.push_back(hash);
  }
  write_until(size_bytes);
}

void DocumentThread::write(ContentsMessage& message) {
  const std::span<const std::byte> all = message.block.bytes();
  write_pages({message.role,
               message.command,
               message.buffer,
               message.offset_bytes,
               all.size(),
               false,
               {},
               message.moment},
              message.store, [&](std::uint64_t at, std::uint64_t size) {
                const auto bytes = all.subspan(at, size);
                return std::pair(hash128(bytes), bytes);
              });
}

void DocumentThread::write(TakenMessage& message) {
  const TakenPages& pages = *message.pages;
  write_pages({ContentRole::input,
               message.command,
               message.buffer,
               message.offset_bytes,
               pages.size_bytes(),
               false,
               {},
               CheckMoment::command},
              message.store, [&](std::uint64_t at, std::uint64_t) {
                return std::pair(pages.hash(at / page_bytes), pages.bytes(at / page_bytes));
              });
}

// Is the page in the document now? Page by page: a buffer much larger than the limit must not be
// what exceeds it. A page that doesn't shrink counts whole.
bool DocumentThread::keep(const Hash128& hash, std::span<const std::byte> page) {
  bool is_new = false;
  if (!document_->has_blob(hash)) {
    if (page.empty() || at_limit_) return false;
    if (limit_bytes_ && document_->file_bytes() + page.size() > limit_bytes_) {
      at_limit_ = true;
      document_->add(document::NoteRow{
          monotonic_ns(), "limit",
          fmt::format("At {} bytes the document is near its limit of {}; contents from here on are "
                      "hashes only.",
                      document_->file_bytes(), limit_bytes_)});
      return false;
    }
    is_new = document_->blob(hash, page);
  }
  if (page.empty() || page.size() >= TakenPages::least_bytes) seen(hash, is_new);
  return true;
}

// New ones count for more: who asks in vain has read all of it twice.
void DocumentThread::seen(const Hash128& page, bool is_new) {
  constexpr int most = 32, new_one = 8;
  const int repeats = repeats_.load(std::memory_order_relaxed);
  repeats_.store(is_new ? std::max(repeats - new_one, 0) : std::min(repeats + 1, most),
                 std::memory_order_relaxed);
  if (is_new) stored_->insert(page);
}

void DocumentThread::write(HashesMessage& message) {
  write_pages({message.role,
               message.command,
               message.buffer,
               message.offset_bytes,
               message.size_bytes,
               false,
               {},
               message.moment},
              message.store, [&](std::uint64_t at, std::uint64_t) {
                return std::pair(message.pages[at / page_bytes], std::span<const std::byte>());
              });
}

void DocumentThread::write(CallMessage& message) {
  document_->add(document::CallRow{document_->text(message.name), message.thread, message.begin_ns,
                                   message.end_ns, no_index, message.peer, message.bytes});
}

void DocumentThread::write(RegionMessage& message) {
  document_->add(document::RegionRow{message.kind, message.number, document_->text(message.name),
                                     message.thread, message.begin_ns, message.end_ns});
}

void DocumentThread::write(GraphMessage& message) {
  for (const document::EdgeRow& edge : message.edges) document_->add(edge);
}

void DocumentThread::write(SubmissionMessage& message) {
  document_->add(document::SubmissionRow{message.first, message.count, message.stream,
                                         document_->text(message.call)});
  for (const document::BarrierRow& barrier : message.barriers) document_->add(barrier);
}

void DocumentThread::write(EntryHeader& entry, CommandLog& log) {
  const auto add = [&](document::CommandRow row) {
    row.work = log.last_work;
    document_->add(row);
  };
  if (entry.type == EntryType::bare_again) {
    log.last_work = log.last_bare_work;
    return add(reinterpret_cast<const PackedAgain&>(entry).row);
  }
  if (entry.type == EntryType::again) return add(reinterpret_cast<const PackedAgain&>(entry).row);
  if (entry.type == EntryType::known) {
    const document::CommandRow& row = reinterpret_cast<const PackedAgain&>(entry).row;
    log.last_work = log.known_works[row.work];
    return add(row);
  }
  if (entry.type == EntryType::stamps) {
    const auto& stamps = reinterpret_cast<const PackedStamps&>(entry);
    const auto* rows = reinterpret_cast<const document::StampRow*>(&stamps + 1);
    for (std::uint64_t i = 0; i < stamps.count; ++i) document_->add(rows[i]);
    return;
  }
  if (entry.type == EntryType::other_values) {
    const auto& other = reinterpret_cast<const PackedValues&>(entry);
    PackedCommand& last = *log.last_command;
    if (!log.last_without_values) {
      std::memset(last.values(), 0, last.value_bytes);
      log.last_without_values = hash128(last.what());
    }
    std::memcpy(last.values(), other.values(), other.value_bytes);
    log.last_work = works_.number_of(last, *log.last_without_values, *document_);
    return add(other.row);
  }
  auto& command = reinterpret_cast<PackedCommand&>(entry);
  log.last_command = &command;
  log.last_without_values.reset();
  log.last_work = works_.number_of(command, *document_);
  if (is_bare(command)) log.last_bare_work = log.last_work;
  if (command.row.work != no_index) log.known_works[command.row.work] = log.last_work;
  add(command.row);
}

}  // namespace reel::capture
