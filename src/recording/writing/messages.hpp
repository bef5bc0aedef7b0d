// messages.hpp - what the writer is told besides commands and stamps.
//
// Rows that are rare, or that own something; never something of a driver's, which would then be
// called on a thread that has none of the program's descriptors. Text that lives as long as the
// process travels as a view and gets its number from the writer.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "document/columns/rows.hpp"
#include "recording/contents/memory_budget.hpp"
#include "recording/contents/taken_pages.hpp"

namespace reel::capture {

struct ContentsMessage {
  ContentRole role;
  std::uint32_t command, buffer;
  std::uint64_t offset_bytes;
  bool store;  // the bytes too, not only their hashes
  Block block;
  CheckMoment moment = CheckMoment::command;
};

// The same of inputs that a thread of the driver has taken.
struct TakenMessage {
  std::uint32_t command, buffer;
  std::uint64_t offset_bytes;
  bool store;
  std::shared_ptr<const TakenPages> pages;
};

// The same of bytes that were not copied: nobody wants to keep them, or the document has them. The
// hashes are of its pages, from the offset on.
struct HashesMessage {
  ContentRole role;
  std::uint32_t command, buffer;
  std::uint64_t offset_bytes, size_bytes;
  bool store;
  std::vector<Hash128> pages;
  CheckMoment moment = CheckMoment::command;
};

// Bytes of a device on their way into memory of ours; contents when they are there.
struct Reading {
  ContentRole role = ContentRole::check;
  std::uint32_t command = no_index, buffer = 0;
  std::uint64_t offset_bytes = 0;
  Block block;
  // Of an image that is read whole: offset and size of what is wanted of it. Else all is.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts = {};
  std::uint32_t final_check = no_index;  // of FinalChecks; none: nobody may spoil it
  CheckMoment moment = CheckMoment::command;
  std::shared_ptr<const TakenPages> taken = {};  // of an input, with the block
};

struct CallMessage {
  std::string_view name;
  std::uint32_t thread;
  std::uint64_t begin_ns, end_ns;
  std::uint32_t peer = no_index;
  std::uint64_t bytes = 0;
};
// As reel_app.h has it: below zero, there is none.
inline std::uint32_t peer_of(int rank) {
  return rank < 0 ? no_index : static_cast<std::uint32_t>(rank);
}

struct RegionMessage {
  TraceRegion::Kind kind;
  std::uint32_t number;
  std::string name;
  std::uint32_t thread;
  std::uint64_t begin_ns, end_ns;
};

struct GraphMessage {
  std::vector<document::EdgeRow> edges;
};

// Commands that were given together, and what barriers among them ask for.
struct SubmissionMessage {
  std::uint32_t first, count, stream;
  std::string_view call;
  std::vector<document::BarrierRow> barriers;
};

// Rows of devices and kernels are large, and there are few: elsewhere, all others take half as
// much.
using Message =
    std::variant<std::unique_ptr<document::DeviceRow>, document::StreamRow, document::BufferRow,
                 std::unique_ptr<document::KernelRow>, ContentsMessage, TakenMessage, HashesMessage,
                 CallMessage, RegionMessage, GraphMessage, SubmissionMessage, document::IntervalRow,
                 document::OrderRow, document::AllocationRow, document::OverheadRow,
                 document::ClockRow, document::NoteRow>;

}  // namespace reel::capture
