#include "cli/running/captured_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <reel/document.hpp>
#include <reel/error.hpp>
#include <reel/trace.hpp>

#include "cli/showing/progress.hpp"

namespace reel::cli {
namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// A name beside it that nobody has.
std::string name_beside(const std::string& path) {
  return fmt::format("{}.{}-{:08x}.part", path, getpid(),
                     static_cast<unsigned>(std::random_device()()));
}

// A document whose program was killed has no index: a copy that has one takes its place.
void close_after_the_fact(CapturedDocument& document) {
  const std::string copy = name_beside(document.path);
  try {
    const Progress progress("Closing " + document.path);
    const RecoverReport report = recover_document(document.path, copy);
    if (report.was_whole) return;
    std::filesystem::rename(copy, document.path);
    document.is_recovered = true;
  } catch (const std::exception& error) {
    document.unreadable = error.what();
  }
}

void look_into(CapturedDocument& document) {
  if (!document.unreadable.empty()) return;
  try {
    const Progress progress("Reading " + document.path);
    const Trace trace = Trace::load(document.path);
    document.commands = trace.commands().size();
    document.kernels = trace.kernels().size();
    if (const auto api = trace.facts().find("api"); api != trace.facts().end())
      document.apis = api->second;
    document.bytes = trace.file_bytes();
    document.notes.assign(trace.notes().begin(), trace.notes().end());
    const auto complete = trace.end_facts().find("complete");
    if (document.lost.empty() && complete != trace.end_facts().end() && complete->second != "yes")
      document.lost = complete->second;
  } catch (const std::exception& error) {
    document.unreadable = error.what();
  }
}

}  // namespace

CapturedDocument& CapturedRun::document(const std::string& path, pid_t process) {
  for (CapturedDocument& known : documents_)
    if (known.path == path) return known;
  documents_.push_back({});
  documents_.back().path = path;
  documents_.back().process = process;
  return documents_.back();
}

void CapturedRun::hear(const LaunchMessage& message) {
  const auto number = [&](std::size_t i) {
    return std::strtoull(message.field(i).c_str(), nullptr, 10);
  };
  if (message.kind == "loaded") loaded_.insert(message.process);
  if (message.kind == "call") called_.insert(message.process);
  if (message.kind == "refused") refusals_.push_back(message.field(0));
  if (message.kind == "exit") commands_seen_ += number(0);
  if (message.kind == "begin") document(message.field(0), message.process).is_closed = false;
  if (message.kind == "end") {
    CapturedDocument& ended = document(message.field(0), message.process);
    ended.is_closed = true;
    ended.commands = number(1);
    ended.bytes = number(2);
    ended.lost = message.field(3);
  }
}

void CapturedRun::finish(const std::string& expected,
                         const std::function<std::string(const std::string&)>& put_in_place) {
  if (!expected.empty() && is_there(expected)) document(expected, 0);
  // --last takes documents away again.
  std::erase_if(documents_, [](const CapturedDocument& one) { return !is_there(one.path); });
  for (CapturedDocument& one : documents_) {
    one.is_still_written = !one.is_closed && one.process > 0 && kill(one.process, 0) == 0;
    if (one.is_still_written) continue;
    if (!one.is_closed) close_after_the_fact(one);
    one.path = put_in_place(one.path);
    look_into(one);
  }
}

}  // namespace reel::cli
