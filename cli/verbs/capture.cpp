// capture.cpp - `reel capture`: runs a program, and keeps its OpenCL and Vulkan work in a document.
#include <fmt/format.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <reel/error.hpp>

#include "cli/running/captured_run.hpp"
#include "cli/running/executable.hpp"
#include "cli/running/foreground_program.hpp"
#include "cli/running/launch_listener.hpp"
#include "cli/running/layer_library.hpp"
#include "cli/running/output_place.hpp"
#include "cli/showing/capture_summary.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "layers/control/settings.hpp"
#include "layers/launching/clock_server.hpp"
#include "layers/launching/given_facts.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::string out, json, clocks;
  bool overwrite = false, quiet = false, trigger = false, mpi = false;
  std::vector<std::string> facts;
  std::map<std::string, std::string> variables;  // what the options say, as the layer reads it
  std::vector<std::string> command;
};

struct VariableOption {
  const char *option, *variable, *value, *help;
};
// The layer reads these; what is wrong with one is found out by the layer's own reader.
constexpr VariableOption variable_options[] = {
    {"--first", "REEL_CAPTURE_FIRST", "N", "Capture the first N commands"},
    {"--commands", "REEL_CAPTURE_COMMANDS", "A-B",
     "Capture only these commands, counted over all queues from 0: 500-520"},
    {"--submits", "REEL_CAPTURE_SUBMITS", "A-B",
     "Capture only these submissions of Vulkan, counted over all queues from 0: 10-20"},
    {"--kernel", "REEL_CAPTURE_KERNEL", "NAME",
     "Capture only dispatches of these kernels: part of a name, or a pattern with * and ?"},
    {"--after", "REEL_CAPTURE_AFTER", "TIME",
     "Start this long after the first call of OpenCL or Vulkan: 2, 0.5, 250ms"},
    {"--for", "REEL_CAPTURE_FOR", "TIME", "Stop this long after the start"},
    {"--last", "REEL_CAPTURE_LAST", "TIME",
     "Keep the end of the run: the last segment of at most this length, and the one before it"},
    {"--contents", "REEL_CAPTURE_CONTENTS", "WHAT",
     "Buffer contents to keep: none, hashes, inputs (what a replay needs; the default), all"},
    {"--stamps", "REEL_CAPTURE_STAMPS", "WHERE",
     "Timestamps of Vulkan: none, submits, auto (and at barriers that enough work lies before; the "
     "default), barriers (all), dispatches (each; slows small ones)"},
    {"--limit", "REEL_CAPTURE_LIMIT", "SIZE",
     "Beyond this size, keep contents as hashes only: 500M, 2Gi"},
};

// Whether the word after this option is its value.
bool takes_value(const std::string& option) {
  if (option == "-o" || option == "--output" || option == "--json" || option == "--fact" ||
      option == "--clocks")
    return true;
  for (const VariableOption& one : variable_options)
    if (option == one.option) return true;
  return false;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// The sentence is about variables; the user typed options.
std::string about_options(std::string sentence) {
  const auto rename = [&](const std::string& variable, const std::string& option) {
    replace_all(sentence, variable + "=", option + " ");
    replace_all(sentence, variable, option);
  };
  for (const VariableOption& one : variable_options) rename(one.variable, one.option);
  rename("REEL_CAPTURE_TRIGGER", "--trigger");
  rename("REEL_CAPTURE_FACTS", "--fact");
  return sentence;
}

// What the program finds in its environment; what is wrong with it is a Misuse.
std::map<std::string, std::string> variables_of(const Options& options, const std::string& path) {
  std::map<std::string, std::string> variables = options.variables;
  variables["REEL_LAYER_CAPTURE"] = path;
  variables["REEL_CAPTURE_ENABLED"] = "1";
  if (options.trigger) variables["REEL_CAPTURE_TRIGGER"] = "1";
  try {
    if (!options.facts.empty())
      variables["REEL_CAPTURE_FACTS"] = layer::facts_variable(options.facts);
  } catch (const Error& error) {
    throw Misuse(error.what());
  }
  std::string problem;
  static_cast<void>(layer::read_settings(
      [&](const char* name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : found->second;
      },
      problem));
  if (!problem.empty()) throw Misuse(about_options(problem));
  return variables;
}

// With --clocks rank 0 answers, from here on until the others have asked for the last time; every
// other rank is told whom to ask.
std::unique_ptr<layer::ClockServer> clocks_of(const Options& options,
                                              std::map<std::string, std::string>& variables) {
  if (options.clocks.empty()) return nullptr;
  const auto rank = layer::given_rank(options.facts);
  if (!rank)
    throw Misuse(
        "--clocks compares the clocks of ranks, and this process has no rank. Start it by mpirun, "
        "srun or torchrun, or tell the rank by --fact rank=0.");
  if (*rank == "0") return std::make_unique<layer::ClockServer>(options.clocks);
  variables["REEL_CAPTURE_CLOCKS"] = layer::numeric_address(options.clocks);
  return nullptr;
}

ForegroundOptions launch_of(const Options& options, const std::map<std::string, std::string>& set,
                            const std::string& layer, const LaunchListener& listener) {
  ForegroundOptions launch;
  launch.command = options.command;
  launch.ignores_usr2 = options.trigger;
  launch.environment = {
      {"REEL_LAYER_LAUNCHER", listener.name()},
      // Two captures of the same work would only be in each other's way.
      {"REEL_CAPTURE", std::nullopt},
      // An old document is replaced afterwards; a second process of this run must not replace the
      // first's.
      {"REEL_CAPTURE_OVERWRITE", std::nullopt},
      {"REEL_CAPTURE_TRIGGER", std::nullopt},
      {"REEL_CAPTURE_CLOCKS", std::nullopt},
  };
  for (auto& [name, value] : layer_variables(layer)) launch.environment.emplace_back(name, value);
  if (options.mpi) launch.environment.emplace_back("LD_PRELOAD", with_mpi_libraries(layer));
  // Options, or their absence, win over what the caller's environment has.
  for (const VariableOption& one : variable_options)
    launch.environment.emplace_back(one.variable, std::nullopt);
  for (const auto& [name, value] : set) launch.environment.emplace_back(name, value);
  return launch;
}

// While it runs, with --trigger: what triggers do.
void tell_live(const LaunchMessage& message) {
  if (message.kind == "call")
    fmt::print(stderr, "reel: process {} waits for `reel trigger {}`, or for SIGUSR2\n",
               message.process, message.process);
  if (message.kind == "begin")
    fmt::print(stderr, "reel: capturing process {} to {}\n", message.process,
               printable(shown_path(message.field(0))));
  if (message.kind == "end")
    fmt::print(stderr, "reel: stopped, {} in {}\n",
               count_text(std::strtoull(message.field(1).c_str(), nullptr, 10), "command"),
               printable(shown_path(message.field(0))));
  if (message.kind == "refused") fmt::print(stderr, "reel: {}\n", printable(message.field(0)));
}

// Why there is no document, or none with a command in it, in sentences; none where that says all.
std::vector<std::string> why_nothing(const Options& options, const CapturedRun& run) {
  const auto given = [&](const char* variable) {
    const auto found = options.variables.find(variable);
    return found == options.variables.end() ? std::string() : found->second;
  };
  if (!run.documents().empty()) {
    for (const CapturedDocument& document : run.documents())
      if (document.commands > 0 || document.is_still_written) return {};
    const std::string kernel = given("REEL_CAPTURE_KERNEL");
    if (kernel.empty()) return {};
    return {fmt::format("--kernel '{}' names none of the kernels that were dispatched.", kernel)};
  }
  if (!run.refusals().empty()) return run.refusals();
  if (!run.is_loaded() && !run.has_called()) {
    const std::string path = find_program(options.command.front());
    if (std::string reason = path.empty() ? "" : why_no_layer(path); !reason.empty())
      return {std::move(reason)};
    return {
        "The program made no call of OpenCL or Vulkan, or there is no driver (`reel devices` "
        "tells), or it doesn't use a loader that knows layers: ocl-icd does from 2.3 on, and those "
        "of Khronos; "
        "a driver's own libOpenCL.so does not. A program of Reel's own library captures itself: "
        "REEL_CAPTURE_ENABLED=1 REEL_CAPTURE=pass.reel."};
  }
  if (!run.has_called()) return {"The program loaded OpenCL or Vulkan, and made no call of it."};
  if (options.trigger) return {"Nobody pulled the trigger: `reel trigger PID` begins a capture."};
  if (const std::string commands = given("REEL_CAPTURE_COMMANDS"); !commands.empty())
    return {fmt::format("Commands {} were to be captured, and the program gave {}.", commands,
                        count_text(run.commands_seen(), "command"))};
  if (const std::string submits = given("REEL_CAPTURE_SUBMITS"); !submits.empty())
    return {
        fmt::format("Submissions {} were to be captured, and the program gave fewer.", submits)};
  if (const std::string after = given("REEL_CAPTURE_AFTER"); !after.empty())
    return {fmt::format("The program ended before --after {} had passed.", after)};
  return {"The program ended before it could be told of a document."};
}

int run(const Options& options) {
  if (options.command.empty())
    throw Misuse("capture needs a program to run: reel capture -- ./program its arguments");
  const std::string layer = find_layer();
  OutputPlace place(options.out, options.command.front(), options.overwrite,
                    options.variables.contains("REEL_CAPTURE_LAST"));
  auto variables = variables_of(options, place.pattern());
  const std::unique_ptr<layer::ClockServer> clocks = clocks_of(options, variables);
  if (const std::string warning = place.warning(); !warning.empty())
    fmt::print(stderr, "reel: {}\n", printable(warning));

  CapturedRun captured;
  LaunchListener listener;
  ForegroundOptions launch = launch_of(options, variables, layer, listener);
  launch.watched = listener.descriptor();
  launch.on_readable = [&] {
    while (const auto message = listener.next()) {
      if (options.trigger && !options.quiet) tell_live(*message);
      captured.hear(*message);
    }
  };
  const Ending ending = run_in_foreground(launch);
  captured.finish(place.plain(), [&](const std::string& path) { return place.put_in_place(path); });

  if (!ending.not_started.empty()) {
    fmt::print(stderr, "reel: {}\n", printable(ending.not_started));
    return ending.exit_code;
  }
  const CaptureSummary summary{options.command, ending, captured, why_nothing(options, captured)};
  print_summary(summary, options.quiet);
  if (!options.json.empty()) write_summary(summary, options.json);
  return ending.exit_code;
}

}  // namespace

std::vector<std::string> take_program(std::vector<std::string>& arguments) {
  std::size_t at = 1;
  while (at < arguments.size() && arguments[at] != "--" && arguments[at].size() > 1 &&
         arguments[at].front() == '-')
    at += takes_value(arguments[at]) ? 2 : 1;
  at = std::min(at, arguments.size());
  const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> program(first, arguments.end());
  arguments.erase(first, arguments.end());
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  return program;
}

void add_capture(CommandLine& line, const std::vector<std::string>& program) {
  auto options = std::make_shared<Options>();
  Verb verb =
      line.add_verb("capture", "Run a program and record its OpenCL and Vulkan work in a document");
  // Shown in the help; take_program() has taken it away before this is parsed.
  verb.add_option("program", options->command, "The program to run, with its arguments; after --")
      .type_name("PROGRAM");
  verb.add_option("-o,--output", options->out,
                  "The document; %p in it becomes the process, %n the number of the capture, %r "
                  "the rank, %h the host, %j the job. Default: the program's name")
      .type_name("FILE");
  for (const VariableOption& one : variable_options)
    verb.add_option(
            one.option,
            [options, &one](const std::string& value) { options->variables[one.variable] = value; },
            one.help)
        .type_name(one.value);
  verb.add_flag(
      "--trigger", options->trigger,
      "Start at `reel trigger PID` or SIGUSR2 and stop at the next; with --first or --for "
      "each trigger captures that much");
  verb.add_option(
          "--fact", options->facts,
          "A fact of this run for the document, as often as you like: --fact branch=main. Rank, "
          "job, host and commit are found out")
      .type_name("NAME=VALUE");
  verb.add_option("--clocks", options->clocks,
                  "Compare the clocks of ranks on several hosts while they run: rank 0 answers at "
                  "this address of its host, and the others ask")
      .type_name("HOST:PORT");
  verb.add_flag("--mpi", options->mpi, "Record the program's calls of MPI (Open MPI, MPICH), too");
  verb.add_flag("--overwrite", options->overwrite, "Replace the document if there is one");
  verb.add_flag("-q,--quiet", options->quiet, "Print errors only");
  verb.add_option("--json", options->json, "Write the result to this file as JSON")
      .type_name("FILE");
  verb.footer(
      "The program runs as it would without Reel: same terminal, same streams, same exit code. "
      "Messages\n"
      "about the capture go to stderr, after its end.\n\n"
      "Examples:\n"
      "  reel capture -- ./program --its options\n"
      "  reel capture -o run.reel --first 1000 -- python3 train.py\n"
      "  reel capture --after 10 --for 500ms -- ./server\n"
      "  reel capture --trigger -- ./server     and elsewhere: reel trigger PID\n"
      "  mpirun -n 4 reel capture -o run-%r.reel -- ./program");
  verb.action([options, &program] {
    options->command = program;
    return run(*options);
  });
}

}  // namespace reel::cli
