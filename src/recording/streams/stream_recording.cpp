#include "recording/streams/stream_recording.hpp"

#include "base/id_number.hpp"
#include "document/columns/work_codec.hpp"
#include "graph/commands/access.hpp"

namespace reel::capture {

namespace {

// Buffers that the program let go of and whose results were not read yet.
constexpr std::uint64_t most_freed_bytes = std::uint64_t{64} << 20;

// Numbers of the process: those of the document.
struct Ids {
  std::uint32_t kernel(const KernelResource& kernel) const noexcept { return id_number(kernel.id); }
  std::uint32_t buffer(const BufferResource& buffer) const noexcept { return id_number(buffer.id); }
};

Piece piece_of(const BufferRange& range) {
  return {range.buffer, range.offset_bytes, range.size_bytes};
}

}  // namespace

StreamRecording::StreamRecording(std::uint32_t capture_number, std::string document_path,
                                 std::unique_ptr<DocumentThread> document, Contents which)
    : RecordingCore(capture_number, std::move(document_path), std::move(document), which,
                    std::chrono::seconds(5)) {}

StreamRecording::~StreamRecording() = default;

bool StreamRecording::introduce(const std::shared_ptr<RecordedStream>& stream,
                                std::uint32_t device) {
  {
    // Who cuts the capture has looked at the streams for the last time under this lock.
    const std::lock_guard lock(mutex_);
    if (!is_open()) return false;
    streams_.push_back(stream);
  }
  document_.push(document::StreamRow{id_number(stream->id), device, stream->label});
  document_.add(stream->log);
  stream->is_in_document = true;
  return true;
}

// --- one command --------------------------------------------------------------------------------

bool StreamRecording::is_settled(RecordedStream& stream, const Work& work) const noexcept {
  const auto* dispatch = std::get_if<Dispatch>(&work);
  if (!dispatch || dispatch->indirect.buffer || dispatch->predicate || contents == Contents::all)
    return false;
  if (!stream.carried.empty() || !stream.after.empty() ||
      host_waits_.has_news(stream.lanes[0].host_waits) ||
      freed_bytes_.load(std::memory_order_relaxed) > most_freed_bytes)
    return false;
  if (dispatch->kernel->recorded_in.load(std::memory_order_relaxed) != number) return false;
  for (const Argument& a : dispatch->arguments) {
    if (!a.is_memory()) continue;
    const BufferResource& buffer = *a.range.buffer;
    if (buffer.image || buffer.mapped || !ledger_.is_settled(buffer, a.access)) return false;
  }
  return true;
}

void StreamRecording::before(RecordedStream& stream, std::uint32_t id, const Work& work) {
  stream.unknown.clear();
  look_at(id, work, stream);
  place(
      stream, {id}, [] {}, [] {});
  stream.last_command() = id;
  if (contents == Contents::none) return;
  if (!stream.unknown.empty()) {
    read_pieces(stream, ContentRole::input, id, stream.unknown);
    expect_mapped(stream, stream.unknown);
    // What was there before is not what is there once it writes: till that was read, nobody knows.
    for_each_access(work, [&](const BufferRange& range, Access access) {
      if (writes(access) && range.buffer->mapped) mapped_.forget(range);
    });
  }
  if (const auto* write = std::get_if<Write>(&work)) keep_written_bytes(id, *write);
}

// What a command wrote is read at the end of the capture; here only what would be gone by then, or
// what somebody wants of every command. The host may write mapped memory as soon as it is done.
void StreamRecording::after(RecordedStream& stream, std::uint32_t id, const Work& work) {
  if (contents == Contents::none) return;
  std::vector<Piece> checks, mapped;
  if (const auto* read = std::get_if<Read>(&work)) {
    if (read->source.size_bytes && ledger_.is_device_written(read->source))
      checks.push_back(piece_of(read->source));
  } else {
    const bool is_host = std::holds_alternative<Write>(work);
    for_each_access(work, [&](const BufferRange& range, Access access) {
      if (!writes(access)) return;
      if (range.buffer->mapped) mapped.push_back(piece_of(range));
      if (!is_host && (contents == Contents::all || range.buffer->mapped))
        checks.push_back(piece_of(range));
    });
  }
  if (!checks.empty()) read_pieces(stream, ContentRole::check, id, checks);
  if (!mapped.empty()) [[unlikely]] {
    expect_mapped(stream, mapped);
    for (const Piece& piece : mapped) ledger_.settle(range_of(piece));
  }
  if (freed_bytes_.load(std::memory_order_relaxed) > most_freed_bytes) read_freed_buffers();
}

// A dispatch may leave bytes as they were; whatever else writes overwrites.
void StreamRecording::look_at(std::uint32_t id, const Work& work, RecordedStream& stream) {
  const auto* dispatch = std::get_if<Dispatch>(&work);
  for_each_access(work, [&](const BufferRange& range, Access access) {
    const bool overwrites = !dispatch && writes(access);
    if (range.buffer->mapped) [[unlikely]] {
      if (!overwrites) take_host_writes(id, range, stream.changes);
      if (writes(access)) {
        mapped_.forget(range);
        stream.changes.push_back(BufferLedger::Change::to_unknown(range));
      }
    }
    if (overwrites ? ledger_.overwrite(range, std::holds_alternative<Write>(work), &stream.changes)
                   : ledger_.use(range, access, stream.unknown, &stream.changes))
      describe(*range.buffer);
  });
  if (!dispatch) return;
  note_kernel(*dispatch->kernel);
  for (const Argument& a : dispatch->arguments)
    if (a.is_memory() && a.range.buffer->storage) note_view(*a.range.buffer);
}

std::uint32_t StreamRecording::append(RecordedStream& stream, const document::CommandRow& given,
                                      const Command& command) {
  const document::StoredSizes sizes = document::stored_sizes(command.work);
  PackedCommand* entry = reserve_command(*stream.log, id_number(stream.id), given, sizes.arguments,
                                         sizes.value_bytes, command.label.size());
  entry->scope = command.scope.key();
  document::store(command.work, Ids{}, entry->work, entry->arguments(), entry->values());
  command.label.copy(entry->label(), command.label.size());
  const std::uint32_t place = stream.works.place_of(*entry);
  const bool is_known = place != no_index && stream.works.has(place, entry->what());
  entry->row.work = place;
  if (is_known) {
    entry->header = {sizeof(PackedAgain), EntryType::known};
    stream.log->shorten(sizeof(PackedAgain));
  }
  stream.log->commit();
  return is_known ? place : no_index;
}

void StreamRecording::append_ready(RecordedStream& stream, const document::CommandRow& given,
                                   const Command& command) {
  const Dispatch& dispatch = *std::get_if<Dispatch>(&command.work);
  std::uint32_t place = stream.dispatches.find(command, dispatch, stream.works);
  if (place != no_index) [[likely]] {
    document::CommandRow row = given;
    row.work = place;
    append_again(*stream.log, id_number(stream.id), row, EntryType::known);
    return;
  }
  place = append(stream, given, command);
  if (place != no_index) stream.dispatches.keep(command, dispatch, place, stream.works);
}

// Beside what it calls, so that all of it is one piece of code: this is the hot way.
void StreamRecording::give(RecordedStream& stream, const OneCommand& one, CallMeter& meter) {
  const auto append_it = [&] {
    const document::CommandRow given{
        .id = one.id, .call_begin_ns = one.begin_ns, .call_end_ns = monotonic_ns()};
    if (one.ready)
      append_ready(stream, given, one.command);
    else
      append(stream, given, one.command);
  };
  const auto drive = [&] { stream.submit(one.given, one.id, one.ready); };
  if (is_settled(stream, one.command.work)) [[likely]]
    return give(
        stream, one.id, one.id, meter, [](auto&&) {}, append_it, drive);
  give(
      stream, one.id, one.id, meter, [&](auto&& visit) { visit(one.id, one.command.work); },
      append_it, drive);
}

void StreamRecording::leave_out(StreamId stream, const Work& work) {
  for_each_access(work, [&](const BufferRange& range, Access access) {
    if (!writes(access)) return;
    ledger_.forget(range);
    if (range.buffer->mapped) mapped_.forget(range);
    final_checks_.overwritten(range, stream);
  });
}

// --- buffers ------------------------------------------------------------------------------------

void StreamRecording::add_buffer(BufferResource& buffer) {
  if (buffer.storage)
    note_view(buffer);
  else if (ledger_.allocated(buffer))
    describe(buffer);
  if (buffer.mapped) mapped_.allocated(buffer);
  document_.push(document::AllocationRow{false, id_number(buffer.id), monotonic_ns()});
}

void StreamRecording::remove_buffer(std::unique_ptr<BufferResource> buffer) {
  document_.push(document::AllocationRow{true, id_number(buffer->id), monotonic_ns()});
  if (buffer->storage) return;
  if (buffer->mapped) mapped_.release(*buffer);
  std::vector<Piece> written = ledger_.release(*buffer);
  if (written.empty() || contents == Contents::none) return;
  freed_bytes_.fetch_add(buffer->size_bytes, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  freed_.push_back({std::move(buffer), std::move(written)});
}

}  // namespace reel::capture
