#include "cli/running/output_place.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <reel/error.hpp>

#include "reel/units.hpp"

namespace reel::cli {
namespace {

namespace fs = std::filesystem;

// Below this a document of any size may not fit.
constexpr std::uint64_t little_bytes = std::uint64_t{256} << 20;

bool is_taken(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

fs::path before_of(const fs::path& path) {
  return path.parent_path() / (path.stem().string() + ".before" + path.extension().string());
}

// "clpeak.reel", then "clpeak-2.reel", … in the current folder.
fs::path name_after(const std::string& program, bool overwrite, bool has_before) {
  std::string base = fs::path(program).filename().string();
  if (base.empty()) base = "capture";
  for (int number = 1;; ++number) {
    fs::path name = fs::current_path() /
                    (number == 1 ? base + ".reel" : fmt::format("{}-{}.reel", base, number));
    if (overwrite || !(is_taken(name) || (has_before && is_taken(before_of(name))))) return name;
  }
}

std::string with_percents_doubled(const std::string& text) {
  std::string result;
  for (const char c : text) result.append(c == '%' ? 2 : 1, c);
  return result;
}

// The path itself, where no percent sign stands for a number: "%%" is one.
std::string without_numbers(const std::string& pattern) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && (i + 1 >= pattern.size() || pattern[++i] != '%')) return {};
    result += pattern[i];
  }
  return result;
}

void check_folder(const fs::path& document) {
  const fs::path folder = document.parent_path();
  if (folder.string().find('%') != std::string::npos) return;  // known only when it begins
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(Code::io_failed,
                fmt::format("There is no folder '{}' for the document.", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(Code::io_failed, fmt::format("No document can be written to '{}': {}.",
                                             folder.string(), std::strerror(errno)));
}

}  // namespace

std::string shown_path(const std::string& path) {
  std::error_code ignored;
  const std::string here = fs::current_path(ignored).string() + "/";
  return here.size() > 1 && path.starts_with(here) ? path.substr(here.size()) : path;
}

void refuse_existing(const std::string& path, bool overwrite) {
  if (!overwrite && is_taken(path))
    throw Error(Code::io_failed,
                fmt::format("'{}' exists already; --overwrite replaces it.", shown_path(path)));
}

OutputPlace::OutputPlace(const std::string& wanted, const std::string& program, bool overwrite,
                         bool has_before) {
  if (wanted.empty()) {
    plain_ = name_after(program, overwrite, has_before).string();
    pattern_ = with_percents_doubled(plain_);
  } else {
    // Of the current folder a percent sign is only itself.
    const fs::path given(wanted);
    pattern_ = given.is_absolute()
                   ? wanted
                   : with_percents_doubled(fs::current_path().string()) + "/" + wanted;
    plain_ = without_numbers(pattern_);
  }
  check_folder(plain_.empty() ? pattern_ : plain_);
  if (plain_.empty()) return;
  std::vector<fs::path> names{plain_};
  if (has_before) names.push_back(before_of(plain_));
  for (const fs::path& name : names) {
    if (!is_taken(name)) continue;
    if (!fs::is_regular_file(name))
      throw Error(Code::io_failed,
                  fmt::format("'{}' is not a regular file, so no document can replace it.",
                              shown_path(name.string())));
    refuse_existing(name.string(), overwrite);
    replaced_.push_back(name.string());
  }
  if (replaced_.empty()) return;
  const fs::path wanted_path(plain_);
  final_ = (wanted_path.parent_path() / wanted_path.stem()).string();
  beside_ = fmt::format("{}.{}-{:08x}.part", final_, getpid(),
                        static_cast<unsigned>(std::random_device()()));
  plain_ = beside_ + wanted_path.extension().string();
  pattern_ = with_percents_doubled(plain_);
}

std::string OutputPlace::warning() const {
  const fs::path folder = fs::path(plain_.empty() ? pattern_ : plain_).parent_path();
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) != 0) return {};
  const std::uint64_t free_bytes = std::uint64_t{system.f_bavail} * system.f_frsize;
  if (free_bytes >= little_bytes) return {};
  return fmt::format(
      "Only {} are free at {}; when they are used up recording ends, and the program goes on. "
      "--contents hashes or --limit keeps the document small.",
      size_text(free_bytes), folder.string());
}

std::string OutputPlace::put_in_place(const std::string& document) const {
  if (replaced_.empty() || !document.starts_with(beside_)) return document;
  const std::string name = final_ + document.substr(beside_.size());
  const bool may_replace = std::find(replaced_.begin(), replaced_.end(), name) != replaced_.end();
  if (!may_replace && is_taken(name)) return document;
  std::error_code error;
  fs::rename(document, name, error);
  return error ? document : name;
}

}  // namespace reel::cli
