// main.cpp - the program `reel`: reads the command line and runs one verb.
//
// Exit codes: 0 done, 1 it failed (one sentence on stderr), 2 the command line is wrong, 3 the
// document is damaged.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <reel/error.hpp>
#include <string>
#include <vector>

#include "cli/showing/terminal.hpp"
#include "nearest.hpp"
#include "trace_input.hpp"
#include "verbs.hpp"

namespace reel::cli {
namespace {

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

// The verb as typed, when there is no such verb; otherwise empty.
std::string unknown_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) return {};
  for (const std::string& name : verb_names(app))
    if (name == arguments[0]) return {};
  return arguments[0];
}

int report_misuse(const std::string& sentence) {
  fmt::print(stderr, "reel: {}\nSee reel --help.\n", printable_lines(sentence));
  return misused;
}

int run(int argc, char** argv) {
  CLI::App app("Records the GPU work of programs, looks into it, and runs it again.", "reel");
  app.footer(
      "Examples:\n"
      "  reel capture -- ./program             run it, and keep its OpenCL work\n"
      "  reel devices                          what can be opened here, and what can't\n"
      "  reel info pass.reel                   what a document holds, on one screen\n"
      "  reel insights pass.reel               what is worth knowing, and what to do\n"
      "  reel kernels pass.reel                where the time went\n"
      "  reel commands pass.reel --kernel add  every run of a kernel\n"
      "  reel commands pass.reel c12           all of one command\n"
      "  reel buffer pass.reel b7 --at c12     what a buffer held after it\n"
      "  reel diff pass.reel faster.reel       what changed\n"
      "  reel view pass.reel                   all of it, in the browser\n"
      "  reel replay pass.reel                 run it again, compare every byte\n"
      "  reel export pass.reel --to perfetto   a timeline for ui.perfetto.dev\n"
      "  reel sql pass.reel \"select * from kernel_usage\"\n"
      "\n"
      "Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 the document is damaged,\n"
      "4 it can't be replayed here.");
  app.set_version_flag("--version", "reel " REEL_VERSION);
  app.require_subcommand(1);

  Action chosen;
  std::vector<std::string> program;  // for `capture`
  add_capture(app, chosen, program);
  add_trigger(app, chosen);
  add_devices(app, chosen);
  add_info(app, chosen);
  add_commands(app, chosen);
  add_kernels(app, chosen);
  add_insights(app, chosen);
  add_gaps(app, chosen);
  add_deps(app, chosen);
  add_memory(app, chosen);
  add_diff(app, chosen);
  add_buffers(app, chosen);
  add_buffer(app, chosen);
  add_source(app, chosen);
  add_scopes(app, chosen);
  add_calls(app, chosen);
  add_view(app, chosen);
  add_replay(app, chosen);
  add_extract(app, chosen);
  add_export(app, chosen);
  add_sql(app, chosen);
  add_verify(app, chosen);
  add_recover(app, chosen);
  add_strip(app, chosen);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return misused;
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const std::string verb = unknown_verb(app, arguments); !verb.empty()) {
    const auto near = nearest(verb, verb_names(app));
    return report_misuse(near
                             ? fmt::format("There is no verb '{}'; did you mean '{}'?", verb, *near)
                             : fmt::format("There is no verb '{}'.", verb));
  }

  if (arguments[0] == "capture") program = take_program(arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return report_misuse(error.what());
  }
  try {
    return chosen();
  } catch (const Misuse& error) {
    return report_misuse(error.what());
  }
}

constexpr const char* no_memory = "reel: No memory was left.\n";

// JSON is taken apart with memory of its own; where none is left that ends here.
[[noreturn]] void end_without_memory() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::fputs(no_memory, stderr);
    std::_Exit(failed);
  } catch (...) {
  }
  std::abort();
}

}  // namespace
}  // namespace reel::cli

int main(int argc, char** argv) {
  std::set_terminate(reel::cli::end_without_memory);
  try {
    return reel::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs(reel::cli::no_memory, stderr);
    return reel::cli::failed;
  } catch (const reel::Error& error) {
    fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(error.what()));
    return error.code() == reel::Code::damaged_document ? reel::cli::damaged : reel::cli::failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(error.what()));
    return reel::cli::failed;
  }
}
