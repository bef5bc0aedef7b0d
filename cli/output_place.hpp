// output_place.hpp - where `reel capture` lets documents go, checked before the program starts.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reel::cli {

// The path from the current folder, where it lies below it: as the user would type it.
std::string shown_path(const std::string& path);

class OutputPlace {
 public:
  // `wanted` as typed; empty: the name of the program, with a number where that is taken. Throws
  // Error where nothing can be written there. `has_before`: --last writes a second one.
  OutputPlace(const std::string& wanted, const std::string& program, bool overwrite,
              bool has_before);

  ~OutputPlace() { restore_unless_written(); }
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;

  const std::string& pattern() const { return pattern_; }  // absolute, for the layer
  // The document, where the name says it all; empty: it depends on the process.
  const std::string& plain() const { return plain_; }
  std::string warning() const;  // little room; empty: nothing to say

  // --overwrite: the old document waits under another name until there is a new one.
  void put_aside();
  void restore_unless_written();

 private:
  std::string pattern_, plain_;
  std::vector<std::string> replaced_;                       // to put aside
  std::vector<std::pair<std::string, std::string>> aside_;  // its name, where it waits
};

}  // namespace reel::cli
