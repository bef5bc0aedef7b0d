#include "recording/opening/path_pattern.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/fail.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::capture {

namespace {

const char* fact_of(char letter) {
  return letter == 'r' ? "rank" : letter == 'h' ? "host" : letter == 'j' ? "job" : nullptr;
}

// A value may be anything; a name within the folder is meant.
std::string as_name(std::string value) {
  std::replace(value.begin(), value.end(), '/', '_');
  return value;
}

std::string in_place_of_fact() { return fmt::format("p{}", getpid()); }

}  // namespace

std::string expand_path(std::string_view pattern, std::uint32_t number,
                        const document::Facts& users) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char what = i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (const char* const fact = fact_of(what)) {
      auto value = run_fact(fact, users);
      path += value ? as_name(std::move(*value)) : in_place_of_fact();
    } else if (what == 'p') {
      path += std::to_string(getpid());
    } else if (what == 'n') {
      path += std::to_string(number);
    } else if (what == '%') {
      path += '%';
    } else {
      fail(Code::invalid_argument,
           "The path '{}' has a '%' that is not followed by p, n, r, h, j or %.", pattern);
    }
  }
  return path;
}

std::vector<std::string> unknown_in(std::string_view pattern, const document::Facts& users) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    const char letter = pattern[++i];
    const char* const fact = fact_of(letter);
    if (!fact || run_fact(fact, users)) continue;
    sentences.push_back(fmt::format(
        "The {} of this process is not known, so %{} in its document's name is {}: no variable of "
        "Open MPI, MPICH, Slurm or torchrun tells it. REEL_CAPTURE_FACTS={}=… does.",
        fact, letter, in_place_of_fact(), fact));
  }
  return sentences;
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
