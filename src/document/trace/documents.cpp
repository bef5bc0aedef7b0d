#include "reel/documents.hpp"

#include <algorithm>
#include <filesystem>

#include "base/fail.hpp"

namespace reel {

std::vector<std::string> documents_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".reel" && at->is_regular_file(ignored))
      paths.push_back(at->path().string());
  }
  if (error) fail(Code::io_failed, "Can't list the folder '{}': {}.", folder, error.message());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace reel
