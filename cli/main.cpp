// main.cpp - the program `reel`: reads the command line and runs one verb.
//
// Exit codes: 0 done, 1 it failed (one sentence on stderr), 2 the command line is wrong, 3 the
// document is damaged.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <reel/error.hpp>
#include <reel/version.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/os/libraries.hpp"
#include "cli/manual/candidates.hpp"
#include "cli/showing/first_steps.hpp"
#include "cli/showing/terminal.hpp"
#include "nearest.hpp"
#include "trace_input.hpp"
#include "verbs.hpp"

namespace reel::cli {
namespace {

// The verb as typed, when there is no such verb; otherwise empty.
std::string unknown_verb(const CommandLine& line, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) return {};
  for (const std::string& name : line.verbs())
    if (name == arguments[0]) return {};
  return arguments[0];
}

int report_misuse(const std::string& sentence, const std::string& verb = {}) {
  fmt::print(stderr, "reel: {}\nSee {}.\n", printable_lines(sentence),
             verb.empty()     ? "reel --help"
             : verb == "help" ? "reel help"
                              : "reel help " + verb);
  return misused;
}

int run(int argc, char** argv) {
  CommandLine line(
      "reel", "reel " REEL_VERSION,
      "Records the GPU compute work of programs, analyses it, and replays it.",
      "Examples:\n"
      "  reel capture -- ./program             run it and record its OpenCL and Vulkan work\n"
      "  reel devices                          devices of this machine\n"
      "  reel info pass.reel                   summary on one screen\n"
      "  reel insights pass.reel               findings, and what to do about them\n"
      "  reel kernels pass.reel                where the time went\n"
      "  reel commands pass.reel --kernel add  every run of a kernel\n"
      "  reel commands pass.reel c12           everything about one command\n"
      "  reel buffer pass.reel b7 --at c12     contents of a buffer after it\n"
      "  reel diff pass.reel faster.reel       what changed\n"
      "  reel ranks run-*.reel                 which rank the others wait for\n"
      "  reel view pass.reel                   all of it in the browser\n"
      "  reel replay pass.reel                 run it again, compare every byte\n"
      "  reel export pass.reel --to perfetto   a timeline for ui.perfetto.dev\n"
      "  reel sql pass.reel \"select * from kernel_usage\"\n"
      "\n"
      "Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 the document is damaged,\n"
      "4 it can't be replayed here.");

  std::vector<std::string> program;  // for `capture`
  add_capture(line, program);
  add_trigger(line);
  add_devices(line);
  add_bench(line);
  add_info(line);
  add_commands(line);
  add_kernels(line);
  add_insights(line);
  add_gaps(line);
  add_deps(line);
  add_memory(line);
  add_diff(line);
  add_ranks(line);
  add_buffers(line);
  add_buffer(line);
  add_source(line);
  add_scopes(line);
  add_clocks(line);
  add_calls(line);
  add_view(line);
  add_replay(line);
  add_check(line);
  add_extract(line);
  add_export(line);
  add_sql(line);
  add_trend(line);
  add_verify(line);
  add_recover(line);
  add_strip(line);
  add_completion(line);
  add_help(line);

  if (argc < 2) {
    fmt::print("{}", first_steps());
    return done;
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments[0] == "complete")  // for the scripts of shells: its words are those of another line
    return print_candidates(line.verb_facts(), {arguments.begin() + 1, arguments.end()});
  if (const std::string verb = unknown_verb(line, arguments); !verb.empty()) {
    const auto near = nearest(verb, line.verbs());
    return report_misuse(near
                             ? fmt::format("There is no verb '{}'; did you mean '{}'?", verb, *near)
                             : fmt::format("There is no verb '{}'.", verb));
  }

  if (arguments[0] == "capture") program = take_program(arguments);
  const std::string verb = arguments[0].starts_with('-') ? "" : arguments[0];
  try {
    return line.parse(std::move(arguments))();
  } catch (const Misuse& error) {
    return report_misuse(error.what(), verb);
  }
}

// Two versions are installed, and the loader took the other one's library: a variable, or a folder
// that comes first. What the two pass to each other would be taken for something else.
std::string wrong_library() {
  if (version() == REEL_VERSION) return {};
  Dl_info where{};
  const bool is_known = dladdr(reinterpret_cast<const void*>(&version), &where) != 0;
  return fmt::format(
      "This is reel " REEL_VERSION
      ", but the library that was loaded, {}, is of version {}. Use the program and the library of "
      "one version: see {}, and `ldd $(command -v reel)`.",
      is_known ? where.dli_fname : "libreel.so", version(), os::library_path_variable);
}

constexpr const char* no_memory = "reel: No memory was left.\n";

int report_unwritten(int error, int code) {
  fmt::print(stderr, "reel: The output could not be written: {}.\n",
             std::generic_category().message(error));
  return code;
}

// What was printed is written here at the latest: a full disk is told, never passed over.
int with_output_written(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  return report_unwritten(errno, code == 0 ? failed : code);
}

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
    if (const std::string wrong = reel::cli::wrong_library(); !wrong.empty()) {
      fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(wrong));
      return reel::cli::failed;
    }
    return reel::cli::with_output_written(reel::cli::run(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs(reel::cli::no_memory, stderr);
    return reel::cli::failed;
  } catch (const reel::Error& error) {
    fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(error.what()));
    return error.code() == reel::Code::damaged_document ? reel::cli::damaged : reel::cli::failed;
  } catch (const std::system_error& error) {
    // A long output is written on the way, and fmt says in words of its own that it couldn't be.
    if (std::ferror(stdout))
      return reel::cli::report_unwritten(error.code().value(), reel::cli::failed);
    fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(error.what()));
    return reel::cli::failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "reel: {}\n", reel::cli::printable_lines(error.what()));
    return reel::cli::failed;
  }
}
