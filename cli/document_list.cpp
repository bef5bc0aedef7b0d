#include "cli/document_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <reel/error.hpp>

namespace reel::cli {
namespace {

// "run-2" before "run-10": shorter numbers come first where the rest is alike.
bool comes_before(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& text) {
    std::string padded, digits;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) {
        digits += text[i];
        continue;
      }
      constexpr std::size_t width = 20;
      if (!digits.empty() && digits.size() < width) padded.append(width - digits.size(), '0');
      padded += digits;
      digits.clear();
      if (i < text.size()) padded += text[i];
    }
    return padded;
  };
  return std::pair(key(a), a) < std::pair(key(b), b);
}

}  // namespace

std::vector<std::string> documents_in(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> list;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      list.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".reel") found.push_back(at->path().string());
    if (error)
      throw Error(Code::io_failed,
                  fmt::format("The folder '{}' can't be read: {}.", path, error.message()));
    if (found.empty())
      throw Error(Code::io_failed, fmt::format("The folder '{}' has no .reel file.", path));
    std::ranges::sort(found, comes_before);
    list.insert(list.end(), found.begin(), found.end());
  }
  return list;
}

}  // namespace reel::cli
