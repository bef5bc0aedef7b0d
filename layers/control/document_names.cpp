#include "layers/control/document_names.hpp"

#include <unistd.h>

#include <filesystem>

#include "recording/opening/path_pattern.hpp"

namespace reel::layer {
namespace {

// Past this many documents in a folder, something else is wrong.
constexpr std::uint32_t most_documents = 100'000;

bool names(std::string_view pattern, char what) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '%' && pattern[++i] == what) return true;
  return false;
}

}  // namespace

DocumentNames::DocumentNames(std::string pattern, bool shared)
    : pattern_(std::move(pattern)),
      shared_(shared),
      names_process_(names(pattern_, 'p')),
      names_number_(names(pattern_, 'n')) {}

std::string DocumentNames::next() const {
  const std::string path = capture::expand_path(pattern_, number_);
  std::string middle;
  if (adds_process_) middle = '.' + std::to_string(getpid());
  if (number_ > 1 && !names_number_) middle += '-' + std::to_string(number_);
  return with_middle(path, middle);
}

bool DocumentNames::step_aside() {
  if (shared_ && !names_process_ && !adds_process_ && number_ == 1) {
    adds_process_ = true;
    return true;
  }
  if ((!names_number_ && number_ == 1) || number_ >= most_documents) return false;
  ++number_;
  return true;
}

std::string with_middle(const std::string& path, const std::string& middle) {
  if (middle.empty()) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + middle + whole.extension().string()))
      .string();
}

std::string before_name(const std::string& path) { return with_middle(path, ".before"); }

}  // namespace reel::layer
