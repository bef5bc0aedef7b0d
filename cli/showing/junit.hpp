// junit.hpp - results of a check in the XML that build servers read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reel::cli {

enum class JunitResult : std::uint8_t { passed, failure, error, skipped };

struct JunitCase {
  std::string group, name;
  JunitResult result = JunitResult::passed;
  std::string message = {};  // a sentence
  double seconds = 0;
};

// Whatever bytes names have, the text is well-formed XML.
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);
// Throws io_failed where the file can't be written.
void write_junit(const std::string& path, const std::string& suite,
                 const std::vector<JunitCase>& cases);

}  // namespace reel::cli
