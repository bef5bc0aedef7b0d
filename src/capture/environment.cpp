#include "capture/environment.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "base/log.hpp"
#include "base/os/process.hpp"
#include "base/process/environment_variable.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::capture {

// Asked before every pass: programs set it while they run. Looking at how each variable begins
// takes a third of what looking it up does.
bool is_capture_asked_for() {
  char** variable = os::environment();
  if (!variable) return false;
  constexpr std::string_view begins = "REEL_CAPTURE=";
  for (; *variable; ++variable) {
    const char* const name = *variable;
    if (name[0] == 'R' && name[1] == 'E' && name[2] == 'E' &&
        std::strncmp(name, begins.data(), begins.size()) == 0)
      return !environment_variable("REEL_CAPTURE").empty();
  }
  return false;
}

std::optional<EnvironmentWish> read_environment() {
  EnvironmentWish wish;
  wish.path = environment_variable("REEL_CAPTURE");
  if (wish.path.empty()) return std::nullopt;
  const auto refuse = [&](std::string_view why) -> std::optional<EnvironmentWish> {
    log(LogLevel::error, fmt::format("REEL_CAPTURE={} ignored: {}", wish.path, why));
    return std::nullopt;
  };
  if (environment_variable("REEL_CAPTURE_ENABLED") != "1")
    return refuse(
        "REEL_CAPTURE_ENABLED is not 1. A document holds memory of the program, so capturing it "
        "must be allowed on purpose.");
  const std::string_view passes = environment_variable("REEL_CAPTURE_PASS");
  const std::string_view scope = environment_variable("REEL_CAPTURE_SCOPE");
  if (!passes.empty()) {
    const auto parsed = parse_passes(passes);
    if (!parsed)
      return refuse(fmt::format(
          "REEL_CAPTURE_PASS='{}' is not a pass; write 3, 2-4 or *, counting from 1.", passes));
    wish.passes = *parsed;
  } else if (!scope.empty()) {
    wish.passes = *parse_passes("*");  // a scope may come in any pass
  }
  wish.options.scope = scope;
  if (const auto contents = environment_variable("REEL_CAPTURE_CONTENTS"); !contents.empty()) {
    const auto parsed = parse_contents(contents);
    if (!parsed)
      return refuse(fmt::format(
          "REEL_CAPTURE_CONTENTS='{}' is not one of none, hashes, inputs, all.", contents));
    wish.options.contents = *parsed;
  }
  if (const auto limit = environment_variable("REEL_CAPTURE_LIMIT"); !limit.empty()) {
    const auto parsed = parse_bytes(limit);
    if (!parsed)
      return refuse(
          fmt::format("REEL_CAPTURE_LIMIT='{}' is not a size; write 500M or 2Gi.", limit));
    wish.options.limit_bytes = *parsed;
  }
  try {
    static_cast<void>(parse_facts(environment_variable("REEL_CAPTURE_FACTS")));
  } catch (const std::exception& error) {
    return refuse(fmt::format("REEL_CAPTURE_FACTS: {}", error.what()));
  }
  wish.options.overwrite = environment_variable("REEL_CAPTURE_OVERWRITE") == "1";
  return wish;
}

}  // namespace reel::capture
