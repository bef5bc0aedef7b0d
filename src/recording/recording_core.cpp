#include "recording/recording_core.hpp"

#include <fmt/format.h>

namespace reel::capture {

namespace {
// Contents on their way to the document, all together.
constexpr std::size_t memory_bytes = std::size_t{256} << 20;
}  // namespace

RecordingCore::RecordingCore(std::uint32_t capture_number, std::string document_path,
                             std::unique_ptr<DocumentThread> document, Contents which)
    : number(capture_number),
      contents(which),
      path(std::move(document_path)),
      memory_(std::make_shared<MemoryBudget>(memory_bytes)),
      ledger_(capture_number),
      owned_document_(std::move(document)),
      document_(*owned_document_) {}

RecordingCore::~RecordingCore() = default;

void RecordingCore::note(std::string kind, std::string text) noexcept {
  quietly([&] {
    document_.push(document::NoteRow{monotonic_ns(), std::move(kind), std::move(text)});
  });
}

void RecordingCore::called(std::string_view name, std::uint64_t begin_ns) noexcept {
  quietly([&] { document_.push(CallMessage{name, thread_number(), begin_ns, monotonic_ns()}); });
}

void RecordingCore::region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
                           std::uint64_t begin_ns) noexcept {
  quietly([&] {
    document_.push(
        RegionMessage{kind, region, std::string(name), thread_number(), begin_ns, monotonic_ns()});
  });
}

// --- what capture costs
// ---------------------------------------------------------------------------

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
  document_.push(document::OverheadRow{OverheadKind::checks, thread_number(), end_ns - total,
                                       end_ns, read_bytes_.exchange(0)});
}

// --- contents
// -------------------------------------------------------------------------------------

void RecordingCore::missing(const BufferResource& buffer, std::string_view why) {
  note("contents_missing", fmt::format("Contents of b{} '{}' are missing: {}.",
                                       static_cast<std::uint32_t>(buffer.id), buffer.label, why));
}

bool RecordingCore::push_hashes(ContentRole role, std::uint32_t command, const BufferRange& range,
                                std::uint64_t at, std::span<const std::byte> bytes) {
  const bool store = stores(role);
  if (store && (bytes.size() < page_bytes || !document_.sees_repeats())) return false;
  std::vector<Hash128> pages;
  for (std::size_t page = 0; page < bytes.size(); page += page_bytes) {
    pages.push_back(
        hash128(bytes.subspan(page, std::min<std::size_t>(page_bytes, bytes.size() - page))));
    if (store && !document_.has_page(pages.back())) return false;
  }
  document_.push(HashesMessage{role, command, static_cast<std::uint32_t>(range.buffer->id),
                               range.offset_bytes + at, bytes.size(), store, std::move(pages)});
  return true;
}

void RecordingCore::push_block(ContentRole role, std::uint32_t command, const BufferRange& range,
                               std::uint64_t at, Block block) {
  document_.push(ContentsMessage{role, command, static_cast<std::uint32_t>(range.buffer->id),
                                 range.offset_bytes + at, stores(role), std::move(block)});
}

// --- the end
// --------------------------------------------------------------------------------------

CaptureReport RecordingCore::close_document() {
  quietly([&] {
    add_read_time(0, 0, true);
    tell_command_time(command_ns_.exchange(0));
  });
  const std::uint32_t count = commands();
  const auto result = document_.finish(
      {{"commands", std::to_string(count)}, {"ended_ns", std::to_string(monotonic_ns())}});
  return {path, count, result.document_bytes, result.contents_bytes, result.lost};
}

}  // namespace reel::capture
