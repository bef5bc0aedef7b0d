#include <algorithm>
#include <array>
#include <set>

#include "graph/json_writer.hpp"
#include "page/lists.hpp"
#include "page/row_json.hpp"

namespace reel::page {
namespace {

constexpr std::size_t work_kinds = static_cast<std::size_t>(WorkKind::unknown) + 1;

void write_facts(JsonWriter& json, const char* name,
                 const std::map<std::string, std::string>& facts) {
  json.object(name, [&] {
    for (const auto& [key, value] : facts) json.member(key, value);
  });
}

void write_time(JsonWriter& json, const char* name, bool is_known, double time) {
  json.key(name);
  is_known ? json.value(time) : json.null();
}

void write_lane(JsonWriter& json, const PageState& state, const analysis::Lane& lane) {
  write_time(json, "begin_ns", lane.timed > 0, state.time(lane.begin_ns));
  write_time(json, "end_ns", lane.timed > 0, state.time(lane.end_ns));
  json.member("busy_ns", lane.busy_ns);
  json.member("sum_ns", lane.sum_ns);
  json.member("commands", lane.commands);
  json.member("timed", lane.timed);
}

void write_devices(JsonWriter& json, const PageState& state) {
  std::size_t at = 0;
  json.array("devices", state.trace.devices(), [&](const TraceDevice& device) {
    json.object([&] {
      write_columns(json, state, device);
      write_lane(json, state, state.report.activity.devices[at++]);
    });
  });
}

void write_streams(JsonWriter& json, const PageState& state) {
  std::size_t at = 0;
  json.array("streams", state.trace.streams(), [&](const TraceStream& stream) {
    json.object([&] {
      json.member("id", name_of(stream.id));
      write_columns(json, state, stream);
      write_lane(json, state, state.report.activity.streams[at++]);
    });
  });
}

std::set<std::uint32_t> threads_of(const Trace& trace) {
  std::set<std::uint32_t> threads;
  const auto add = [&](const auto& rows) {
    std::uint32_t last = 0;
    bool is_first = true;
    for (const auto& row : rows) {
      if (is_first || row.thread != last) threads.insert(row.thread);
      last = row.thread;
      is_first = false;
    }
  };
  add(trace.commands());
  add(trace.calls());
  add(trace.regions());
  add(trace.overheads());
  return threads;
}

void write_counts(JsonWriter& json, const Trace& trace) {
  std::vector<std::uint64_t> runs(trace.works().size());
  for (const TraceCommand& command : trace.commands()) ++runs[command.work];
  std::array<std::uint64_t, work_kinds> counts{};
  for (std::size_t i = 0; i < runs.size(); ++i)
    counts[static_cast<std::size_t>(trace.works()[i].kind)] += runs[i];
  json.object("counts", [&] {
    for (std::size_t kind = 0; kind < work_kinds; ++kind)
      json.member(to_string(static_cast<WorkKind>(kind)), counts[kind]);
  });
}

void write_overheads(JsonWriter& json, const Trace& trace) {
  const auto ns = overhead_ns(trace.overheads());
  json.object("overhead_ns", [&] {
    for (std::size_t kind = 0; kind < overhead_kinds; ++kind)
      json.member(to_string(static_cast<OverheadKind>(kind)), ns[kind]);
  });
}

void write_activity(JsonWriter& json, const PageState& state) {
  const analysis::Activity& activity = state.report.activity;
  json.member("begin_ns", activity.begin_ns);
  json.member("span_ns", activity.span_ns());
  json.member("active_ns", activity.active_ns);
  json.member("busy_ns", activity.busy_ns);
  json.member("sum_ns", activity.sum_ns);
  json.member("copy_ns", activity.copy_ns);
  json.member("partly_timed", activity.is_partly_timed());
  json.object("idle_ns", [&] {
    for (std::size_t cause = 0; cause < analysis::idle_causes; ++cause)
      json.member(to_string(static_cast<analysis::IdleCause>(cause)), activity.idle_ns[cause]);
  });
  json.member("verdict", to_string(state.report.verdict));
}

void write_repeats(JsonWriter& json, const PageState& state) {
  json.array("passes", state.report.passes, [&](const analysis::Pass& pass) {
    json.object([&] {
      json.member("kind", to_string(pass.kind));
      json.member("first", pass.first);
      json.member("end", pass.end);
      json.member("begin_ns", state.time(pass.begin_ns));
      json.member("end_ns", state.time(pass.end_ns));
    });
  });
  json.array("repetitions", state.report.repetitions, [&](const analysis::Repetition& repetition) {
    json.object([&] {
      json.member("first", repetition.first);
      json.member("period", repetition.period);
      json.member("count", repetition.count);
    });
  });
}

void write_memory(JsonWriter& json, const PageState& state) {
  const analysis::Memory& memory = state.report.memory;
  json.object("memory", [&] {
    write_time(json, "peak_ns", memory.peak_bytes > 0, state.time(memory.peak_ns));
    json.member("peak_bytes", memory.peak_bytes);
    json.member("needed_at_peak_bytes", memory.needed_at_peak_bytes);
  });
}

void write_path(JsonWriter& json, const PageState& state) {
  const analysis::LongestPath& path = state.report.path;
  json.object("path", [&] {
    json.member("command_ns", path.parts.command_ns);
    json.member("behind_ns", path.parts.behind_ns);
    json.member("host_ns", path.parts.host_ns);
    json.member("delay_ns", path.parts.delay_ns);
    json.member("capture_ns", path.parts.capture_ns);
    json.member("active_ns", path.parts.sum_ns());
    json.member("span_ns", path.span_ns);
    json.array("kernel_ns", path.kernel_ns, [&](std::uint64_t ns) { json.value(ns); });
    json.array("halved", path.halved, [&](const analysis::WhatIf& half) {
      json.object([&] {
        json.member("kernel", half.kernel);
        json.member("span_ns", half.span_ns);
      });
    });
  });
}

}  // namespace

std::string summary_json(const PageState& state, const std::vector<std::string>& left_out) {
  const Trace& trace = state.trace;
  const auto sentences = [](JsonWriter& json, const char* name, const auto& list) {
    json.array(name, list, [&](const std::string& sentence) { json.value(sentence); });
  };
  JsonWriter json;
  json.object([&] {
    json.member("schema_version", 1);
    json.member("document", trace.path());
    json.member("complete", trace.is_complete());
    write_facts(json, "facts", trace.facts());
    write_facts(json, "run_facts", trace.run_facts());
    write_facts(json, "end_facts", trace.end_facts());
    sentences(json, "problems", trace.problems());
    json.array("notes", trace.notes(), [&](const TraceNote& note) {
      json.object([&] { write_columns(json, state, note); });
    });
    json.member("file_bytes", trace.file_bytes());
    json.member("stored_bytes", trace.stored_bytes());
    write_activity(json, state);
    write_counts(json, trace);
    write_devices(json, state);
    write_streams(json, state);
    json.array("threads", threads_of(trace), [&](std::uint32_t thread) { json.value(thread); });
    write_repeats(json, state);
    write_memory(json, state);
    write_path(json, state);
    write_overheads(json, trace);
    json.member("has_diff", state.has_diff);
    sentences(json, "left_out", left_out);
  });
  return std::move(json).take();
}

}  // namespace reel::page
