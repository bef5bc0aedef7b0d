#include "cli/showing/capture_summary.hpp"

#include <fmt/format.h>
#include <string.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "cli/running/output_place.hpp"
#include "cli/showing/note_lines.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  fmt::print(stderr, "reel: {}\n", fmt::format(text, std::forward<Values>(values)...));
}

// " of OpenCL and Vulkan".
std::string of_apis(const std::string& apis) {
  std::vector<std::string_view> names;
  if (apis.find("opencl") != std::string::npos) names.emplace_back("OpenCL");
  if (apis.find("vulkan") != std::string::npos) names.emplace_back("Vulkan");
  return names.empty() ? "" : fmt::format(" of {}", fmt::join(names, " and "));
}

void print_document(const CapturedDocument& document, bool names_process, bool quiet) {
  const std::string path = printable(shown_path(document.path));
  const std::string of =
      names_process && document.process ? fmt::format(", process {}", document.process) : "";
  if (document.is_still_written) {
    say("{}: process {} goes on, and so does its document", path, document.process);
    return;
  }
  if (!document.unreadable.empty()) {
    say("{} can't be read: {}", path, printable(document.unreadable));
    return;
  }
  if (document.commands == 0)
    say("{}: NO command was enqueued during the capture{}", path, of);
  else if (!quiet)
    say("{}: {}{}, {}, {}{}", path, count_text(document.commands, "command"),
        of_apis(document.apis), count_text(document.kernels, "kernel"), size_text(document.bytes),
        of);
  if (document.is_recovered)
    say("{}: the program ended without closing it; that was done now, and its last moment may be "
        "missing",
        path);
  if (!document.lost.empty()) say("{} is incomplete: {}", path, printable(document.lost));
  if (quiet) return;
  for (const std::string& note : note_lines(document.notes)) say("{}: {}", path, printable(note));
}

// The one with the most in it.
const CapturedDocument* best_of(const std::vector<CapturedDocument>& documents) {
  const CapturedDocument* best = nullptr;
  for (const CapturedDocument& one : documents)
    if (one.unreadable.empty() && !one.is_still_written && one.commands > 0 &&
        (!best || one.commands > best->commands))
      best = &one;
  return best;
}

Json json_of(const CapturedDocument& document) {
  Json json = {{"path", document.path}, {"process", document.process}};
  json["commands"] = document.commands;
  json["kernels"] = document.kernels;
  json["apis"] = document.apis;
  json["bytes"] = document.bytes;
  json["recovered"] = document.is_recovered;
  json["still_written"] = document.is_still_written;
  json["lost"] = document.lost;
  json["unreadable"] = document.unreadable;
  json["notes"] = Json::array();
  std::set<std::string_view> seen;
  for (const TraceNote& note : document.notes)
    if (seen.insert(note.text).second) json["notes"].push_back(note.text);
  return json;
}

}  // namespace

void print_summary(const CaptureSummary& summary, bool quiet) {
  const auto& documents = summary.run.documents();
  const std::string program =
      printable(std::filesystem::path(summary.command.front()).filename().string());
  if (summary.ending.signal)
    say("{} was ended by {}", program, strsignal(summary.ending.signal));
  else if (summary.ending.exit_code && !quiet)
    say("{} ended with exit code {}", program, summary.ending.exit_code);
  if (documents.empty()) {
    say("nothing was recorded.");
    for (const std::string& sentence : summary.why_nothing) say("{}", printable(sentence));
    return;
  }
  for (const CapturedDocument& document : documents)
    print_document(document, documents.size() > 1, quiet);
  for (const std::string& sentence : summary.why_nothing) say("{}", printable(sentence));
  for (const std::string& refusal : summary.run.refusals()) say("{}", printable(refusal));
  const CapturedDocument* best = best_of(documents);
  if (!best || quiet) return;
  const std::string path = shell_word(shown_path(best->path));
  const std::size_t width = path.size() + std::string_view("reel replay ").size();
  fmt::print(stderr, "\n");
  for (const auto& [verb, shows] : {std::pair("reel info ", "what it holds, on one screen"),
                                    std::pair("reel view ", "all of it, in the browser"),
                                    std::pair("reel replay ", "run it again, compare every byte")})
    fmt::print(stderr, "{}\n", hint_lines(verb + path, width, shows, terminal_columns()));
}

void write_summary(const CaptureSummary& summary, const std::string& path) {
  Json json = {{"schema_version", 1}, {"command", summary.command}};
  json["exit_code"] = summary.ending.exit_code;
  json["signal"] = summary.ending.signal ? Json(summary.ending.signal) : Json();
  json["layer_loaded"] = summary.run.is_loaded();
  json["opencl_called"] = summary.run.has_called();
  json["documents"] = Json::array();
  for (const CapturedDocument& document : summary.run.documents())
    json["documents"].push_back(json_of(document));
  json["refused"] = summary.run.refusals();
  json["why_nothing"] = summary.why_nothing;
  std::ofstream file(path);
  file << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) say("'{}' can't be written.", path);
}

}  // namespace reel::cli
