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

#include "base/hash128.hpp"
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
};

struct CommandRow {
  std::uint32_t id, work, stream;
  std::uint32_t launch = no_index, node = no_index;
  std::uint32_t thread;
  std::uint64_t call_begin_ns, call_end_ns;
};

struct StampRow {
  std::uint32_t command;
  std::uint64_t queued_ns, submitted_ns, started_ns, ended_ns;  // 0: not known
};

struct OrderRow {
  std::uint32_t command, stream, after;
};

struct ContentsRow {
  ContentRole role;
  std::uint32_t command, buffer;
  std::uint64_t offset_bytes, size_bytes;
  bool stored;
  std::span<const Hash128> pages;
};

struct CallRow {
  std::uint32_t name, thread;
  std::uint64_t begin_ns, end_ns;
  std::uint32_t command = no_index;
};

struct AllocationRow {
  bool freed;
  std::uint32_t buffer;
  std::uint64_t time_ns;
};

struct RegionRow {
  TraceRegion::Kind kind;
  std::uint32_t number, name, thread;
  std::uint64_t begin_ns, end_ns;
};

struct OverheadRow {
  OverheadKind kind;
  std::uint32_t thread;
  std::uint64_t begin_ns, end_ns, bytes;
};

struct ClockRow {
  std::uint32_t device;
  std::uint64_t host_ns, device_ns, error_ns;
};

struct EdgeRow {
  std::uint32_t graph, from, to;
  std::uint8_t kind;
};

struct SubmissionRow {
  std::uint32_t first, count, stream;
  std::uint32_t call;  // text: the function
};

// Ids in place of indices.
using BarrierRow = TraceBarrier;

struct NoteRow {
  std::uint64_t time_ns;
  std::string kind, text;
};

}  // namespace reel::document
