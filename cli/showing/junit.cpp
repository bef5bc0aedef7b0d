#include "cli/showing/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/showing/terminal.hpp"

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

std::string inner(const CheckedDocument& document) {
  const std::string sentence = escaped(document.sentence);
  switch (document.result) {
    case CheckResult::passed:
      return {};
    case CheckResult::different:
      return fmt::format("<failure message=\"{}\"/>", sentence);
    case CheckResult::cannot_run:
      return fmt::format("<skipped message=\"{}\"/>", sentence);
    case CheckResult::broken:
      break;
  }
  return fmt::format("<error message=\"{}\"/>", sentence);
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<CheckedDocument>& documents) {
  const auto count = [&](CheckResult result) {
    return std::ranges::count(documents, result, &CheckedDocument::result);
  };
  double seconds = 0;
  for (const CheckedDocument& document : documents) seconds += document.seconds;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  xml += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n",
      escaped(suite), documents.size(), count(CheckResult::different), count(CheckResult::broken),
      count(CheckResult::cannot_run), seconds);
  for (const CheckedDocument& document : documents) {
    const std::filesystem::path path = document.path;
    const std::string inside = inner(document);
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"{}\n",
                       escaped(path.parent_path().string()), escaped(path.filename().string()),
                       document.seconds, inside.empty() ? "/>" : ">" + inside + "</testcase>");
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace reel::cli
