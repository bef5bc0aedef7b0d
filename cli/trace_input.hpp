// trace_input.hpp - what every verb that looks into a document has in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/ids.hpp"
#include "reel/trace.hpp"

namespace reel::cli {

// The command line is wrong in a way that only shows later; exit code 2.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct TraceOptions {
  std::string path;
  bool json = false;
};
// "path" as the first argument, and --json.
void add_trace_options(Verb verb, TraceOptions& options);

// A verb with these options, to which others may be added; what it does is `run`.
template <class Options>
struct TraceVerb {
  Verb verb;
  Options& options;  // lives as long as the command line
};
template <class Options>
TraceVerb<Options> add_trace_verb(CommandLine& line, const std::string& name,
                                  const std::string& help, int (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb(name, help);
  add_trace_options(verb, *options);
  verb.action([options, run] { return run(*options); });
  return {verb, *options};
}

// Loads it. An incomplete one is told of on stderr in one line; what takes longer than a second
// shows that it works, where stderr is a terminal.
Trace open_trace(const TraceOptions& options);

using Json = nlohmann::ordered_json;
// A line on stderr where the document is not whole.
void tell_if_incomplete(const Trace& trace);
// Says that there are no `what` ("kernels"): none were recorded, or what was is not readable.
void print_none(const Trace& trace, const char* what, const char* of_whole);

Json json_of(const Trace& trace);  // schema_version and document: where every answer begins
void print_json(const Json& json);

// In quotes where a shell would need them.
std::string shell_word(const std::string& text);

// Commands that one would run next, each with what it shows. $ stands for the document.
struct Next {
  std::string command, shows;
};
void print_next(const TraceOptions& options, std::initializer_list<Next> list);
// One of them: a line, or two and more where it doesn't fit into `columns` (0: any number).
// `widest` is the width of the longest command of the list.
std::string hint_lines(const std::string& command, std::size_t widest, const std::string& shows,
                       std::size_t columns);

}  // namespace reel::cli
