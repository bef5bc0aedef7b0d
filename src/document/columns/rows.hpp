// rows.hpp - what a DocumentWriter takes: one struct a table of docs/document-format.md.
//
// Plain values. Ids are those of the process, times as the clocks gave them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "reel/dim3.hpp"
#include "reel/parameter.hpp"
#include "reel/trace.hpp"

namespace reel::document {

struct DeviceRow {
  std::uint32_t id;
  std::string selector, backend, name, type, driver, driver_version, api_version;
  std::uint64_t memory_bytes;
  std::uint32_t compute_units;
  bool can_stamp_time;
  double stamp_resolution_ns;
  std::vector<std::string> features = {}, extensions = {};
};

struct StreamRow {
  std::uint32_t id, device;
  std::string label;
  bool ordered = true;
  std::uint32_t family = no_index;
};

struct BufferRow {
  std::uint32_t id, device;
  std::uint64_t size_bytes;
  std::string label;
  BufferKind kind = BufferKind::buffer;
  bool starts_undefined = false;
  std::optional<ImageShape> image = std::nullopt;
  BufferMemory memory = {};
};

struct VariantRow {
  KernelForm form{};
  std::vector<std::byte> text;  // becomes a blob; empty: the form has no_index
};

// The kinds of parameters that kernels have; in a file a kind is its place here.
inline constexpr std::array parameter_kinds{ArgumentKind::buffer,  ArgumentKind::value,
                                            ArgumentKind::shared,  ArgumentKind::image,
                                            ArgumentKind::sampler, ArgumentKind::opaque};

struct KernelRow {
  std::uint32_t id, device;
  std::string name, entry;
  KernelForm built_form{};
  std::vector<VariantRow> variants;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;
  std::string options;
  Dim3 group_size;
  std::vector<Parameter> parameters;
  std::string build_log, binary_hash;
  bool declared_layout = false;
  std::vector<DescriptorCount> array_counts = {};
  std::uint32_t subgroup_size = 0;
  bool full_subgroups = false;
};

// In a file, kernel, graph, label and scope are ids, and so are the buffers of arguments.
struct WorkRow : TraceWork {
  std::span<const TraceArgument> arguments = {};
  std::span<const std::byte> values = {};  // of the value arguments, one after the other
  std::uint32_t id = 0;                    // in the file
};

struct CommandRow {
  std::uint32_t id = 0, work = no_index, stream = no_index;
  std::uint32_t launch = no_index, node = no_index;
  std::uint32_t thread = 0;
  std::uint64_t call_begin_ns = 0, call_end_ns = 0;
};

struct StampRow {
  std::uint32_t command;
  std::uint64_t queued_ns, submitted_ns, started_ns, ended_ns;  // 0: not known
};

struct OrderRow {
  std::uint32_t command, stream, after;
  OrderKind kind = OrderKind::event;
  std::uint64_t stages = 0;
};

struct ContentsRow {
  ContentRole role;
  std::uint32_t command, buffer;
  std::uint64_t offset_bytes, size_bytes;
  bool stored;
  std::span<const Hash128> pages;
  CheckMoment moment = CheckMoment::unknown;
};

struct AllocationRow {
  bool freed = false;
  std::uint32_t buffer = 0;
  std::uint64_t time_ns = 0;
};

struct ClockRow {
  std::uint32_t device = 0;
  std::uint64_t host_ns = 0, device_ns = 0, error_ns = 0;
};

// In a file, names and commands are ids.
using CallRow = TraceCall;
using RegionRow = TraceRegion;
using OverheadRow = TraceOverhead;
using EdgeRow = TraceEdge;
using SubmissionRow = TraceSubmission;
using BarrierRow = TraceBarrier;
using HostClockRow = TraceClock;
using IntervalRow = TraceInterval;  // on the clock of the device

struct NoteRow {
  std::uint64_t time_ns;
  std::string kind, text;
};

}  // namespace reel::document
