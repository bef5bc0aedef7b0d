#include "capture/document_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "document/kernel_row.hpp"

namespace reel::capture {

namespace {

// How long a command may be in memory only. A program killed loses no more than this.
constexpr auto pause = std::chrono::milliseconds(50);
// So many wait no longer than they must.
constexpr std::size_t many_messages = 16'384;

// Signals are the program's affair: its handlers must not run here.
std::thread start_without_signals(auto function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(function);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), "reel-document");
  return thread;
}

}  // namespace

DocumentThread::DocumentThread(std::unique_ptr<document::DocumentWriter> document,
                               std::uint64_t limit_bytes)
    : document_(std::move(document)), limit_bytes_(limit_bytes) {
  thread_ = start_without_signals([this] { run(); });
}

DocumentThread::~DocumentThread() {
  if (thread_.joinable()) finish({});
}

void DocumentThread::push(Message message) {
  bool urgent = std::holds_alternative<ContentsMessage>(message);
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    urgent = urgent || messages_.size() == many_messages;
    urgent_ = urgent_ || urgent;
  }
  if (urgent) wake_.notify_one();  // contents hold memory that others may wait for
}

void DocumentThread::add(std::shared_ptr<CommandLog> log) {
  const std::lock_guard lock(mutex_);
  logs_.push_back(std::move(log));
}

void DocumentThread::run() {
  for (;;) {
    bool last = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, pause, [&] { return stopping_ || urgent_; });
      last = stopping_;
      urgent_ = false;
    }
    round(last);
    if (!last) continue;
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    cpu_ns_ = static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000u +
              static_cast<std::uint64_t>(cpu.tv_nsec);
    return;
  }
}

// Everything given so far. Logs are looked at before messages, and read after them: what a command
// names was told before the command.
void DocumentThread::round(bool last) {
  std::deque<Message> messages;
  std::vector<std::pair<std::shared_ptr<CommandLog>, CommandLog::Position>> logs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& log : logs_) logs.emplace_back(log, log->end());
    messages.swap(messages_);
  }
  try {
    for (Message& message : messages) {
      if (!is_lost()) std::visit([&](auto& one) { write(one); }, message);
      fresh_ = true;
    }
    messages.clear();
    for (auto& [log, end] : logs)
      log->read_until(end, [&](const EntryHeader& entry) {
        if (!is_lost()) write(entry);
        fresh_ = true;
      });
    if (fresh_ && !is_lost() && !last) document_->flush();
    fresh_ = false;
    check_limit();
  } catch (const std::exception& error) {
    lose(error.what());
  }
  // Nobody appends to a log that only we have. Its count orders nothing; letting go of a copy does,
  // after whatever the last of the others appended.
  const std::lock_guard lock(mutex_);
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

void DocumentThread::lose(std::string why) {
  const std::lock_guard lock(lost_mutex_);
  if (is_lost()) return;
  lost_why_ = std::move(why);
  lost_.store(true, std::memory_order_release);
  log(LogLevel::error, fmt::format("capture: recording ends here: {}", lost_why_));
}

void DocumentThread::check_limit() {
  if (limit_bytes_ == 0 || is_lost()) return;
  const std::uint64_t size = document_->file_bytes();
  if (size > limit_bytes_ + limit_bytes_ / 4)
    lose(fmt::format("The document has {} bytes, a quarter over its limit of {}.", size,
                     limit_bytes_));
}

DocumentThread::Result DocumentThread::finish(document::Facts end_facts) {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  Result result;
  try {
    // What is in the file stays valid after a failed write, and so may be closed if space came
    // back; a second failure says no more than the first.
    if (is_lost()) document_->add(document::NoteRow{monotonic_ns(), "lost", lost_why_});
    end_facts["complete"] = is_lost() ? lost_why_ : "yes";
    end_facts["bytes_in"] = std::to_string(contents_bytes_);
    end_facts["writer_cpu_ns"] = std::to_string(cpu_ns_);
    document_->close(end_facts);
  } catch (const std::exception& error) {
    lose(error.what());
  }
  result.document_bytes = document_->file_bytes();
  result.contents_bytes = contents_bytes_;
  result.lost = lost_why_;
  document_.reset();
  return result;
}

// --- rows ---------------------------------------------------------------------------------------

void DocumentThread::write(KernelMessage& message) {
  document_->add(document::kernel_row(*message.kernel, message.device, message.built_form));
}

void DocumentThread::write(ContentsMessage& message) {
  const std::span<const std::byte> bytes = message.block.bytes();
  contents_bytes_ += bytes.size();
  if (message.store && limit_bytes_ && !at_limit_ &&
      document_->file_bytes() + bytes.size() / 8 > limit_bytes_) {
    at_limit_ = true;
    document_->add(document::NoteRow{
        monotonic_ns(), "limit",
        fmt::format("At {} bytes the document is near its limit of {}; contents from here on are "
                    "hashes only.",
                    document_->file_bytes(), limit_bytes_)});
  }
  const bool store = message.store && !at_limit_;
  pages_.clear();
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes) {
    const auto page = bytes.subspan(at, std::min<std::size_t>(page_bytes, bytes.size() - at));
    pages_.push_back(hash128(page));
    if (store) document_->blob(pages_.back(), page);
  }
  document_->add(document::ContentsRow{message.role, message.command, message.buffer,
                                       message.offset_bytes, bytes.size(), store, pages_});
}

void DocumentThread::write(CallMessage& message) {
  document_->add(document::CallRow{document_->text(message.name), message.thread, message.begin_ns,
                                   message.end_ns});
}

void DocumentThread::write(RegionMessage& message) {
  document_->add(document::RegionRow{message.kind, message.number, document_->text(message.name),
                                     message.thread, message.begin_ns, message.end_ns});
}

void DocumentThread::write(GraphMessage& message) {
  for (const document::EdgeRow& edge : message.edges) document_->add(edge);
}

void DocumentThread::write(const EntryHeader& entry) {
  if (entry.type == EntryType::stamps) {
    const auto& stamps = reinterpret_cast<const PackedStamps&>(entry);
    const auto* rows = reinterpret_cast<const document::StampRow*>(&stamps + 1);
    for (std::uint64_t i = 0; i < stamps.count; ++i) document_->add(rows[i]);
    return;
  }
  const auto& command = reinterpret_cast<const PackedCommand&>(entry);
  document_->add(document::CommandRow{command.id, works_.number_of(command, *document_),
                                      command.stream, command.launch, command.node, command.thread,
                                      command.begin_ns, command.end_ns});
}

}  // namespace reel::capture
