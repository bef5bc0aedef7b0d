// glob.hpp - names by pattern, "decode/*" and "layer?/attention": * is any text, ? one character.
//
// Not fnmatch(), to which "block[0]" is a set of characters: scopes are called like that.
#pragma once

#include <string_view>

namespace reel {

inline bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Whether a scope is one that the pattern names, or lies below one.
inline bool scope_matches(std::string_view pattern, std::string_view path) {
  for (;;) {
    if (glob_matches(pattern, path)) return true;
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return false;
    path = path.substr(0, slash);
  }
}

}  // namespace reel
