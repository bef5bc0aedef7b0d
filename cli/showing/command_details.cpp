#include "cli/showing/command_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/showing/graph_info.hpp"
#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "reel/analysis.hpp"
#include "reel/arguments.hpp"
#include "reel/decision_tree.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

std::string buffer_text(const TraceBuffer& buffer) {
  return buffer.label.empty() ? name_of(buffer.id)
                              : fmt::format("{} '{}'", name_of(buffer.id), buffer.label);
}

// The contents that belong to a command.
std::span<const TraceContents> contents_of(const Trace& trace, std::uint32_t index) {
  const auto key = [](const TraceContents& c) { return c.command + 1; };  // of none: 0
  const auto first = std::ranges::lower_bound(trace.contents(), index + 1, {}, key);
  const auto end = std::ranges::upper_bound(trace.contents(), index + 1, {}, key);
  return {first, end};
}

std::string parameter_name(const Trace& trace, const TraceWork& work, std::size_t argument) {
  const Parameter* parameter = parameter_of(trace, work, argument);
  return parameter ? parameter->name : std::string();
}

std::optional<ElementType> element_of(const Trace& trace, const TraceWork& work,
                                      std::size_t argument) {
  const Parameter* parameter = parameter_of(trace, work, argument);
  return parameter ? parameter->element : std::nullopt;
}

void line(const char* what, const std::string& value) {
  if (!value.empty()) fmt::print("{}{}\n", dim(fmt::format("{:<10}", what)), printable(value));
}

void print_contents(const Trace& trace, std::uint32_t index) {
  using enum Table::Align;
  Table table({{"CONTENTS"}, {"BUFFER"}, {"OFFSET", right}, {"BYTES", right}, {"KEPT"}});
  for (const TraceContents& c : contents_of(trace, index))
    table.add({to_string(c.role), buffer_text(trace.buffers()[c.buffer]),
               std::to_string(c.offset_bytes), std::to_string(c.size_bytes),
               c.stored ? "bytes" : "hashes"});
  if (!table.empty()) fmt::print("\n{}", table.text());
}

// Of large values the first bytes.
std::string short_value(std::span<const std::byte> bytes, std::optional<ElementType> element) {
  constexpr std::size_t most = 32;
  if (bytes.size() <= 2 * most) return value_text(bytes, element);
  return hex_text(bytes.first(most)) + " …";
}

std::string argument_text(const Trace& trace, const TraceArgument& a,
                          std::optional<ElementType> element) {
  if (a.buffer != no_index) {
    std::string text = buffer_text(trace.buffers()[a.buffer]);
    if (a.view == no_index) return text;
    const TraceBuffer& view = trace.buffers()[a.view];
    return fmt::format("{} as {} ({})", text, buffer_text(view), memory_text(view));
  }
  const auto bytes = trace.value_bytes(a);
  if (a.kind == ArgumentKind::value) return short_value(bytes, element);
  return a.kind == ArgumentKind::sampler ? sampler_text(bytes) : std::string();
}

std::string predicate_text(const Trace& trace, const TraceArgument& word) {
  return fmt::format("where the word at byte {} of {} {} 0", word.offset_bytes,
                     describe_buffer(trace, word.buffer),
                     word.kind == ArgumentKind::run_if ? "isn't" : "is");
}

// "inout", and what was seen of it.
std::string access_text(const TraceArgument& argument, std::size_t place, const TraceWork& work,
                        const std::vector<analysis::LeftAlone>& left_alone) {
  if (argument.buffer == no_index) return {};
  std::string text = to_string(argument.access);
  if (writes(argument.access) && analysis::was_left_alone(left_alone, work, place))
    text += ", left alone";
  return text;
}

void print_arguments(const Trace& trace, const TraceWork& work) {
  using enum Table::Align;
  Table table({{"ARGUMENT", right},
               {"NAME"},
               {"KIND"},
               {"TYPE"},
               {"ACCESS"},
               {"VALUE"},
               {"OFFSET", right},
               {"BYTES", right}});
  const std::vector<analysis::LeftAlone> left_alone = analysis::find_left_alone(trace);
  const auto arguments = trace.arguments(work);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TraceArgument& a = arguments[i];
    const bool is_range = a.buffer != no_index;
    const auto element = element_of(trace, work, i);
    table.add({std::to_string(i), parameter_name(trace, work, i), to_string(a.kind),
               element ? name_of(*element) : "", access_text(a, i, work, left_alone),
               argument_text(trace, a, element), is_range ? std::to_string(a.offset_bytes) : "",
               std::to_string(a.size_bytes)});
  }
  if (!table.empty()) fmt::print("\n{}", table.text());
}

}  // namespace

std::string memory_text(const TraceBuffer& buffer) {
  if (!buffer.image) return to_string(buffer.kind);
  return fmt::format("{} {} {}", to_string(buffer.image->type), format_name(*buffer.image),
                     extent_text(*buffer.image));
}

Json image_json(const TraceBuffer& buffer) {
  if (!buffer.image) return Json();
  const ImageShape& image = *buffer.image;
  return {{"type", to_string(image.type)},
          {"format", format_name(image)},
          {"channel_order", to_string(image.channel_order)},
          {"channel_type", to_string(image.channel_type)},
          {"pixel_bytes", image.pixel_bytes},
          {"width", image.width},
          {"height", image.height},
          {"depth", image.depth},
          {"layers", image.layers},
          {"row_pitch_bytes", image.row_pitch_bytes}};
}

std::string launch_text(const TraceWork& work) {
  std::string text =
      !work.has_own_groups()
          ? fmt::format("{} items, in groups of the driver's choice", grid_text(work.items))
          : fmt::format("{} groups of {} items", grid_text(work.groups),
                        grid_text(work.group_size));
  if (work.has_own_groups() && work.items != unset_dim)
    text += fmt::format(", {} items in all", grid_text(work.items));
  if (work.offset != unset_dim)
    text += fmt::format(", from ({}, {}, {})", work.offset.x, work.offset.y, work.offset.z);
  return text;
}

std::string predicate_mark(const Trace& trace, const TraceWork& work) {
  const TraceArgument* word = predicate_of(trace, work);
  if (!word) return {};
  return fmt::format(" {} {}", word->kind == ArgumentKind::run_if ? "if" : "unless",
                     name_of(trace.buffers()[word->buffer].id));
}

std::string kind_text(const Trace& trace, const TraceWork& work) {
  return work.kind == WorkKind::opaque && holds_graph(trace) ? "decision" : to_string(work.kind);
}

std::uint64_t queue_delay_ns(const TraceCommand& command) {
  return command.queued_ns && command.started_ns > command.queued_ns
             ? command.started_ns - command.queued_ns
             : 0;
}

Json command_json(const Trace& trace, std::uint32_t index, bool all) {
  const TraceCommand& command = trace.commands()[index];
  const TraceWork& work = trace.work_of(command);
  const auto time = [](std::uint64_t ns) { return ns ? Json(ns) : Json(); };
  Json json = {{"id", command_name(index)},
               {"stream", name_of(trace.streams()[command.stream].id)},
               {"kind", kind_text(trace, work)},
               {"label", trace.text(work.label)},
               {"scope", trace.text(work.scope)}};
  json["kernel"] =
      work.kernel == no_index ? Json() : Json(name_of(trace.kernels()[work.kernel].id));
  if (work.kind == WorkKind::dispatch) {
    json["kernel_name"] = trace.kernels()[work.kernel].name;
    json["groups"] = {work.groups.x, work.groups.y, work.groups.z};
    json["group_size"] = {work.group_size.x, work.group_size.y, work.group_size.z};
    json["offset"] = {work.offset.x, work.offset.y, work.offset.z};
    json["items"] = {work.items.x, work.items.y, work.items.z};
  }
  json["launch"] = command.launch == no_index ? Json() : Json(command_name(command.launch));
  json["thread"] = command.thread;
  json["call_begin_ns"] = time(command.call_begin_ns);
  json["call_end_ns"] = time(command.call_end_ns);
  json["queued_ns"] = time(command.queued_ns);
  json["submitted_ns"] = time(command.submitted_ns);
  json["started_ns"] = time(command.started_ns);
  json["ended_ns"] = time(command.ended_ns);
  if (const auto interval = trace.interval_of(index)) {
    const TraceInterval& together = trace.intervals()[*interval];
    json["together"] = {{"first", command_name(together.first)},
                        {"count", together.count},
                        {"begin_ns", together.begin_ns},
                        {"end_ns", together.end_ns}};
  }
  if (!all) return json;

  if (command.launch != no_index) json["node"] = command.node;
  if (work.kind == WorkKind::launch) json["graph"] = work.graph;
  if (work.kind == WorkKind::fill) {
    json["pattern"] = work.pattern;
    json["pattern_bytes"] = work.pattern_bytes;
  }
  json["arguments"] = Json::array();
  const std::vector<analysis::LeftAlone> left_alone = analysis::find_left_alone(trace);
  const auto arguments = trace.arguments(work);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TraceArgument& a = arguments[i];
    Json row = {{"name", parameter_name(trace, work, i)},
                {"kind", to_string(a.kind)},
                {"size_bytes", a.size_bytes}};
    if (const auto element = element_of(trace, work, i)) row["element"] = name_of(*element);
    if (a.buffer != no_index) {
      row["access"] = to_string(a.access);
      if (writes(a.access)) row["left_alone"] = analysis::was_left_alone(left_alone, work, i);
      row["buffer"] = name_of(trace.buffers()[a.buffer].id);
      row["offset_bytes"] = a.offset_bytes;
    }
    if (a.view != no_index) row["view"] = name_of(trace.buffers()[a.view].id);
    if (a.has_value()) row["value"] = hex_text(trace.value_bytes(a));
    json["arguments"].push_back(row);
  }
  json["after"] = Json::array();
  for (const TraceOrder& order : trace.orders())
    if (order.command == index) json["after"].push_back(command_name(order.after));
  json["contents"] = Json::array();
  for (const TraceContents& c : contents_of(trace, index))
    json["contents"].push_back({{"role", to_string(c.role)},
                                {"buffer", name_of(trace.buffers()[c.buffer].id)},
                                {"offset_bytes", c.offset_bytes},
                                {"size_bytes", c.size_bytes},
                                {"stored", c.stored}});
  return json;
}

void print_command(const Trace& trace, std::uint32_t index, const TraceOptions& options) {
  const TraceCommand& command = trace.commands()[index];
  const TraceWork& work = trace.work_of(command);
  const TraceStream& stream = trace.streams()[command.stream];
  fmt::print("{}  {} {}\n", bold(command_name(index)), kind_text(trace, work),
             printable(title_of(trace, work)));
  line("scope", trace.text(work.scope));
  line("stream", stream.label.empty() ? name_of(stream.id)
                                      : fmt::format("{} '{}'", name_of(stream.id), stream.label));
  line("device", trace.devices()[stream.device].name);
  if (work.kernel != no_index) {
    const TraceKernel& kernel = trace.kernels()[work.kernel];
    line("kernel", fmt::format("{} '{}'", name_of(kernel.id), kernel.name));
  }
  if (work.kind == WorkKind::dispatch) line("grid", launch_text(work));
  if (const TraceArgument* word = predicate_of(trace, work))
    line("runs", predicate_text(trace, *word));
  if (work.kind == WorkKind::fill)
    line("pattern", fmt::format("0x{:0{}x}", work.pattern, 2 * work.pattern_bytes));
  if (command.launch != no_index)
    line("launch", fmt::format("node {} of {}", command.node, command_name(command.launch)));
  if (const std::uint32_t region = analysis::regions_of_commands(trace)[index];
      region != no_index && std::ranges::any_of(trace.regions(), &TraceRegion::is_decision))
    line("decided", analysis::RegionTitles(trace).path(region));
  for (const TraceOrder& order : trace.orders())
    if (order.command == index) line("after", command_name(order.after));

  const std::uint64_t origin = analysis::find_span(trace).begin_ns;
  const auto at = [&](std::uint64_t ns) {
    return ns < origin || ns == 0 ? "not known" : time_text(ns - origin);
  };
  line("call",
       command.call_begin_ns == 0
           ? "not known"
           : fmt::format("{}, for {} on thread {}", at(command.call_begin_ns),
                         time_text(command.call_end_ns - command.call_begin_ns), command.thread));
  line("queued", at(command.queued_ns));
  line("submitted", at(command.submitted_ns));
  if (const auto interval = trace.interval_of(index)) {
    const TraceInterval& together = trace.intervals()[*interval];
    line("ran", fmt::format("within {} from {} on, timed together with {} to {}",
                            time_text(together.size_ns()), at(together.begin_ns),
                            command_name(together.first),
                            command_name(together.first + together.count - 1)));
  } else {
    line("started", at(command.started_ns));
    line("ended", at(command.ended_ns));
  }
  if (command.has_run_times()) line("ran", time_text(command.run_ns()));
  print_arguments(trace, work);
  print_contents(trace, index);

  const std::string id = command_name(index);
  for (const TraceArgument& a : trace.arguments(work))
    if (a.buffer != no_index && writes(a.access))
      return print_next(
          options,
          {{fmt::format("reel buffer $ {} --at {}", name_of(trace.buffers()[a.buffer].id), id),
            "what it held afterwards"}});
  print_next(options, {{"reel commands $", "all commands"}});
}

}  // namespace reel::cli
