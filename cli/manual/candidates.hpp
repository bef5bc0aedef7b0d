// candidates.hpp - what the word at the cursor can become, for completion in shells.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace reel::cli {

enum class CompleteBy : unsigned char { words, documents, files, folders, programs };
const char* to_string(CompleteBy by) noexcept;

struct Candidate {
  std::string word, meaning = {};
};
struct Candidates {
  CompleteBy by = CompleteBy::words;  // else the shell finds them itself
  std::vector<Candidate> list = {};
};

// `words` are those after `reel`, up to the one at the cursor, which may be empty. A document named
// among them tells its ids and names; one that can't be read tells nothing.
Candidates candidates_for(const std::vector<VerbFacts>& verbs,
                          const std::vector<std::string>& words);

// The hidden verb `complete`, which the scripts call: the first line says by what, then a candidate
// a line, with a tab before its meaning. Never an error, and nothing on stderr: it would stand in
// the middle of what somebody types.
int print_candidates(const std::vector<VerbFacts>& verbs, std::vector<std::string> words) noexcept;

}  // namespace reel::cli
