#include "cli/showing/first_steps.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"

namespace reel::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t looked_at = 10'000;  // of a folder with more, the newest isn't worth the wait

std::optional<std::string> newest_document() {
  std::optional<std::string> newest;
  fs::file_time_type when{};
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator it(".", error), end; !error && it != end && seen < looked_at;
       it.increment(error), ++seen) {
    std::error_code ignored;
    if (it->path().extension() != ".reel" || !it->is_regular_file(ignored)) continue;
    const auto written = it->last_write_time(ignored);
    if (newest && written <= when) continue;
    newest = it->path().filename().string();
    when = written;
  }
  return newest;
}

}  // namespace

std::string first_steps() {
  const std::optional<std::string> document = newest_document();
  std::string name = document ? printable(shell_word(*document)) : "program.reel";
  if (name.starts_with('-')) name = "./" + name;  // else it would be taken for an option
  std::vector<std::pair<std::string, const char*>> steps;
  if (!document) {
    steps.emplace_back("reel devices", "devices of this machine");
    steps.emplace_back("reel capture -- ./program",
                       "run a program, record its OpenCL and Vulkan work");
  }
  steps.emplace_back("reel info " + name, "summary on one screen");
  steps.emplace_back("reel insights " + name, "findings, and what to do about them");
  steps.emplace_back("reel view " + name, "all of it in the browser");
  steps.emplace_back("reel replay " + name, "run it again, compare every byte");
  if (document) steps.emplace_back("reel capture -- ./program", "record another program");
  steps.emplace_back("reel help", "all verbs; reel help VERB: one of them");
  std::size_t widest = 0;
  for (const auto& [command, shows] : steps) widest = std::max(widest, width_of(command));
  std::string text = "reel " REEL_VERSION
                     " records the GPU compute work of programs, analyses it, and replays it.\n\n";
  text += document ? fmt::format("Next, with {}, the newest document of this folder:\n", name)
                   : "Next:\n";
  for (const auto& [command, shows] : steps)
    text +=
        fmt::format("  {}{}  {}\n", command, std::string(widest - width_of(command), ' '), shows);
  return text;
}

}  // namespace reel::cli
