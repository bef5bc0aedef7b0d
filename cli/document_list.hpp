// document_list.hpp - documents as they are named on a command line: files, and folders of them.
#pragma once

#include <string>
#include <vector>

namespace reel::cli {

// Of a folder all .reel files in it, by name, those of a number by that: 2 comes before 10. Throws
// Error where a folder has none.
std::vector<std::string> documents_in(const std::vector<std::string>& paths);

}  // namespace reel::cli
