// output_place.hpp - where `reel capture` lets documents go, checked before the program starts.
#pragma once

#include <string>
#include <vector>

namespace reel::cli {

// The path from the current folder, where it lies below it: as the user would type it.
std::string shown_path(const std::string& path);

// Throws Error where the file is there and wasn't to be replaced. What writes it finds that out as
// well, but after the work.
void refuse_existing(const std::string& path, bool overwrite);

class OutputPlace {
 public:
  // `wanted` as typed; empty: the name of the program, with a number where that is taken. Throws
  // Error where nothing can be written there. `has_before`: --last writes a second one.
  OutputPlace(const std::string& wanted, const std::string& program, bool overwrite,
              bool has_before);

  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;

  // Absolute, for the layer. With --overwrite where there is a document: a name of its own beside
  // it, so that the old one stays until there is a new one, whatever ends this program or that one.
  const std::string& pattern() const { return pattern_; }
  // The document, where the name says it all; empty: it depends on the process.
  const std::string& plain() const { return plain_; }
  std::string warning() const;  // little room; empty: nothing to say

  // A document of this run gets the name that was asked for, and replaces what has it. Returns
  // where it is then. A file that nobody named is never replaced: the document keeps its own name.
  std::string put_in_place(const std::string& document) const;

 private:
  std::string pattern_, plain_;
  std::string final_, beside_;         // without extension, where documents go beside old ones
  std::vector<std::string> replaced_;  // the old ones
};

}  // namespace reel::cli
