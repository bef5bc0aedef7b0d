#include "recording/opening/git_commit.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>

#include "base/process/small_file.hpp"

namespace reel::capture {
namespace {

namespace fs = std::filesystem;

// Of a project with a hundred thousand branches and tags.
constexpr std::size_t most_packed_bytes = std::size_t{16} << 20;
constexpr int most_folders = 64, most_links = 5;

std::string without_end(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// What follows `name` at the beginning of a file.
std::string value_in(const fs::path& file, std::string_view name) {
  const std::string text = without_end(small_file(file.string()));
  return text.starts_with(name) ? text.substr(name.size()) : std::string();
}

// "<digits> refs/heads/main" of the file for references that have none of their own.
std::string packed(const fs::path& common, const std::string& reference) {
  const OwnText file = small_file((common / "packed-refs").string(), most_packed_bytes);
  const std::string_view text = file;
  const std::string end = ' ' + reference + '\n';
  for (std::size_t at = text.find(end); at != std::string_view::npos; at = text.find(end, at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    const std::string_view commit = text.substr(line, at - line);
    if (is_commit(commit)) return std::string(commit);
  }
  return {};
}

// `own` has HEAD, and of a worktree names the folder with all the rest.
std::string commit_in(const fs::path& own) {
  const std::string shared = value_in(own / "commondir", "");
  const fs::path common = shared.empty() ? own : own / shared;
  std::string head = without_end(small_file((own / "HEAD").string()));
  for (int link = 0; head.starts_with("ref: ") && link < most_links; ++link) {
    const std::string reference = head.substr(5);
    if (!reference.starts_with("refs/") || reference.find("..") != std::string::npos) return {};
    head = without_end(small_file((own / reference).string()));
    if (head.empty()) head = without_end(small_file((common / reference).string()));
    if (head.empty()) head = packed(common, reference);
  }
  return is_commit(head) ? head : std::string();
}

}  // namespace

bool is_commit(std::string_view text) noexcept {
  return text.size() >= 7 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string commit_of_checkout(const std::string& folder) {
  try {
    fs::path here(folder);
    for (int i = 0; i < most_folders && here.is_absolute(); ++i) {
      const fs::path git = here / ".git";
      if (is_there(git / "HEAD")) return commit_in(git);
      // A worktree or a submodule: a file that names the folder.
      if (const std::string elsewhere = value_in(git, "gitdir: "); !elsewhere.empty())
        return commit_in(here / elsewhere);
      if (here == here.parent_path()) break;
      here = here.parent_path();
    }
  } catch (const std::exception&) {  // no memory, or a path that is none: then it isn't known
  }
  return {};
}

std::string commit_of_checkout() {
  char folder[PATH_MAX];
  return getcwd(folder, sizeof folder) ? commit_of_checkout(std::string(folder)) : std::string();
}

}  // namespace reel::capture
