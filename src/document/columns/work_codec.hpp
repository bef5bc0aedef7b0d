// work_codec.hpp - what a Command does as documents keep it, and back.
//
// The one place that knows what of a Command becomes what of a row; fields of a Dispatch that have
// the same name there go by the table of columns. Capture, saved graphs and replay go through it; a
// random Command that is stored and loaded is the same Command
// (tests/document/work_codec_test.cpp).
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "document/columns/file_columns.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/kept_command.hpp"
#include "reel/command.hpp"
#include "reel/trace.hpp"

namespace reel::document {

// --- to a row -----------------------------------------------------------------------------------

constexpr WorkKind kind_of(const Work& work) {
  return std::visit(overloaded{[](const Dispatch&) { return WorkKind::dispatch; },
                               [](const Copy&) { return WorkKind::copy; },
                               [](const Fill&) { return WorkKind::fill; },
                               [](const Write&) { return WorkKind::write; },
                               [](const Read&) { return WorkKind::read; },
                               [](const HostCall&) { return WorkKind::host_call; },
                               [](const Barrier&) { return WorkKind::barrier; }},
                    work);
}

// visit(range, access) for the ranges of what is no dispatch, also for those without bytes: a
// saved graph comes back with all of them.
template <class Visit>
void for_each_transfer(const Work& work, Visit&& visit) {
  std::visit(overloaded{[&](const Copy& copy) {
                          visit(copy.source, Access::read);
                          visit(copy.target, Access::write);
                        },
                        [&](const Fill& fill) { visit(fill.target, Access::write); },
                        [&](const Write& write) { visit(write.target, Access::write); },
                        [&](const Read& read) { visit(read.source, Access::read); },
                        [](const Dispatch&) {}, [](const HostCall&) {}, [](const Barrier&) {}},
             work);
}

struct StoredSizes {
  std::uint32_t arguments = 0, value_bytes = 0;
};

inline StoredSizes stored_sizes(const Work& work) {
  StoredSizes sizes;
  if (const auto* dispatch = std::get_if<Dispatch>(&work)) {
    sizes.arguments = static_cast<std::uint32_t>(dispatch->arguments.size()) +
                      (dispatch->indirect.buffer ? 1 : 0) + (dispatch->predicate ? 1 : 0);
    for (const Argument& a : dispatch->arguments)
      sizes.value_bytes += a.value_bytes;  // 0 but of values and samplers
  } else {
    for_each_transfer(work, [&](const BufferRange&, Access) { ++sizes.arguments; });
  }
  return sizes;
}

// Fills in `row`, but for its texts, and as many arguments and bytes of values as stored_sizes()
// says. `ids` has kernel(const KernelResource&) and buffer(const BufferResource&), numbers that the
// document knows them by.
template <class Ids>
void store(const Work& work, const Ids& ids, TraceWork& row, TraceArgument* argument,
           std::byte* value) {
  row.kind = kind_of(work);
  const auto add_range = [&](ArgumentKind kind, Access access, const BufferRange& range) {
    *argument++ = {kind, access, ids.buffer(*range.buffer), range.offset_bytes, range.size_bytes};
  };
  const auto* dispatch = std::get_if<Dispatch>(&work);
  if (!dispatch) {
    if (const auto* fill = std::get_if<Fill>(&work)) {
      row.pattern = fill->pattern;
      row.pattern_bytes = fill->pattern_bytes;
    }
    for_each_transfer(work, [&](const BufferRange& range, Access access) {
      add_range(ArgumentKind::buffer, access, range);
    });
    return;
  }
  row.kernel = ids.kernel(*dispatch->kernel);
  for_each_column<columns::works>([&](auto c) {
    if constexpr (columns::works[c].store != nullptr) columns::works[c].store(row, *dispatch);
  });
  // With groups of the driver's choice their number says nothing.
  if (!row.has_own_groups()) row.groups = unset_dim;
  const auto add_other = [&](ArgumentKind kind, std::uint64_t size_bytes) {
    *argument++ = {kind, Access::read, no_index, 0, size_bytes};
  };
  for (const Argument& a : dispatch->arguments) {
    switch (a.kind) {
      case ArgumentKind::buffer:
      case ArgumentKind::image:
        add_range(ArgumentKind::buffer, a.access, stored_range(a.range));
        if (a.range.buffer->storage) argument[-1].view = ids.buffer(*a.range.buffer);
        break;
      case ArgumentKind::value:
      case ArgumentKind::sampler:
        add_other(a.kind, a.value_bytes);
        std::memcpy(value, a.value().data(), a.value_bytes);
        value += a.value_bytes;
        break;
      case ArgumentKind::shared:
        add_other(a.kind, a.shared_bytes);
        break;
      case ArgumentKind::null:
      case ArgumentKind::indirect:
      case ArgumentKind::opaque:
      case ArgumentKind::run_if:
      case ArgumentKind::run_unless:
        add_other(a.kind, 0);
        break;
    }
  }
  if (dispatch->indirect.buffer)
    add_range(ArgumentKind::indirect, Access::read, dispatch->indirect);
  if (dispatch->predicate)
    add_range(dispatch->predicate.kind(), Access::read, dispatch->predicate.word);
}

// --- and back -----------------------------------------------------------------------------------

// What the numbers of a trace stand for now. Each throws when it has none.
class Resolver {
 public:
  virtual KernelResource* kernel(std::uint32_t index) = 0;
  virtual BufferRange range(const TraceArgument& argument) = 0;
  virtual Argument memory(const TraceArgument& argument) = 0;  // a range, an image or a view

 protected:
  ~Resolver() = default;
};

// What `command` does, as one or several: a copy of several ranges is as many. None for what needs
// something of the host's: a write, a read, a host call; and for a launch. Values lie in the trace.
std::vector<KeptCommand> load(const Trace& trace, std::uint32_t command, Resolver& resolver);
// One without work yet, with the command's label and scope.
Command load_texts(const Trace& trace, const TraceWork& work);

// --- what a file has otherwise ------------------------------------------------------------------

// A file has no items where groups are the driver's choice: there, `groups` counts items. And the
// graph of a launch stands in the column of kernels.
inline void to_file(WorkRow& work) noexcept {
  work.argument_count = static_cast<std::uint32_t>(work.arguments.size());
  if (work.kind == WorkKind::launch) work.kernel = work.graph;
  if (work.kind == WorkKind::dispatch && !work.has_own_groups())
    work.groups = std::exchange(work.items, unset_dim);
}
inline void from_file(TraceWork& work) noexcept {
  if (work.kind == WorkKind::launch) work.graph = std::exchange(work.kernel, no_index);
  if (work.kind == WorkKind::dispatch && !work.has_own_groups())
    work.items = std::exchange(work.groups, unset_dim);
}

}  // namespace reel::document
