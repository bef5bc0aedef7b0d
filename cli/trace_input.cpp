#include "trace_input.hpp"

#include <fmt/format.h>

#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "reel/analysis.hpp"

namespace reel::cli {
void add_trace_options(Verb verb, TraceOptions& options) {
  verb.add_option("document", options.path, "A .reel file").required().type_name("FILE");
  verb.add_flag("--json", options.json, "Print JSON: one object with schema_version 1");
}

Trace open_trace(const TraceOptions& options) {
  const Progress progress(fmt::format("Reading {}", options.path));
  Trace trace = Trace::load(options.path);
  tell_if_incomplete(trace);
  return trace;
}

void tell_if_incomplete(const Trace& trace) {
  if (trace.is_complete()) return;
  const bool holds_anything = !trace.commands().empty() || !trace.kernels().empty() ||
                              !trace.buffers().empty() || !trace.streams().empty() ||
                              !trace.devices().empty() || !trace.contents().empty() ||
                              !trace.notes().empty() || !trace.overheads().empty();
  fmt::print(stderr, "reel: {} is incomplete: {}{}\n", trace.path(),
             trace.problems().empty() ? "It was never closed." : trace.problems().front(),
             holds_anything ? fmt::format(" `reel recover {}` writes what can be read into a whole "
                                          "document.",
                                          shell_word(trace.path()))
                            : std::string());
}

void print_none(const Trace& trace, const char* what, const char* of_whole) {
  if (!analysis::was_cut(trace))
    fmt::print("{}\n", of_whole);
  else
    fmt::print("{}\n",
               wrapped(fmt::format("No {} can be read: the document is incomplete.", what)));
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
    fmt::print("{}\n", dim(hint_lines(commands[i++], widest, next.shows, terminal_columns())));
}

std::string hint_lines(const std::string& command, std::size_t widest, const std::string& shows,
                       std::size_t columns) {
  if (columns == 0 || widest + width_of(shows) + 4 <= columns)
    return fmt::format("  {:<{}}  {}", command, widest, shows);
  // A command stays in one piece, to be copied; what it shows stands below it.
  return fmt::format("  {}\n    {}", command, wrapped(shows, 4, columns, 4));
}

}  // namespace reel::cli
