// junit.hpp - results of a check in the XML that build servers read.
#pragma once

#include <string>
#include <vector>

#include "cli/replaying/checked_documents.hpp"

namespace reel::cli {

// A test case for each document. Differences are failures, what is broken is an error, and what
// can't be run here is skipped. Whatever bytes names have, the text is well-formed XML.
std::string junit_xml(const std::string& suite, const std::vector<CheckedDocument>& documents);

}  // namespace reel::cli
