// documents.hpp - the documents of a folder.
#pragma once

#include <string>
#include <vector>

namespace reel {

// Paths of all files below a folder whose names end in .reel, sorted; links to folders are not
// followed. Throws io_failed where it is no folder, or can't be read.
std::vector<std::string> documents_in(const std::string& folder);

}  // namespace reel
