#include "recording/recording_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace reel::capture {

namespace {
// Contents on their way to the document, all together.
constexpr std::size_t memory_bytes = std::size_t{256} << 20;
}  // namespace

RecordingCore::RecordingCore(std::uint32_t capture_number, std::string document_path,
                             std::unique_ptr<DocumentThread> document, Contents which,
                             std::chrono::milliseconds patience)
    : number(capture_number),
      contents(which),
      path(std::move(document_path)),
      memory_(std::make_shared<MemoryBudget>(memory_bytes)),
      ledger_(capture_number),
      patience_(patience),
      owned_document_(std::move(document)),
      document_(*owned_document_) {}

RecordingCore::~RecordingCore() = default;

void RecordingCore::note(std::string kind, std::string text) noexcept {
  quietly([&] {
    document_.push(document::NoteRow{monotonic_ns(), std::move(kind), std::move(text)});
  });
}

void RecordingCore::called(std::string_view name, std::uint64_t begin_ns) noexcept {
  quietly([&] { document_.push_ending(CallMessage{name, thread_number(), begin_ns, 0}); });
}

void RecordingCore::foreign_call(const CallMessage& call) noexcept {
  quietly([&] { document_.push(call); });
}

void RecordingCore::region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
                           std::uint64_t begin_ns) noexcept {
  this->region(kind, region, name, begin_ns, monotonic_ns());
}

void RecordingCore::region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
                           std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  quietly([&] {
    document_.push(
        RegionMessage{kind, region, std::string(name), thread_number(), begin_ns, end_ns});
  });
}

// --- order --------------------------------------------------------------------------------------

void RecordingCore::note_crowded() {
  note("order", fmt::format("A queue without order had more than {} commands under way at once; "
                            "some are shown in an order that they did not have.",
                            Lanes::most));
}

void RecordingCore::add_orders(QueueLog& queue, Lane& lane, std::uint32_t command) {
  std::vector<std::uint32_t>& after = queue.after;
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const auto push = [&](std::uint32_t one, OrderKind kind, std::uint64_t stages = 0) {
    document_.push(document::OrderRow{command, lane.stream, one, kind, stages});
  };
  for (const std::uint32_t one : after) {
    if (queue.is_ordered) {
      if (one != lane.last_command) push(one, OrderKind::event);
      continue;
    }
    bool is_staged = false;
    for (const QueueLog::StagedWait& wait : queue.staged) {
      if (wait.after != one) continue;
      push(one, OrderKind::semaphore, wait.stages);
      is_staged = true;
    }
    if (!is_staged) push(one, OrderKind::semaphore);  // of a submission without commands
  }
  if (host_waits_.has_news(lane.host_waits)) {
    std::vector<std::uint32_t> seen;
    host_waits_.catch_up(
        lane.host_waits, lane.stream, command, !queue.is_ordered,
        [&](std::uint32_t stream, std::uint32_t one) {
          push(one, OrderKind::host);
          if (stream != lane.stream && !std::binary_search(after.begin(), after.end(), one))
            seen.push_back(one);
        });
    polled_.given(command, seen);
  }
  after.clear();
  queue.staged.clear();
}

void RecordingCore::note_refused(const BufferLedger::Changes& changes, std::uint32_t first,
                                 std::uint32_t last, std::string_view why) {
  for (std::uint32_t id = first; id <= last; ++id)
    note("refused", fmt::format("c{} was refused: {}", id, why));
  ledger_.undo(changes);
}

// --- what capture costs -------------------------------------------------------------------------

void RecordingCore::overhead(OverheadKind kind, std::uint64_t begin_ns, std::uint64_t bytes) {
  document_.push(document::OverheadRow{kind, thread_number(), begin_ns, monotonic_ns(), bytes});
}

void RecordingCore::spent(std::uint64_t begin_ns, std::uint64_t bytes) noexcept {
  quietly([&] { overhead(OverheadKind::inputs, begin_ns, bytes); });
}

void RecordingCore::add_command_time(std::uint64_t ns) noexcept {
  constexpr std::uint64_t row_ns = 10'000'000;
  if (command_ns_.fetch_add(ns, std::memory_order_relaxed) + ns < row_ns) return;
  quietly([&] { tell_command_time(command_ns_.exchange(0, std::memory_order_relaxed)); });
}

void RecordingCore::tell_command_time(std::uint64_t ns) {
  const std::uint64_t end_ns = monotonic_ns();
  if (ns > 0)
    document_.push(
        document::OverheadRow{OverheadKind::commands, thread_number(), end_ns - ns, end_ns, 0});
}

void RecordingCore::add_read_time(std::uint64_t ns, std::uint64_t bytes, bool now) {
  constexpr std::uint64_t row_ns = 1'000'000;
  read_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (read_ns_.fetch_add(ns, std::memory_order_relaxed) + ns < row_ns && !now) return;
  const std::uint64_t total = read_ns_.exchange(0, std::memory_order_relaxed);
  if (total == 0) return;
  const std::uint64_t end_ns = monotonic_ns();
  document_.push(document::OverheadRow{OverheadKind::reading, thread_number(), end_ns - total,
                                       end_ns, read_bytes_.exchange(0)});
}

// --- contents -----------------------------------------------------------------------------------

void RecordingCore::missing(const BufferResource& buffer, std::string_view why) {
  note("contents_missing", fmt::format("Contents of b{} '{}' are missing: {}.",
                                       static_cast<std::uint32_t>(buffer.id), buffer.label, why));
}

std::optional<Block> RecordingCore::take_memory(std::uint64_t size_bytes, QueueLog* queue) {
  auto block = memory_->try_take(size_bytes);
  if (block) out_of_patience_.store(false, std::memory_order_relaxed);
  // Who waited in vain before doesn't wait again until something was freed: a program may hold
  // the device up until it gets on itself, and must not pay for each of its commands.
  if (block || out_of_patience_.load(std::memory_order_relaxed)) return block;
  const std::uint64_t begin_ns = monotonic_ns();
  const auto begin = std::chrono::steady_clock::now();
  while (!block && !document_.is_lost() && std::chrono::steady_clock::now() - begin < patience_) {
    if (!keep_waiting(queue)) break;
    memory_->wait_for_room(std::chrono::milliseconds(2));
    block = memory_->try_take(size_bytes);
  }
  if (!block) out_of_patience_.store(true, std::memory_order_relaxed);
  overhead(OverheadKind::waiting, begin_ns, size_bytes);
  return block;
}

bool RecordingCore::push_bytes(ContentRole role, std::uint32_t command, const BufferRange& range,
                               ByteSource& bytes, CheckMoment moment) {
  for (std::uint64_t at = 0; at < range.size_bytes; at += piece_bytes) {
    const std::uint64_t size = std::min(piece_bytes, range.size_bytes - at);
    const std::byte* lent = bytes.lend(size);
    if (lent && push_hashes(role, command, range, at, {lent, size}, moment)) continue;
    auto block = take_memory(size);
    if (!block) {
      missing(*range.buffer, "no memory was free in time to copy them");
      return false;
    }
    if (lent)
      std::memcpy(block->bytes().data(), lent, size);
    else
      bytes.take(block->bytes());
    push_block(role, command, range, at, std::move(*block), moment);
  }
  return true;
}

void RecordingCore::host_wrote(std::uint32_t command, const BufferRange& range,
                               const std::byte* bytes, BufferLedger::Changes& changes) {
  BoxSource source(bytes, line(range.size_bytes));
  const std::uint64_t begin_ns = monotonic_ns();
  push_bytes(ContentRole::input, command, range, source);
  if (range.size_bytes >= page_bytes) overhead(OverheadKind::inputs, begin_ns, range.size_bytes);
  ledger_.overwrite(range, true);
  changes.push_back(BufferLedger::Change::to_unknown(range));
}

void RecordingCore::arrived(Reading& reading) {
  const auto push = [&](std::uint64_t offset, Block block) {
    document_.push(ContentsMessage{reading.role, reading.command, reading.buffer, offset,
                                   stores(reading.role), std::move(block), reading.moment});
  };
  if (reading.final_check != no_index && final_checks_.is_spoiled(reading.final_check)) {
    note_spoiled(final_checks_.piece(reading.final_check));
  } else if (reading.taken && reading.taken->are_there()) {
    document_.push(TakenMessage{reading.command, reading.buffer, reading.offset_bytes,
                                stores(reading.role), std::move(reading.taken)});
  } else if (reading.taken) {
    note("contents_missing",
         fmt::format("Contents of b{} are missing: no memory was free to take them, or the device "
                     "failed before.",
                     reading.buffer));
  } else if (reading.parts.empty()) {
    push(reading.offset_bytes, std::move(reading.block));
  } else {
    for (const auto& [offset, size] : reading.parts) {
      auto block = take_memory(size);
      if (!block) {
        note("contents_missing", "Contents of an image are missing: no memory was free in time.");
        continue;
      }
      std::memcpy(block->bytes().data(), reading.block.bytes().data() + offset, size);
      push(offset, std::move(*block));
    }
  }
}

void RecordingCore::note_spoiled(const Piece& piece) {
  missing(*piece.buffer, "work that is not in the capture wrote them before they could be read");
}

std::vector<Hash128> RecordingCore::page_hashes(std::span<const std::byte> bytes) {
  std::vector<Hash128> pages;
  for (std::size_t page = 0; page < bytes.size(); page += page_bytes)
    pages.push_back(
        hash128(bytes.subspan(page, std::min<std::size_t>(page_bytes, bytes.size() - page))));
  return pages;
}

bool RecordingCore::push_hashes(ContentRole role, std::uint32_t command, const BufferRange& range,
                                std::uint64_t at, std::span<const std::byte> bytes,
                                CheckMoment moment) {
  const bool store = stores(role);
  if (store && (bytes.size() < page_bytes || !document_.sees_repeats())) return false;
  std::vector<Hash128> pages;
  for (std::size_t page = 0; page < bytes.size(); page += page_bytes) {
    pages.push_back(
        hash128(bytes.subspan(page, std::min<std::size_t>(page_bytes, bytes.size() - page))));
    if (store && !document_.stored_pages()->contains(pages.back())) return false;
  }
  document_.push(HashesMessage{role, command, static_cast<std::uint32_t>(range.buffer->id),
                               range.offset_bytes + at, bytes.size(), store, std::move(pages),
                               moment});
  return true;
}

void RecordingCore::push_block(ContentRole role, std::uint32_t command, const BufferRange& range,
                               std::uint64_t at, Block block, CheckMoment moment) {
  document_.push(ContentsMessage{role, command, static_cast<std::uint32_t>(range.buffer->id),
                                 range.offset_bytes + at, stores(role), std::move(block), moment});
}

// --- the end ------------------------------------------------------------------------------------

document::Facts RecordingCore::tell_end(document::Facts end_facts) {
  quietly([&] {
    add_read_time(0, 0, true);
    tell_command_time(command_ns_.exchange(0));
    if (std::string sentence = polled_.sentence(); !sentence.empty())
      note("polled_order", std::move(sentence));
  });
  end_facts["commands"] = std::to_string(commands());
  end_facts["ended_ns"] = std::to_string(monotonic_ns());
  return end_facts;
}

CaptureReport RecordingCore::close_document(document::Facts end_facts) {
  const auto result = document_.finish(tell_end(std::move(end_facts)));
  return {path, commands(), result.document_bytes, result.contents_bytes, result.lost};
}

std::shared_ptr<EndingDocument> RecordingCore::end_document() {
  document_.begin_finishing(tell_end({}));
  return std::make_shared<EndingDocument>(std::move(owned_document_),
                                          CaptureReport{path, commands(), 0, 0, {}});
}

}  // namespace reel::capture
