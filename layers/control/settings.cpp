#include "layers/control/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/log.hpp"
#include "base/process/environment_variable.hpp"
#include "layers/control/launcher.hpp"
#include "recording/opening/option_values.hpp"
#include "recording/opening/path_pattern.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::layer {
namespace {

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<CommandSpan> parse_span(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_count(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_count(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return CommandSpan{*first, *last};
}

// "2", "0.5", "250ms", "3s": seconds. A year is more than any run, and far from any overflow.
std::optional<double> parse_seconds(std::string_view text) {
  double factor = 1;
  if (text.ends_with("ms")) {
    factor = 1e-3;
    text.remove_suffix(2);
  } else if (text.ends_with('s')) {
    text.remove_suffix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  value *= factor;
  if (!std::isfinite(value) || value <= 0 || value > 366 * 86400.0) return std::nullopt;
  return value;
}

std::optional<StampDetail> parse_stamps(std::string_view text) {
  using enum StampDetail;
  constexpr std::pair<std::string_view, StampDetail> all[] = {{"none", none},
                                                              {"submits", submits},
                                                              {"auto", enough},
                                                              {"barriers", barriers},
                                                              {"dispatches", dispatches}};
  for (const auto& [name, detail] : all)
    if (text == name) return detail;
  return std::nullopt;
}

// Reads one variable after the other, and keeps the first sentence about what is wrong.
class Reader {
 public:
  Reader(const Variables& variables, std::string& problem)
      : variables_(variables), problem_(problem) {}

  std::string_view text(const char* name) const { return variables_(name); }

  bool flag(const char* name) {
    const auto value = text(name);
    if (!value.empty() && value != "0" && value != "1") refuse(name, "neither 0 nor 1");
    return value == "1";
  }

  template <class Parse, class Value>
  void value(const char* name, const Parse& parse, Value& to, std::string_view is_no) {
    const auto given = text(name);
    if (given.empty()) return;
    if (const auto parsed = parse(given))
      to = *parsed;
    else
      refuse(name, is_no);
  }

  void refuse(const char* name, std::string_view what) {
    complain(fmt::format("{}='{}' is {}.", name, text(name), what));
  }
  void complain(std::string sentence) {
    if (problem_.empty()) problem_ = std::move(sentence);
  }

 private:
  const Variables& variables_;
  std::string& problem_;
};

// Windows that contradict each other: which one was meant, nobody can tell.
void check_together(const Settings& s, Reader& read) {
  const auto one_of = [&](bool a, bool b, const char* name, const char* other) {
    if (a && b)
      read.complain(
          fmt::format("{} and {} can't be had together: each says when to capture.", name, other));
  };
  const bool last = s.last_s > 0, commands = s.commands.has_value();
  const bool submits = s.submits.has_value();
  one_of(submits, commands, "REEL_CAPTURE_SUBMITS", "REEL_CAPTURE_COMMANDS");
  one_of(submits, last, "REEL_CAPTURE_SUBMITS", "REEL_CAPTURE_LAST");
  one_of(submits, s.after_s > 0, "REEL_CAPTURE_SUBMITS", "REEL_CAPTURE_AFTER");
  one_of(submits, s.trigger, "REEL_CAPTURE_SUBMITS", "REEL_CAPTURE_TRIGGER");
  one_of(last, s.first > 0, "REEL_CAPTURE_LAST", "REEL_CAPTURE_FIRST");
  one_of(last, s.for_s > 0, "REEL_CAPTURE_LAST", "REEL_CAPTURE_FOR");
  one_of(last, commands, "REEL_CAPTURE_LAST", "REEL_CAPTURE_COMMANDS");
  one_of(last, s.trigger, "REEL_CAPTURE_LAST", "REEL_CAPTURE_TRIGGER");
  one_of(commands, s.after_s > 0, "REEL_CAPTURE_COMMANDS", "REEL_CAPTURE_AFTER");
  one_of(commands, s.trigger, "REEL_CAPTURE_COMMANDS", "REEL_CAPTURE_TRIGGER");
  one_of(s.trigger, s.after_s > 0, "REEL_CAPTURE_TRIGGER", "REEL_CAPTURE_AFTER");
}

}  // namespace

Settings read_settings(const Variables& variables, std::string& problem) {
  Reader read(variables, problem);
  Settings s;
  s.path = read.text("REEL_LAYER_CAPTURE");
  s.launcher = read.text("REEL_LAYER_LAUNCHER");
  read.value("REEL_CAPTURE_CONTENTS", capture::parse_contents, s.contents,
             "none of none, hashes, inputs, all");
  read.value("REEL_CAPTURE_LIMIT", capture::parse_bytes, s.limit_bytes,
             "no size; write 500M or 2Gi");
  s.overwrite = read.flag("REEL_CAPTURE_OVERWRITE");
  read.value("REEL_CAPTURE_STAMPS", parse_stamps, s.stamps,
             "none of none, submits, barriers, dispatches");
  const auto parse_first = [](std::string_view text) {
    const auto count = parse_count(text);
    return count && *count > 0 ? count : std::nullopt;
  };
  read.value("REEL_CAPTURE_FIRST", parse_first, s.first, "no number of commands; write 1 or more");
  read.value("REEL_CAPTURE_COMMANDS", parse_span, s.commands,
             "no range of commands; write 500-520, counting from 0");
  read.value("REEL_CAPTURE_SUBMITS", parse_span, s.submits,
             "no range of submissions; write 10-20, counting from 0");
  s.kernel = read.text("REEL_CAPTURE_KERNEL");
  constexpr std::string_view no_time = "no time; write 2, 0.5 or 250ms";
  read.value("REEL_CAPTURE_AFTER", parse_seconds, s.after_s, no_time);
  read.value("REEL_CAPTURE_FOR", parse_seconds, s.for_s, no_time);
  read.value("REEL_CAPTURE_LAST", parse_seconds, s.last_s, no_time);
  s.trigger = read.flag("REEL_CAPTURE_TRIGGER");
  check_together(s, read);
  try {
    static_cast<void>(capture::parse_facts(read.text("REEL_CAPTURE_FACTS")));
  } catch (const std::exception& error) {
    read.complain(fmt::format("REEL_CAPTURE_FACTS: {}", error.what()));
  }
  if (!s.path.empty()) {
    if (read.text("REEL_CAPTURE_ENABLED") != "1")
      read.complain(
          "REEL_CAPTURE_ENABLED is not 1. A document holds memory of the program, so capturing it "
          "must be allowed on purpose.");
    try {
      static_cast<void>(capture::expand_path(s.path, 1));
    } catch (const std::exception& error) {
      read.complain(error.what());
    }
  }
  if (!problem.empty()) {
    s.refused = !s.path.empty();
    s.path.clear();
  }
  return s;
}

Settings settings_from_environment() noexcept {
  try {
    std::string problem;
    const Variables variables = environment_variable;
    Settings settings = read_settings(variables, problem);
    if (settings.path.empty()) {
      // Where no capture was asked for, there is nothing to complain about.
      if (settings.refused && !tell_launcher(settings.launcher, "refused", {problem}))
        log(LogLevel::error, fmt::format("REEL_LAYER_CAPTURE={} ignored: {}",
                                         variables("REEL_LAYER_CAPTURE"), problem));
      return settings;
    }
    // A program may change its folder before the capture begins.
    settings.path = std::filesystem::absolute(settings.path).string();
    return settings;
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("REEL_LAYER_CAPTURE ignored: {}", error.what()));
    return {};
  }
}

}  // namespace reel::layer
