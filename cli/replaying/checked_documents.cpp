#include "cli/replaying/checked_documents.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <reel/error.hpp>

#include "base/os/process.hpp"
#include "cli/showing/replay_report.hpp"
#include "cli/trace_input.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File temporary_file() {
  File file(std::tmpfile());
  if (!file)
    throw Error(Code::io_failed,
                fmt::format("No temporary file can be made: {}.", std::strerror(errno)));
  return file;
}

std::string text_of(std::FILE* file) {
  std::string text;
  char part[4096];
  std::rewind(file);
  while (const std::size_t count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
  return text;
}

struct Child {
  std::size_t document = 0;
  File out, err;
  Clock::time_point begin = Clock::now();
};

// `words` without the program's name. It has our terminal's group, so that Ctrl-C reaches it, and
// ends with us.
pid_t start(std::vector<std::string> words, std::FILE* out, std::FILE* err) {
  words.insert(words.begin(), "reel");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);  // else the child would have what is in our buffers, too
  const std::string program = os::program_to_start();
  const pid_t parent = getpid(), process = fork();
  if (process < 0)
    throw Error(Code::io_failed,
                fmt::format("No process can be started: {}.", std::strerror(errno)));
  if (process > 0) return process;
  os::end_with_parent(parent, SIGTERM);
  dup2(fileno(out), STDOUT_FILENO);
  dup2(fileno(err), STDERR_FILENO);
  execv(program.c_str(), pointers.data());
  _exit(127);
}

// The sentence of stderr, without the program's name.
std::string sentence_of(const std::string& err) {
  std::string text = err.substr(0, err.find_last_not_of('\n') + 1);
  const std::string name = "reel: ";
  const std::size_t last = text.rfind("\n" + name);
  if (last != std::string::npos) text.erase(0, last + 1);
  if (text.starts_with(name)) text.erase(0, name.size());
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string("?");
}

std::string difference_text(const Json& report) {
  const Json& checks = report["checks"];
  const std::uint64_t different = checks["different"];
  std::string text = fmt::format("{} of {} {}", different,
                                 count_text(checks["made"].get<std::uint64_t>(), "check"),
                                 different == 1 ? "differs" : "differ");
  if (report["differences"].empty()) return text + ".";
  const Json& first = report["differences"][0];
  text += fmt::format(
      "; first {} '{}' at byte {} after {}", text_of(first["buffer"]), text_of(first["label"]),
      first["offset_bytes"].get<std::uint64_t>(),
      first["description"].is_null() ? "no recorded command" : text_of(first["description"]));
  if (!first["expected"].is_null())
    text +=
        fmt::format(": expected {}, found {}", text_of(first["expected"]), text_of(first["found"]));
  return text + ".";
}

void judge(CheckedDocument& document, int status, const std::string& out, const std::string& err) {
  const Json report = Json::parse(out, nullptr, false);
  const bool has_report = report.is_object() && report.contains("verdict");
  if (has_report) {
    document.verdict = report["verdict"];
    document.device = report["device"];
    document.checks = report["checks"]["made"];
  }
  if (!WIFEXITED(status)) {
    document.sentence = fmt::format("The replay was ended by signal {}.", WTERMSIG(status));
    return;
  }
  const int code = WEXITSTATUS(status);
  document.sentence = sentence_of(err);
  if (code == done && has_report) {
    document.result = CheckResult::passed;
    document.sentence = fmt::format("{} {}", count_text(document.checks, "check"),
                                    document.verdict == "equal" ? "equal" : "within tolerance");
  } else if (code == failed && has_report) {
    document.result = CheckResult::different;
    document.sentence = difference_text(report);
  } else if (code == cannot) {
    document.result = CheckResult::cannot_run;
    if (has_report && document.sentence.empty())
      document.sentence = "Not everything could be compared; reel replay says what.";
  } else if (document.sentence.empty()) {
    document.sentence = fmt::format("The replay ended with exit code {}.", code);
  }
}

}  // namespace

const char* to_string(CheckResult result) noexcept {
  switch (result) {
    case CheckResult::passed:
      return "passed";
    case CheckResult::different:
      return "different";
    case CheckResult::cannot_run:
      return "cannot_run";
    case CheckResult::broken:
      return "broken";
  }
  return "?";
}

std::vector<CheckedDocument> check_documents(const std::vector<std::string>& paths,
                                             const CheckOptions& options) {
  std::vector<CheckedDocument> documents(paths.size());
  std::map<pid_t, Child> running;
  std::size_t started = 0, finished = 0;
  while (finished < paths.size()) {
    while (started < paths.size() && running.size() < options.jobs) {
      documents[started].path = paths[started];
      Child child{.document = started, .out = temporary_file(), .err = temporary_file()};
      // "--": a document may be named as an option is.
      std::vector<std::string> words{"replay", "--json"};
      words.insert(words.end(), options.replay.begin(), options.replay.end());
      words.insert(words.end(), {"--", paths[started]});
      const pid_t process = start(std::move(words), child.out.get(), child.err.get());
      running.emplace(process, std::move(child));
      ++started;
    }
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (process < 0 && errno == EINTR) continue;
    const auto found = running.find(process);
    if (found == running.end()) continue;
    const Child& child = found->second;
    CheckedDocument& document = documents[child.document];
    document.seconds = std::chrono::duration<double>(Clock::now() - child.begin).count();
    judge(document, status, text_of(child.out.get()), text_of(child.err.get()));
    running.erase(found);
    ++finished;
    if (options.on_progress) options.on_progress(finished);
  }
  return documents;
}

std::string renew_document(const std::string& path, const std::vector<std::string>& words) {
  const fs::path target = path;
  // Beside it, so that it is put in its place at once; not found by the next check.
  const std::string fresh =
      (target.parent_path() / fmt::format(".{}.{}.new", target.filename().string(), getpid()))
          .string();
  const auto run = [](std::vector<std::string> line, std::string& sentence) {
    const File out = temporary_file(), err = temporary_file();
    const pid_t process = start(std::move(line), out.get(), err.get());
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    sentence = sentence_of(text_of(err.get()));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const auto line_of = [&](std::vector<std::string> line, std::initializer_list<std::string> rest) {
    line.insert(line.end(), words.begin(), words.end());
    line.insert(line.end(), rest);
    return line;
  };
  std::string sentence;
  std::error_code ignored;
  if (run(line_of({"extract", "--accept-differences", "-o", fresh}, {"--", path, "c0-"}),
          sentence) != done) {
    fs::remove(fresh, ignored);
    return sentence.empty() ? "It can't be run again." : sentence;
  }
  if (run(line_of({"replay", "--json"}, {"--", fresh}), sentence) != done) {
    fs::remove(fresh, ignored);
    return "Its results change from run to run, so no run can be kept as the right one.";
  }
  fs::permissions(fresh, fs::status(path, ignored).permissions(), ignored);
  std::error_code error;
  fs::rename(fresh, path, error);
  if (!error) return {};
  fs::remove(fresh, ignored);
  return fmt::format("'{}' can't be replaced: {}.", path, error.message());
}

}  // namespace reel::cli
