// trigger.cpp - `reel trigger`: begins a capture in a running program, or ends the one under way.
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <reel/error.hpp>
#include <sstream>

#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "layers/control/abstract_address.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  pid_t process = 0;
  bool json = false;
};

// What a process answered: "started path", "stopped path commands bytes lost", "refused why".
struct Answer {
  pid_t process = 0;
  std::vector<std::string> fields;
  std::string field(std::size_t i) const { return i < fields.size() ? fields[i] : std::string(); }
};

// Ending a capture waits for its work.
constexpr int patience_s = 120;

// Longer than any answer: a path, a few numbers and a sentence.
constexpr std::size_t most_bytes = 64 * 1024;

std::string read_answer(int connection) {
  std::string text;
  char part[4096];
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s);
  while (text.size() < most_bytes && std::chrono::steady_clock::now() < give_up) {
    const ssize_t count = recv(connection, part, sizeof part, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

// Anybody on the machine may listen under that name. Empty where it is the process itself, of this
// user; else the sentence about who it is.
std::string why_not_believed(int connection, pid_t process) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return "Nobody can tell who listens for its triggers.";
  if (peer.pid == process && (peer.uid == geteuid() || geteuid() == 0)) return {};
  return fmt::format(
      "The socket for its triggers belongs to process {} of user {}, so it is not asked; SIGUSR2 "
      "(kill -USR2 {}) triggers it, too.",
      peer.pid, peer.uid, process);
}

// None: that process listens to no trigger.
std::optional<Answer> ask(pid_t process) {
  const layer::AbstractAddress address(fmt::format("reel-{}", process));
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || ::connect(connection, address.get(), address.size()) != 0) {
    if (connection >= 0) close(connection);
    return std::nullopt;
  }
  if (std::string why = why_not_believed(connection, process); !why.empty()) {
    close(connection);
    return Answer{process, {"refused", std::move(why)}};
  }
  const timeval patience{patience_s, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  constexpr std::string_view request = "trigger";
  static_cast<void>(!send(connection, request.data(), request.size(), MSG_NOSIGNAL));
  std::istringstream reply(read_answer(connection));
  close(connection);
  Answer answer{process, {}};
  for (std::string field; std::getline(reply, field, '\0');) answer.fields.push_back(field);
  if (answer.fields.empty()) answer.fields = {"refused", "The process gave no answer."};
  return answer;
}

// "pid (name) state ppid …": the name may hold anything, so it is looked for from the end.
pid_t parent_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  if (end == std::string::npos) return 0;
  char state = 0;
  pid_t parent = 0;
  std::istringstream(line.substr(end + 1)) >> state >> parent;
  return parent;
}

using Children = std::multimap<pid_t, pid_t>;

Children all_children() {
  Children children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    if (process != getpid()) children.emplace(parent_of(entry.path()), process);
  }
  return children;
}

// A process and all that came of it: `reel capture` itself is not what it captures.
std::vector<pid_t> family_of(pid_t process, const Children& children) {
  std::vector<pid_t> family{process};
  for (std::size_t i = 0; i < family.size(); ++i) {
    const auto [first, last] = children.equal_range(family[i]);
    for (auto child = first; child != last; ++child) family.push_back(child->second);
  }
  return family;
}

bool environment_has(pid_t process, std::string_view variable) {
  std::ifstream file(fmt::format("/proc/{}/environ", process));
  for (std::string entry; std::getline(file, entry, '\0');)
    if (entry.starts_with(variable)) return true;
  return false;
}

bool is_of_reel(pid_t process) {
  if (environment_has(process, "REEL_CAPTURE_TRIGGER=") ||
      environment_has(process, "REEL_LAYER_CAPTURE="))
    return true;
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), ignored);
  return program.filename() == "reel";
}

// The processes that are meant: those that came of `reel capture`, or of a process that it started.
// Somebody else stands for what it only passes on to (`timeout 60 reel capture …`): init or a shell
// may have started programs that nobody means. Empty: none are.
std::vector<pid_t> processes_meant(pid_t process, const Children& children) {
  pid_t at = process;
  while (!is_of_reel(at)) {
    const auto [first, last] = children.equal_range(at);
    if (first == last || std::next(first) != last) return {};
    at = first->second;
  }
  return family_of(at, children);
}

std::string program_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name;
}

[[noreturn]] void say_why_it_is_not_meant(pid_t process, const Children& children) {
  std::string below;
  for (const pid_t one : family_of(process, children))
    if (environment_has(one, "REEL_CAPTURE_TRIGGER=1"))
      below += fmt::format("{}{} ({})", below.empty() ? "" : ", ", one, program_of(one));
  throw Error(Code::invalid_argument,
              below.empty()
                  ? fmt::format("Process {} ({}) was not started by `reel capture --trigger -- "
                                "program`, so it can't be triggered.",
                                process, program_of(process))
                  : fmt::format("Process {} ({}) was not started by `reel capture`. Of those that "
                                "came of it, these can be triggered: {}. Name one of them.",
                                process, program_of(process), below));
}

void check_exists(pid_t process) {
  if (kill(process, 0) == 0) return;
  throw Error(Code::invalid_argument,
              errno == ESRCH ? fmt::format("There is no process {}.", process)
                             : fmt::format("Process {} belongs to another user.", process));
}

[[noreturn]] void say_why_nobody_answers(pid_t process, const std::vector<pid_t>& meant) {
  for (const pid_t one : meant)
    if (environment_has(one, "REEL_CAPTURE_TRIGGER=1"))
      throw Error(
          Code::invalid_argument,
          fmt::format("Process {} has made no call of OpenCL or Vulkan yet, so there is nothing to "
                      "capture; try again when it has.",
                      one));
  throw Error(Code::invalid_argument,
              fmt::format("Process {} is captured without triggers; start it with `reel capture "
                          "--trigger -- program`.",
                          process));
}

Json json_of(const Answer& answer) {
  Json json = {{"process", answer.process}, {"happened", answer.field(0)}};
  if (answer.field(0) == "refused") {
    json["why"] = answer.field(1);
    return json;
  }
  json["document"] = answer.field(1);
  if (answer.field(0) == "stopped") {
    json["commands"] = std::strtoull(answer.field(2).c_str(), nullptr, 10);
    json["bytes"] = std::strtoull(answer.field(3).c_str(), nullptr, 10);
    json["lost"] = answer.field(4);
  }
  return json;
}

void print(const Answer& answer) {
  const std::string path = printable(answer.field(1));
  if (answer.field(0) == "started") {
    fmt::print("process {}: capturing to {}; the next trigger ends it\n", answer.process, path);
  } else if (answer.field(0) == "stopped") {
    fmt::print("process {}: stopped, {} in {} ({})\n", answer.process,
               count_text(std::strtoull(answer.field(2).c_str(), nullptr, 10), "command"), path,
               size_text(std::strtoull(answer.field(3).c_str(), nullptr, 10)));
    if (!answer.field(4).empty())
      fmt::print(stderr, "reel: {} is incomplete: {}\n", path, printable(answer.field(4)));
  } else {
    fmt::print(stderr, "reel: process {}: {}\n", answer.process, path);
  }
}

int run(const Options& options) {
  check_exists(options.process);
  std::vector<Answer> answers;
  // Who listens is meant, whatever started it.
  if (auto answer = ask(options.process)) answers.push_back(std::move(*answer));
  const Children children = all_children();
  const std::vector<pid_t> meant = processes_meant(options.process, children);
  for (const pid_t process : meant) {
    if (process == options.process) continue;
    if (auto answer = ask(process)) answers.push_back(std::move(*answer));
  }
  if (answers.empty() && meant.empty()) say_why_it_is_not_meant(options.process, children);
  if (answers.empty()) say_why_nobody_answers(options.process, meant);
  bool all_done = true;
  for (const Answer& answer : answers) all_done = all_done && answer.field(0) != "refused";
  if (options.json) {
    Json json = {{"schema_version", 1}, {"processes", Json::array()}};
    for (const Answer& answer : answers) json["processes"].push_back(json_of(answer));
    print_json(json);
  } else {
    for (const Answer& answer : answers) print(answer);
  }
  return all_done ? done : failed;
}

}  // namespace

void add_trigger(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb =
      line.add_verb("trigger", "Start a capture in a running program, or stop the current one");
  verb.add_option("process", options->process,
                  "Its process id, or that of the `reel capture` that started it")
      .required()
      .positive()
      .type_name("PID");
  verb.add_flag("--json", options->json, "Print JSON: one object with schema_version 1");
  verb.footer(
      "The program must have been started with --trigger. Each of its processes is triggered.\n\n"
      "Example:\n"
      "  reel capture --trigger -- ./server &\n"
      "  reel trigger $!        begins\n"
      "  reel trigger $!        ends, and says where the document is");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
