#include "document/trace/loading/trace_assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace reel::document {
namespace {

// By id, the first of equal ones; returns where each id is.
template <class Row>
IdIndex sort_by_id(std::vector<Row>& rows, std::string_view table, Problems& problems) {
  const auto id = [](const Row& row) { return static_cast<std::uint32_t>(row.id); };
  const auto is_none = [&](const Row& row) { return id(row) == no_index; };
  problems.left_out(table, "the number is not one that a row may have",
                    std::erase_if(rows, is_none));
  std::ranges::stable_sort(rows, {}, id);
  const auto same = [&](const Row& a, const Row& b) { return id(a) == id(b); };
  const auto end = std::unique(rows.begin(), rows.end(), same);
  problems.left_out(table, "another row has the same number",
                    static_cast<std::uint64_t>(rows.end() - end));
  rows.erase(end, rows.end());
  std::vector<std::uint32_t> ids;
  ids.reserve(rows.size());
  for (const Row& row : rows) ids.push_back(id(row));
  return IdIndex(ids);
}

// Looks up the device of each row.
template <class Row>
void find_devices(std::vector<Row>& rows, const IdIndex& devices, std::string_view table,
                  Problems& problems) {
  for (Row& row : rows) row.device = devices.find(row.device);
  problems.left_out(table, "the device is not in the document",
                    std::erase_if(rows, [](const Row& row) { return row.device == no_index; }));
}

bool is_within(std::uint64_t offset, std::uint64_t size, const TraceBuffer& buffer) {
  return offset <= buffer.size_bytes && size <= buffer.size_bytes - offset;
}

// Is this an image that such a range of a buffer has room for?
bool fits_range(const TraceBuffer& view, const TraceArgument& range) {
  return view.image && view.image->stored_bytes() <= range.size_bytes;
}

}  // namespace

TraceTables TraceAssembler::assemble() && {
  index_texts();
  index_devices();
  index_streams();
  index_buffers();
  index_kernels();
  fold_allocations();
  check_works();
  join_commands();
  check_orders();
  check_submissions();
  check_intervals();
  check_barriers();
  check_contents();
  check_edges();
  check_calls();
  sort_spans();
  if (missing_texts_ > 0)
    problems_.missing(fmt::format(
        "{} not in the document.",
        missing_texts_ == 1 ? "1 label, scope or name is"
                            : fmt::format("{} labels, scopes or names are", missing_texts_)));
  return std::move(rows_);
}

void TraceAssembler::index_texts() {
  text_index_ = IdIndex(raw_.text_ids);
  problems_.left_out("/texts", "another row has the same number", text_index_.duplicates());
}

std::uint32_t TraceAssembler::text(std::uint32_t id) {
  const std::uint32_t index = text_index_.find(id);
  if (index != no_index) return index;
  ++missing_texts_;
  return 0;
}

void TraceAssembler::index_devices() {
  device_index_ = sort_by_id(rows_.devices, "/devices", problems_);
}

void TraceAssembler::index_streams() {
  find_devices(rows_.streams, device_index_, "/streams", problems_);
  stream_index_ = sort_by_id(rows_.streams, "/streams", problems_);
}

void TraceAssembler::index_buffers() {
  find_devices(rows_.buffers, device_index_, "/buffers", problems_);
  buffer_index_ = sort_by_id(rows_.buffers, "/buffers", problems_);
}

void TraceAssembler::index_kernels() {
  find_devices(rows_.kernels, device_index_, "/kernels", problems_);
  kernel_index_ = sort_by_id(rows_.kernels, "/kernels", problems_);
  std::uint64_t missing = 0;
  for (const TraceKernel& kernel : rows_.kernels)
    for (const TraceVariant& variant : kernel.variants)
      if (variant.blob && !blobs_.find(*variant.blob)) ++missing;
  // strip --sources leaves the names: no damage.
  if (missing > 0)
    problems_.remark(fmt::format("{} of the kernels' sources {} not in the document.", missing,
                                 missing == 1 ? "is" : "are"));
}

void TraceAssembler::fold_allocations() {
  for (const AllocationRow& row : raw_.allocations) {
    const std::uint32_t index = buffer_index_.find(row.buffer);
    if (index == no_index) continue;  // a buffer that nothing uses has no row
    TraceBuffer& buffer = rows_.buffers[index];
    auto& time = row.freed ? buffer.freed_ns : buffer.allocated_ns;
    if (time)
      problems_.left_out("/allocations", "the same happened to the buffer before");
    else
      time = row.time_ns;
  }
  raw_.allocations = {};
}

// A work that doesn't fit stays where it is, so that indices hold; no command will name it.
void TraceAssembler::check_works() {
  work_index_ = IdIndex(raw_.work_ids);
  problems_.left_out("/works", "another row has the same number", work_index_.duplicates());
  work_is_whole_.assign(rows_.works.size(), true);
  const auto unknown = std::ranges::count(rows_.works, WorkKind::unknown, &TraceWork::kind);
  if (unknown > 0)
    problems_.remark(fmt::format("{} kinds of work are of a newer version of reel.", unknown));
  for (std::size_t i = 0; i < rows_.works.size(); ++i) {
    TraceWork& work = rows_.works[i];
    work.label = text(work.label);
    work.scope = text(work.scope);
    if (work.kind != WorkKind::launch) work.kernel = kernel_index_.find(work.kernel);
    bool whole = work.kind != WorkKind::dispatch || work.kernel != no_index;
    if (!whole) problems_.left_out("/works", "the kernel is not in the document");
    for (std::uint32_t a = 0; whole && a < work.argument_count; ++a) {
      TraceArgument& argument = rows_.arguments[work.first_argument + a];
      if (!argument.has_range()) continue;
      const bool is_view = argument.view != no_index;
      if (is_view) argument.view = buffer_index_.find(argument.view);
      argument.buffer = buffer_index_.find(argument.buffer);
      if (argument.buffer == no_index || (is_view && argument.view == no_index))
        problems_.left_out("/works", "a buffer is not in the document");
      else if (!is_within(argument.offset_bytes, argument.size_bytes,
                          rows_.buffers[argument.buffer]))
        problems_.left_out("/works", "a range ends past its buffer");
      else if (is_view && !fits_range(rows_.buffers[argument.view], argument))
        problems_.left_out("/works", "an image ends past the range that it is made on");
      else
        continue;
      whole = false;
    }
    if (whole && !fits_kind(work)) {
      problems_.left_out("/works", "the ranges are not those of such a command");
      whole = false;
    }
    if (!whole) {
      work = {};
      work.kind = WorkKind::unknown;
    }
    work_is_whole_[i] = whole;
  }
  raw_.work_ids = {};
}

bool TraceAssembler::fits_kind(const TraceWork& work) const {
  const TraceArgument* arguments = arguments_of(work);
  const auto is_range = [&](std::uint32_t i, Access access) {
    return arguments[i].kind == ArgumentKind::buffer && arguments[i].access == access;
  };
  const auto all = [&](auto&& fits) {
    for (std::uint32_t i = 0; i < work.argument_count; ++i)
      if (!fits(i)) return false;
    return true;
  };
  switch (work.kind) {
    case WorkKind::copy:
      return work.argument_count % 2 == 0 && all([&](std::uint32_t i) {
               return i % 2 == 0 ? is_range(i, Access::read)
                                 : is_range(i, Access::write) &&
                                       arguments[i - 1].size_bytes == arguments[i].size_bytes;
             });
    case WorkKind::fill:
      return all([&](std::uint32_t i) {
        return is_range(i, Access::write) && arguments[i].size_bytes % work.pattern_bytes == 0;
      });
    case WorkKind::write:
      return all([&](std::uint32_t i) { return is_range(i, Access::write); });
    case WorkKind::read:
      return all([&](std::uint32_t i) { return is_range(i, Access::read); });
    case WorkKind::dispatch:
    case WorkKind::host_call:
    case WorkKind::barrier:
    case WorkKind::launch:
    case WorkKind::opaque:
    case WorkKind::unknown:
      return true;
  }
  return true;
}

void TraceAssembler::check_contents() {
  constexpr std::string_view contents = "/contents";
  std::uint64_t incomplete = 0;
  std::erase_if(rows_.contents, [&](TraceContents& row) {
    row.buffer = buffer_index_.find(row.buffer);
    if (row.command != no_index && row.command >= command_count_)
      problems_.left_out(contents, "the command is not in the document");
    else if (row.buffer == no_index)
      problems_.left_out(contents, "the buffer is not in the document");
    else if (!is_within(row.offset_bytes, row.size_bytes, rows_.buffers[row.buffer]))
      problems_.left_out(contents, "the range ends past its buffer");
    else {
      const auto pages = std::span(rows_.pages).subspan(row.first_page, row.page_count);
      const auto is_here = [&](const BlobId& page) { return blobs_.find(page) != nullptr; };
      if (row.stored && !std::ranges::all_of(pages, is_here)) {
        row.stored = false;
        ++incomplete;
      }
      return false;
    }
    return true;
  });
  if (incomplete > 0)
    problems_.missing(
        fmt::format("{} contents have pages that are not in the document.", incomplete));
  // What was there at the very start comes first: none is 2^32 - 1, and one more is 0.
  std::ranges::stable_sort(rows_.contents, {},
                           [](const TraceContents& row) { return row.command + 1; });
}

void TraceAssembler::check_edges() {
  std::ranges::stable_sort(rows_.edges, {}, [](const TraceEdge& edge) {
    return std::tuple(edge.graph, edge.from, edge.to);
  });
}

}  // namespace reel::document
