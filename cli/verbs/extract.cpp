// extract.cpp - `reel extract`: a part of a document as a document or a program of its own.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/replaying/replay_options.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/replay_report.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"
#include "layers/control/name_pattern.hpp"
#include "reel/program.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : RunOptions {
  std::string what, scope, language, output;
  bool accept_differences = false;
};

std::vector<std::uint32_t> range_of(const Trace& trace, const std::string& text) {
  const CommandRange range = parse_command_range(trace, text);
  std::vector<std::uint32_t> commands;
  for (std::uint32_t c = range.first; c <= range.last; ++c) commands.push_back(c);
  return commands;
}

std::vector<std::uint32_t> in_scope(const Trace& trace, const std::string& scope) {
  std::vector<std::uint32_t> commands;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
    if (layer::name_matches(scope, trace.text(trace.work_of(trace.commands()[c]).scope)))
      commands.push_back(c);
  if (commands.empty())
    throw Error(
        Code::invalid_argument,
        fmt::format("No command has a scope like '{}'; see reel scopes {}.", scope, trace.path()));
  return commands;
}

// "pass.c12" beside "pass.reel", in the folder where we are.
std::string default_output(const Options& options) {
  std::string part = options.what.empty() ? options.scope : options.what;
  for (char& c : part)
    if (c == '/' || c == '*' || c == '?') c = '_';
  const std::string stem = std::filesystem::path(options.path).stem().string() + "." + part;
  return options.language.empty() ? stem + ".reel" : stem;
}

int run(const Options& options, const WatchedWork& watched) {
  const Trace trace = open_trace(options);
  const auto commands =
      options.what.empty() ? in_scope(trace, options.scope) : range_of(trace, options.what);
  const std::string output = options.output.empty() ? default_output(options) : options.output;
  const bool is_program = !options.language.empty();
  // A program is a folder: a file's name would make a folder of that name.
  for (const char* ending : {".py", ".cpp", ".cc", ".reel"})
    if (is_program && output.ends_with(ending))
      throw Misuse(
          fmt::format("-o names the folder of the program, which has its source, kernels and data; "
                      "'{}' is the name of a file. Try -o {}",
                      output, output.substr(0, output.size() - std::string(ending).size())));
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored) &&
      !(is_program && std::filesystem::is_directory(output, ignored)))
    throw Error(Code::io_failed,
                fmt::format("'{}' exists already, and nothing is overwritten here; give another "
                            "name by -o, or remove it.",
                            output));
  const std::string document = is_program ? output + ".reel" : output;
  load_host_kernels(options.host_kernels);
  ReplayOptions how;
  how.time_limit_s = options.time_limit_s;
  how.at_work = watched.at_work;
  how.accept_differences = options.accept_differences;
  const ExtractReport report = [&] {
    Progress progress("Extracting from " + options.path);
    how.progress = [&](std::string_view what, double part) {
      progress.show(fmt::format("{}: {} {:.0f}%", options.path, what, 100 * part));
    };
    return options.device.empty()
               ? extract(trace, commands, document, how)
               : extract(trace, open_device(options.device), commands, document, how);
  }();
  ProgramReport program;
  if (is_program) {
    try {
      program = write_program(
          Trace::load(report.path),
          options.language == "cpp" ? ProgramLanguage::cpp : ProgramLanguage::python, output);
    } catch (...) {
      std::filesystem::remove(report.path);
      throw;
    }
    std::filesystem::remove(report.path);
  }
  const bool is_proved = report.replay.verdict() != Verdict::not_proved;
  if (options.json) {
    Json json = json_of(trace);
    json["written"] = is_program ? output : report.path;
    json["commands"] = report.commands;
    json["bytes"] = is_program ? Json() : Json(report.document_bytes);
    json["replay"] = to_string(report.replay.verdict());
    json["files"] = program.files;
    json["left_out"] = program.left_out;
    print_json(json);
    return done;
  }
  if (!is_proved)
    fmt::print(
        stderr,
        "reel: Not every result of {} could be compared, so what was extracted is as good as "
        "this replay of it.\n",
        options.path);
  if (is_program) {
    fmt::print("{}/: {}\n", printable(output), fmt::format("{}", fmt::join(program.files, ", ")));
    for (const std::string& sentence : program.left_out) fmt::print("{}\n", printable(sentence));
    fmt::print("\n{}\n",
               dim(fmt::format("  cat {}/README.md  how to build and run it", printable(output))));
    return done;
  }
  fmt::print("{}: {}, {}\n", printable(report.path), count_text(report.commands, "command"),
             size_text(report.document_bytes));
  TraceOptions next = options;
  next.path = report.path;
  print_next(next, {{"reel replay $", "run it again"}, {"reel info $", "what it holds"}});
  return done;
}

}  // namespace

void add_extract(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb(
      "extract", "Extract one command, or a scope, with its inputs, as a document or a program");
  add_run_options(verb, *options);
  verb.add_option("command", options->what, "c12, its name, or c10-c20").type_name("c12");
  verb.add_option("--scope", options->scope,
                  "Commands of this scope: part of its name, or a pattern with * and ?")
      .type_name("SCOPE");
  verb.add_option("--as", options->language, "Write a program instead of a document")
      .one_of({"cpp", "python"});
  verb.add_option("-o,--output", options->output,
                  "The new document, or the folder of the program; default: x.c12.reel, x.c12")
      .type_name("FILE");
  verb.add_flag("--accept-differences", options->accept_differences,
                "Extract what commands give now, though it is not what was recorded");
  verb.footer(
      "Everything is run again to know what the part reads; what can't be replayed can't be\n"
      "extracted. Exit codes are those of reel replay.\n\n"
      "Examples:\n"
      "  reel extract pass.reel c12 -o one.reel\n"
      "  reel extract pass.reel --scope layer0/attention\n"
      "  reel extract pass.reel c12 --as python -o c12");
  verb.action([options] {
    if (options->what.empty() == options->scope.empty())
      throw Misuse("extract takes a command (c12, c10-c20) or --scope, and not both");
    return run_guarded(*options, false,
                       [&](const WatchedWork& watched) { return run(*options, watched); });
  });
}

}  // namespace reel::cli
