#include "cli/running/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace reel::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

}  // namespace

BrowserLink::~BrowserLink() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool BrowserLink::write_file() {
  const char* own = std::getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  const std::filesystem::path folder = own && std::filesystem::is_directory(own, error)
                                           ? std::filesystem::path(own)
                                           : std::filesystem::temp_directory_path(error);
  std::string path = (folder / "reel-view-XXXXXX.html").string();
  const int file = ::mkostemps(path.data(), 5, O_CLOEXEC);  // 0600
  if (file < 0) return false;
  path_ = path;
  const std::string html = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
      "<meta http-equiv=\"refresh\" content=\"0;url={0}\"><title>reel</title>"
      "<a href=\"{0}\">The page</a>\n",
      url_);
  const bool is_whole =
      ::write(file, html.data(), html.size()) == static_cast<ssize_t>(html.size());
  ::close(file);
  return is_whole;
}

std::string BrowserLink::open() {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
    return "There is no display here, so no browser was opened.";
  if (!write_file())
    return "No file could be written that tells a browser the address, so none was opened.";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  // We block the signals that end us; a browser that is begun by this must not. A group of its
  // own, so that Ctrl-C in the terminal ends us alone.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open", address = path_;
  char* words[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "xdg-open", &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? "" : "There is no xdg-open here, so no browser was opened.";
}

}  // namespace reel::cli
