// replay.cpp - `reel replay`: runs a document again and compares what it wrote.
#include <fmt/format.h>

#include <fstream>
#include <locale>
#include <memory>
#include <sstream>

#include "cli/replaying/replay_options.hpp"
#include "cli/running/output_aside.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/replay_report.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

struct Options : RunOptions {
  std::string order = "recorded", from, to, tolerance;
  std::uint32_t repeat = 1;
  bool bisect = false, nan = false, commands = false;
  std::vector<std::string> what_if, types, without;
};

// "name=value", split.
std::pair<std::string, std::string> assignment(const std::string& text, const char* option,
                                               const char* example) {
  const auto at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw Misuse(fmt::format("{} takes {}, not '{}'", option, example, text));
  return {text.substr(0, at), text.substr(at + 1)};
}

double number(const std::string& text) {
  // By a stream: libc++ has no std::from_chars() of real numbers, and strtod() goes by the locale.
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> std::noskipws >> value) || in.peek() != std::char_traits<char>::eof() ||
      !(value >= 0))
    throw Misuse(
        fmt::format("--tolerance takes 1e-3 or 1e-3,1e-6 (relative, absolute), not '{}'", text));
  return value;
}

Tolerance parse_tolerance(const std::string& text) {
  const auto comma = text.find(',');
  Tolerance tolerance{.relative = number(text.substr(0, comma)), .absolute = {}};
  if (comma != std::string::npos) tolerance.absolute = number(text.substr(comma + 1));
  return tolerance;
}

Replacement read_replacement(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Code::io_failed, fmt::format("{} can't be read.", path));
  const bool is_glsl = path.ends_with(".comp") || path.ends_with(".glsl");
  return {is_glsl                  ? KernelForm::glsl
          : path.ends_with(".spv") ? KernelForm::spirv
                                   : KernelForm::opencl_c,
          std::string(std::istreambuf_iterator<char>(file), {})};
}

ReplayOptions replay_options(const Trace& trace, const Options& options) {
  ReplayOptions result;
  result.order = options.order == "relaxed"      ? ReplayOrder::relaxed
                 : options.order == "sequential" ? ReplayOrder::sequential
                                                 : ReplayOrder::recorded;
  result.repeat = options.repeat;
  if (!options.from.empty()) result.from = parse_command(trace, options.from);
  if (!options.to.empty()) result.to = parse_command(trace, options.to);
  if (result.to < result.from)
    throw Misuse(fmt::format("--from {} comes after --to {}", options.from, options.to));
  if (!options.tolerance.empty()) result.tolerance = parse_tolerance(options.tolerance);
  result.find_culprit = options.bisect;
  result.find_nan = options.nan;
  result.time_limit_s = options.time_limit_s;
  for (const std::string& one : options.what_if) {
    const auto [kernel, path] = assignment(one, "--what-if", "k4=other.cl");
    result.replacements[parse_kernel(trace, kernel)] = read_replacement(path);
  }
  for (const std::string& one : options.without) result.without.insert(parse_command(trace, one));
  for (const std::string& one : options.types) {
    const auto [buffer, type] = assignment(one, "--as", "b7=f16");
    const auto parsed = parse_element_type(type);
    if (!parsed) throw Misuse(fmt::format("'{}' is not an element type", type));
    result.types[parse_buffer(trace, buffer)] = *parsed;
  }
  return result;
}

int run(const Options& options, const WatchedWork& watched) {
  const Trace trace = open_trace(options);
  ReplayOptions how = replay_options(trace, options);
  how.at_work = watched.at_work;
  how.one_by_one = watched.one_by_one;
  load_host_kernels(options.host_kernels);
  const ReplayReport report = [&] {
    const OutputAside kernels_print;
    Progress progress("Replaying " + options.path);
    how.progress = [&](std::string_view what, double part) {
      progress.show(part > 0 ? fmt::format("{}: {} {:.0f}%", options.path, what, 100 * part)
                             : fmt::format("{}: {}", options.path, what));
    };
    return options.device.empty() ? replay(trace, how)
                                  : replay(trace, open_device(options.device), how);
  }();
  if (options.json) {
    print_json(json_of(trace, report));
    return exit_code_of(report);
  }
  print_replay(trace, report, options.commands);
  if (!report.differences.empty() && report.differences.front().command != no_index) {
    const std::string id =
        command_name(report.culprit.value_or(report.differences.front().command));
    print_next(options, {{"reel commands $ " + id, "all of that command"},
                         {"reel extract $ " + id, "that command as a document of its own"}});
  } else if (report.verdict() == Verdict::equal || report.verdict() == Verdict::within_tolerance) {
    print_next(options, {{"reel replay $ --repeat 10", "times, with noise"},
                         {"reel replay $ --order relaxed", "does it hold in any allowed order?"}});
  }
  return exit_code_of(report);
}

}  // namespace

void add_replay(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("replay", "Run a document again and compare every byte that it wrote");
  add_run_options(verb, *options);
  verb.add_option("--order", options->order,
                  "recorded: streams and waits as they were; sequential: one by one; relaxed: as "
                  "an optimised graph, and in another order that declared ranges allow")
      .one_of({"recorded", "sequential", "relaxed"})
      .show_default();
  verb.add_option("--repeat", options->repeat, "Measured runs; more than 1: after a warm-up")
      .between(1, 1'000'000)
      .show_default()
      .type_name("N");
  verb.add_option("--from", options->from, "The first command that is measured and checked")
      .type_name("c10");
  verb.add_option("--to", options->to, "The last command that is run").type_name("c90");
  verb.add_option(
          "--tolerance", options->tolerance,
          "Allowed error of floating-point numbers: relative, or relative,absolute; default: none "
          "on the recorded device, 1e-4 on others")
      .type_name("R[,A]");
  verb.add_flag(
      "--bisect", options->bisect,
      "Name the first command that differs, by running the recorded kernels side by side");
  verb.add_flag("--nan", options->nan, "Name the first command that writes NaN or infinity");
  verb.add_option("--what-if", options->what_if,
                  "Try another source (.cl or .comp) for a kernel: its time and results")
      .one_value_each()
      .type_name("k4=FILE");
  verb.add_option("--without", options->without,
                  "Leave a command out: do all other results stay as they were?")
      .one_value_each()
      .type_name("c12");
  verb.add_option("--as", options->types,
                  "Element type of a buffer, where it isn't known from kernels")
      .one_value_each()
      .type_name("b7=f16");
  verb.add_flag("--commands", options->commands, "Also show times of every command");
  verb.footer(
      "Commands that can't be run here are left out, each with its reason, and so are those that\n"
      "need what they would have written; all others are run and compared (verdict: not "
      "proved).\n\n"
      "It runs in a process of its own: a driver that crashes, a command that hangs "
      "(--time-limit)\n"
      "and too much memory (--memory) end that, with a sentence and exit code 4.\n\n"
      "Exit codes: 0 all checks equal (on another device: within tolerance), 1 a difference, 2 "
      "the\n"
      "command line is wrong, 3 the document is damaged or cut, 4 it can't be replayed, or not "
      "be\n"
      "proved, here.\n\n"
      "Examples:\n"
      "  reel replay pass.reel\n"
      "  reel replay pass.reel --device vulkan --bisect\n"
      "  reel replay pass.reel --repeat 20 --what-if k4=faster.cl --tolerance 1e-5");
  verb.action([options] {
    return run_guarded(*options, true,
                       [&](const WatchedWork& watched) { return run(*options, watched); });
  });
}

}  // namespace reel::cli
