#include "cli/showing/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/showing/terminal.hpp"
#include "reel/error.hpp"

namespace reel::cli {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string inner(const JunitCase& one) {
  const std::string message = escaped(one.message);
  switch (one.result) {
    case JunitResult::failure:
      return fmt::format("<failure message=\"{}\"/>", message);
    case JunitResult::error:
      return fmt::format("<error message=\"{}\"/>", message);
    case JunitResult::skipped:
      return fmt::format("<skipped message=\"{}\"/>", message);
    case JunitResult::passed:
      break;
  }
  return message.empty() ? "" : fmt::format("<system-out>{}</system-out>", message);
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](JunitResult result) {
    return std::ranges::count(cases, result, &JunitCase::result);
  };
  double seconds = 0;
  for (const JunitCase& one : cases) seconds += one.seconds;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  xml += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.6f}\">\n",
      escaped(suite), cases.size(), count(JunitResult::failure), count(JunitResult::error),
      count(JunitResult::skipped), seconds);
  for (const JunitCase& one : cases) {
    const std::string inside = inner(one);
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"{}\n",
                       escaped(one.group), escaped(one.name), one.seconds,
                       inside.empty() ? "/>" : ">" + inside + "</testcase>");
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

void write_junit(const std::string& path, const std::string& suite,
                 const std::vector<JunitCase>& cases) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << junit_xml(suite, cases);
  file.close();
  if (!file) throw Error(Code::io_failed, fmt::format("'{}' can't be written.", path));
}

}  // namespace reel::cli
