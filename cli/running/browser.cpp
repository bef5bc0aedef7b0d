#include "cli/running/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/os/machine.hpp"
#include "cli/running/spawn.hpp"

namespace reel::cli {
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
  if (!os::has_display()) return "There is no display here, so no browser was opened.";
  if (!write_file())
    return "No file could be written that tells a browser the address, so none was opened.";
  pid_t child = 0;
  const int error = spawn_apart(os::file_opener(), {os::file_opener(), path_}, -1, child);
  return error == 0
             ? ""
             : fmt::format("There is no {} here, so no browser was opened.", os::file_opener());
}

}  // namespace reel::cli
