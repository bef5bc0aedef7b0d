#include "reel/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/fail.hpp"
#include "document/trace/call_list.hpp"
#include "document/trace/trace_state.hpp"

namespace reel {
namespace {

template <class Row, class Id>
std::optional<std::uint32_t> find_by_id(const std::vector<Row>& rows, Id id) {
  const auto found = std::ranges::lower_bound(rows, id, {}, &Row::id);
  if (found == rows.end() || found->id != id) return std::nullopt;
  return static_cast<std::uint32_t>(found - rows.begin());
}

}  // namespace

const char* to_string(OrderKind kind) noexcept {
  switch (kind) {
    case OrderKind::event:
      return "event";
    case OrderKind::semaphore:
      return "semaphore";
    case OrderKind::host:
      return "host";
  }
  return "?";
}

const char* to_string(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::dispatch:
      return "dispatch";
    case WorkKind::copy:
      return "copy";
    case WorkKind::fill:
      return "fill";
    case WorkKind::write:
      return "write";
    case WorkKind::read:
      return "read";
    case WorkKind::host_call:
      return "host_call";
    case WorkKind::barrier:
      return "barrier";
    case WorkKind::launch:
      return "launch";
    case WorkKind::opaque:
      return "opaque";
    case WorkKind::unknown:
      return "unknown";
  }
  return "unknown";
}

const char* to_string(ClockKind kind) noexcept {
  return kind == ClockKind::real ? "real" : "common";
}

const char* to_string(OverheadKind kind) noexcept {
  switch (kind) {
    case OverheadKind::inputs:
      return "inputs";
    case OverheadKind::checks:
      return "checks";
    case OverheadKind::waiting:
      return "waiting";
    case OverheadKind::starting:
      return "starting";
    case OverheadKind::stopping:
      return "stopping";
    case OverheadKind::commands:
      return "commands";
    case OverheadKind::writing:
      return "writing";
    case OverheadKind::reading:
      return "reading";
  }
  return "unknown";
}

const char* to_string(BufferKind kind) noexcept {
  switch (kind) {
    case BufferKind::buffer:
      return "buffer";
    case BufferKind::image:
      return "image";
    case BufferKind::svm:
      return "svm";
  }
  return "unknown";
}

const char* to_string(ContentRole role) noexcept {
  switch (role) {
    case ContentRole::input:
      return "input";
    case ContentRole::written:
      return "written";
    case ContentRole::check:
      return "check";
  }
  return "unknown";
}

const std::string& Trace::path() const { return state_->path; }
std::uint64_t Trace::file_bytes() const { return state_->file.size(); }
bool Trace::is_complete() const { return state_->is_complete; }
const std::vector<std::string>& Trace::problems() const { return state_->problems; }
const std::map<std::string, std::string>& Trace::facts() const { return state_->facts; }
const std::map<std::string, std::string>& Trace::run_facts() const { return state_->run_facts; }
const std::map<std::string, std::string>& Trace::end_facts() const { return state_->end_facts; }

const std::vector<TraceDevice>& Trace::devices() const { return state_->tables.devices; }
const std::vector<TraceStream>& Trace::streams() const { return state_->tables.streams; }
const std::vector<TraceBuffer>& Trace::buffers() const { return state_->tables.buffers; }
const std::vector<TraceKernel>& Trace::kernels() const { return state_->tables.kernels; }
const std::vector<TraceWork>& Trace::works() const { return state_->tables.works; }
const TraceCommands& Trace::commands() const { return state_->tables.commands; }
const std::vector<TraceOrder>& Trace::orders() const { return state_->tables.orders; }
const std::vector<TraceContents>& Trace::contents() const { return state_->tables.contents; }
const TraceCalls& Trace::calls() const {
  std::call_once(state_->calls_are_listed, [&] {
    const document::TraceTables& tables = state_->tables;
    state_->calls = document::list_calls(tables.commands, tables.works, tables.submissions,
                                         tables.first_kind_name, std::move(state_->recorded_calls));
  });
  return state_->calls;
}
const std::vector<TraceRegion>& Trace::regions() const { return state_->tables.regions; }
const std::vector<TraceOverhead>& Trace::overheads() const { return state_->tables.overheads; }
const std::vector<TraceEdge>& Trace::edges() const { return state_->tables.edges; }
const std::vector<TraceNote>& Trace::notes() const { return state_->tables.notes; }

const std::vector<TraceSubmission>& Trace::submissions() const {
  return state_->tables.submissions;
}
const std::vector<TraceBarrier>& Trace::barriers() const { return state_->tables.barriers; }

const std::vector<TraceClock>& Trace::clocks() const { return state_->tables.clocks; }
const std::vector<TraceInterval>& Trace::intervals() const { return state_->tables.intervals; }

namespace {

// Rows of commands that follow each other, none of which is in two of them.
template <class Row>
std::optional<std::uint32_t> row_with(const std::vector<Row>& rows, std::uint32_t command) {
  const auto after = std::ranges::upper_bound(rows, command, {}, &Row::first);
  if (after == rows.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (command - found->first >= found->count) return std::nullopt;
  return static_cast<std::uint32_t>(found - rows.begin());
}

}  // namespace

std::optional<std::uint32_t> Trace::submission_of(std::uint32_t command) const {
  return row_with(state_->tables.submissions, command);
}
std::optional<std::uint32_t> Trace::interval_of(std::uint32_t command) const {
  return row_with(state_->tables.intervals, command);
}

std::span<const TraceBarrier> Trace::barriers_of(std::uint32_t command) const {
  const auto& all = state_->tables.barriers;
  return {std::ranges::lower_bound(all, command, {}, &TraceBarrier::command),
          std::ranges::upper_bound(all, command, {}, &TraceBarrier::command)};
}

std::span<const TraceArgument> Trace::arguments(const TraceWork& work) const {
  return std::span(state_->tables.arguments).subspan(work.first_argument, work.argument_count);
}
std::span<const std::byte> Trace::value_bytes(const TraceArgument& value) const {
  if (!value.has_value()) return {};
  return std::span(state_->tables.values).subspan(value.offset_bytes, value.size_bytes);
}
std::span<const BlobId> Trace::pages(const TraceContents& contents) const {
  return std::span(state_->tables.pages).subspan(contents.first_page, contents.page_count);
}
const std::string& Trace::text(std::uint32_t id) const {
  const auto& texts = state_->tables.texts;
  return texts[id < texts.size() ? id : 0];
}

std::optional<std::uint32_t> Trace::find_buffer(BufferId id) const {
  return find_by_id(buffers(), id);
}
std::optional<std::uint32_t> Trace::find_kernel(KernelId id) const {
  return find_by_id(kernels(), id);
}
std::optional<std::uint32_t> Trace::find_stream(StreamId id) const {
  return find_by_id(streams(), id);
}

bool Trace::has_blob(const BlobId& id) const { return state_->blobs.find(id) != nullptr; }
std::uint64_t Trace::stored_bytes() const { return state_->blobs.stored_bytes(); }

std::optional<std::vector<std::byte>> Trace::blob(const BlobId& id) const {
  return state_->blobs.read(state_->file, id);
}

std::optional<std::vector<std::byte>> Trace::page(const TraceContents& contents,
                                                  std::uint32_t number) const {
  if (!contents.stored || number >= contents.page_count) return std::nullopt;
  auto bytes = state_->blobs.read(state_->file, pages(contents)[number], page_bytes);
  const std::uint64_t size =
      std::min(page_bytes, contents.size_bytes - std::uint64_t{number} * page_bytes);
  if (!bytes || bytes->size() != size) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::byte>> Trace::bytes(const TraceContents& contents) const {
  if (!contents.stored) return std::nullopt;
  std::vector<std::byte> all;
  for (std::uint32_t i = 0; i < contents.page_count; ++i) {
    const auto one = page(contents, i);
    if (!one) return std::nullopt;
    all.insert(all.end(), one->begin(), one->end());
  }
  return all;
}

std::string command_name(std::size_t index) { return fmt::format("c{}", index); }
std::string name_of(BufferId id) { return fmt::format("b{}", static_cast<std::uint32_t>(id)); }
std::string name_of(KernelId id) { return fmt::format("k{}", static_cast<std::uint32_t>(id)); }
std::string name_of(StreamId id) { return fmt::format("s{}", static_cast<std::uint32_t>(id)); }

std::string describe_command(const Trace& trace, std::uint32_t command) {
  if (command >= trace.commands().size())
    fail(Code::invalid_argument, "There is no command c{}: the document has {} commands.", command,
         trace.commands().size());
  const TraceWork& work = trace.work_of(trace.commands()[command]);
  std::string words = command_name(command);
  const std::string& label = trace.text(work.label);
  const std::string kind =
      work.kernel != no_index ? trace.kernels()[work.kernel].name : to_string(work.kind);
  if (!label.empty() && label != kind) words += fmt::format(" '{}'", label);
  words += fmt::format(" ({})", kind);
  if (const std::string& scope = trace.text(work.scope); !scope.empty()) words += " in " + scope;
  return words;
}

std::string describe_buffer(const Trace& trace, std::uint32_t buffer) {
  if (buffer >= trace.buffers().size())
    fail(Code::invalid_argument, "There is no buffer with index {}: the document has {} buffers.",
         buffer, trace.buffers().size());
  const TraceBuffer& b = trace.buffers()[buffer];
  return b.label.empty() || b.label == name_of(b.id)
             ? name_of(b.id)
             : fmt::format("{} '{}'", name_of(b.id), b.label);
}

}  // namespace reel
