// checked_documents.hpp - many documents replayed side by side, each by a `reel` of its own: a
// driver that crashes costs the document that it was at.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reel::cli {

enum class CheckResult : std::uint8_t {
  passed,      // every check equal, or within tolerance
  different,   // some check is not
  cannot_run,  // not here, or not everything could be compared
  broken,      // damaged, unreadable, or the replay ended by a crash
};
const char* to_string(CheckResult result) noexcept;

struct CheckedDocument {
  std::string path = {};
  CheckResult result = CheckResult::broken;
  std::string verdict = {};   // in the word of `reel replay --json`; empty: it came to none
  std::string sentence = {};  // why it did not pass, else what was compared
  std::string device = {};
  std::uint64_t checks = 0;
  double seconds = 0;
};

struct CheckOptions {
  std::vector<std::string> replay = {};  // further words for each `reel replay`
  std::uint32_t jobs = 1;
  std::function<void(std::size_t finished)> on_progress = {};
};

// In the order of `paths`. Throws where no process can be started. Children end with this process.
std::vector<CheckedDocument> check_documents(const std::vector<std::string>& paths,
                                             const CheckOptions& options);

// Writes what the document gives when it is run now in its place, once that gives the same twice.
// Empty, or a sentence that says why the document is as it was.
std::string renew_document(const std::string& path, const std::vector<std::string>& words);

}  // namespace reel::cli
