// run_facts.hpp - what a document says of the run it belongs to: rank, job, host, commit, and
// whatever the user adds.
//
// Found out in the process that is captured, from its environment and from a few files; nothing is
// run for it. A fact that isn't known is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document_writer.hpp"

namespace reel::capture {

struct RunFacts {
  document::Facts facts;
  std::vector<std::string> notes;  // what was overridden or left out, a sentence each
};

// `users`: the program's own (CaptureOptions::facts), which win over REEL_CAPTURE_FACTS, which wins
// over what the process finds out. What is wrong with that variable is a note.
RunFacts run_facts(const document::Facts& users = {});

// One of rank, host and job, as above; none: not known.
std::optional<std::string> run_fact(std::string_view name, const document::Facts& users = {});

// "key=value,key=value"; in a value \, is a comma and \\ a backslash. Throws invalid_argument, with
// a sentence about the first fact that is none.
document::Facts parse_facts(std::string_view text);
// The text that parse_facts() reads as these.
std::string facts_text(const document::Facts& facts);
// Throws invalid_argument for names that no fact may have, and values that are too long.
void check_facts(const document::Facts& facts);

}  // namespace reel::capture
