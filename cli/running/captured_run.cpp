#include "cli/running/captured_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <reel/document.hpp>
#include <reel/error.hpp>
#include <reel/trace.hpp>
#include <utility>

#include "base/os/descriptors.hpp"
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
  std::optional<std::size_t> asked;
  for (CapturedDocument& one : documents_) {
    if (one.path == expected) asked = static_cast<std::size_t>(&one - documents_.data());
    one.is_still_written = !one.is_closed && one.process > 0 && kill(one.process, 0) == 0;
    if (one.is_still_written) continue;
    if (!one.is_closed) close_after_the_fact(one);
    one.path = put_in_place(one.path);
    look_into(one);
  }
  if (asked) exchange_for_fullest(documents_[*asked]);
}

// The first process that calls a driver gets the name that was asked for. Where that one only
// looked at devices, as a launcher or a test of the driver does, the user means another.
void CapturedRun::exchange_for_fullest(CapturedDocument& asked) {
  const auto is_whole = [](const CapturedDocument& one) {
    return !one.is_still_written && one.unreadable.empty();
  };
  if (asked.commands > 0 || !is_whole(asked) || asked.process == 0) return;
  CapturedDocument* fullest = &asked;
  for (CapturedDocument& one : documents_)
    if (is_whole(one) && one.commands > fullest->commands) fullest = &one;
  if (fullest == &asked) return;
  const std::filesystem::path name = asked.path;
  const std::string other = (name.parent_path() / name.stem()).string() + "." +
                            std::to_string(asked.process) + name.extension().string();
  const auto move = [](const std::string& from, const std::string& to) {
    return os::rename_to_free_name(from.c_str(), to.c_str()) == 0;
  };
  if (!move(asked.path, other)) return;
  if (!move(fullest->path, asked.path)) {
    if (!move(other, asked.path)) asked.path = other;
    return;
  }
  fullest->path = std::exchange(asked.path, other);
}

}  // namespace reel::cli
