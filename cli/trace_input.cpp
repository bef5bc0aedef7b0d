#include "trace_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <reel/error.hpp>

#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"

namespace reel::cli {
namespace {

std::uint32_t parse_id(const std::string& id, char letter, const char* what) {
  std::uint32_t number = 0;
  const char* end = id.data() + id.size();
  if (id.size() > 1 && id[0] == letter) {
    const auto [stop, error] = std::from_chars(id.data() + 1, end, number);
    if (error == std::errc{} && stop == end) return number;
  }
  throw Misuse(fmt::format("'{}' is not the id of a {}; ids of {}s are written {}0, {}1, …", id,
                           what, what, letter, letter));
}

// "b1, b2, b5", or the first few of them.
template <class Rows>
std::string ids_of(const Rows& rows) {
  std::string list;
  for (std::size_t i = 0; i < rows.size() && i < 8; ++i)
    list += (i ? ", " : "") + name_of(rows[i].id);
  return rows.size() > 8 ? fmt::format("{}, … {}", list, name_of(rows.back().id)) : list;
}

template <class Rows>
std::uint32_t found_or_fail(std::optional<std::uint32_t> index, const std::string& id,
                            const char* what, const Rows& rows) {
  if (index) return *index;
  throw Error(Code::invalid_argument,
              rows.empty() ? fmt::format("There is no {} '{}': the document has none.", what, id)
                           : fmt::format("There is no {} '{}'; the document has {}.", what, id,
                                         ids_of(rows)));
}

}  // namespace

void add_trace_options(Verb verb, TraceOptions& options) {
  verb.add_option("document", options.path, "A .reel file").required().type_name("FILE");
  verb.add_flag("--json", options.json, "Print JSON: one object with schema_version 1");
}

Trace open_trace(const TraceOptions& options) {
  const Progress progress(fmt::format("Reading {}", options.path));
  Trace trace = Trace::load(options.path);
  if (!trace.is_complete())
    fmt::print(stderr, "reel: {} is incomplete: {}\n", options.path,
               trace.problems().empty() ? "It was never closed." : trace.problems().front());
  return trace;
}

std::uint32_t parse_command(const Trace& trace, const std::string& id) {
  const std::uint32_t index = parse_id(id, 'c', "command");
  if (index < trace.commands().size()) return index;
  throw Error(Code::invalid_argument,
              trace.commands().empty()
                  ? fmt::format("There is no command '{}': the document has none.", id)
                  : fmt::format("There is no command '{}'; the document has c0 to {}.", id,
                                command_name(trace.commands().size() - 1)));
}

std::uint32_t parse_buffer(const Trace& trace, const std::string& id) {
  return found_or_fail(trace.find_buffer(BufferId{parse_id(id, 'b', "buffer")}), id, "buffer",
                       trace.buffers());
}

std::uint32_t parse_kernel(const Trace& trace, const std::string& id) {
  return found_or_fail(trace.find_kernel(KernelId{parse_id(id, 'k', "kernel")}), id, "kernel",
                       trace.kernels());
}

std::uint32_t parse_stream(const Trace& trace, const std::string& id) {
  return found_or_fail(trace.find_stream(StreamId{parse_id(id, 's', "stream")}), id, "stream",
                       trace.streams());
}

std::string title_of(const Trace& trace, const TraceWork& work) {
  const std::string& label = trace.text(work.label);
  if (!label.empty() || work.kernel == no_index) return label;
  return trace.kernels()[work.kernel].name;
}

Json json_of(const Trace& trace) {
  return {{"schema_version", 1}, {"document", trace.path()}, {"complete", trace.is_complete()}};
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./=:,@%+") == std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void print_json(const Json& json) {
  // A path may hold any bytes; those that aren't UTF-8 are replaced, not fatal.
  fmt::print("{}\n",
             printable_json(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void print_next(const TraceOptions& options, std::initializer_list<Next> list) {
  std::vector<std::string> commands;
  std::size_t widest = 0;
  for (const Next& next : list) {
    std::string command = next.command;
    if (const auto at = command.find('$'); at != std::string::npos)
      command.replace(at, 1, shell_word(options.path));
    command = printable(command);
    widest = std::max(widest, command.size());
    commands.push_back(std::move(command));
  }
  fmt::print("\n");
  std::size_t i = 0;
  for (const Next& next : list)
    fmt::print("{}\n", dim(fmt::format("  {:<{}}  {}", commands[i++], widest, next.shows)));
}

}  // namespace reel::cli
