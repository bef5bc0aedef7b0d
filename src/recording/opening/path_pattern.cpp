#include "recording/opening/path_pattern.hpp"

#include <unistd.h>

#include "base/environment_variable.hpp"
#include "base/fail.hpp"

namespace reel::capture {

namespace {

std::string rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"})
    if (const auto value = environment_variable(name); !value.empty()) return std::string(value);
  return "0";
}

}  // namespace

std::string expand_path(std::string_view pattern, std::uint32_t number) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char what = i + 1 < pattern.size() ? pattern[++i] : '\0';
    switch (what) {
      case 'p':
        path += std::to_string(getpid());
        break;
      case 'n':
        path += std::to_string(number);
        break;
      case 'r':
        path += rank();
        break;
      case '%':
        path += '%';
        break;
      default:
        fail(Code::invalid_argument,
             "The path '{}' has a '%' that is not followed by p, n, r or %.", pattern);
    }
  }
  return path;
}

std::string pattern_of(std::string_view path) {
  std::string pattern;
  for (const char c : path) pattern.append(c == '%' ? 2 : 1, c);
  return pattern;
}

bool has_number(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (pattern[++i] == 'n') return true;
  }
  return false;
}

}  // namespace reel::capture
