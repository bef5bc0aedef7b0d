// fact_list.cpp - facts as the user writes them.
#include <algorithm>
#include <array>

#include "base/fail.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::capture {
namespace {

constexpr std::size_t most_name_bytes = 100, most_value_bytes = 4096;

// Other keys of a document's metadata: replay and analysis go by some of them.
constexpr std::array own_names = std::to_array<std::string_view>(
    {"api",          "bytes_in", "bytes_stored", "checks",      "clock_boot_id", "clock_offset_ns",
     "command_line", "commands", "complete",     "contents",    "edges",         "ended_ns",
     "format",       "kind",     "library",      "limit_bytes", "pid",           "program",
     "queue_orders", "started",  "started_ns",   "stripped",    "selection",     "writer_cpu_ns"});

void check_name(std::string_view name) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_good = !name.empty() && name.size() <= most_name_bytes && is_small(name[0]) &&
                       std::all_of(name.begin(), name.end(), [&](char c) {
                         return is_small(c) || (c >= '0' && c <= '9') || c == '_' || c == '.';
                       });
  if (!is_good)
    fail(Code::invalid_argument,
         "'{}' can't be the name of a fact: names begin with a small letter and have small "
         "letters, digits, '_' and '.', at most {} of them.",
         name.substr(0, most_name_bytes), most_name_bytes);
  if (std::find(own_names.begin(), own_names.end(), name) != own_names.end())
    fail(Code::invalid_argument,
         "'{}' can't be the name of a fact: the document itself has a key of that name; choose "
         "another.",
         name);
}

}  // namespace

void check_facts(const document::Facts& facts) {
  for (const auto& [name, value] : facts) {
    check_name(name);
    if (value.size() > most_value_bytes)
      fail(Code::invalid_argument, "The fact '{}' has a value of {} bytes; at most {} are kept.",
           name, value.size(), most_value_bytes);
  }
}

document::Facts parse_facts(std::string_view text) {
  document::Facts facts;
  std::string part;
  const auto add = [&] {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      fail(Code::invalid_argument, "'{}' is not a fact; write name=value, and \\, for a comma.",
           part);
    const document::Facts one{{part.substr(0, equals), part.substr(equals + 1)}};
    check_facts(one);
    facts.insert_or_assign(one.begin()->first, one.begin()->second);
    part.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
    if (is_escaped)
      part += text[++i];
    else if (text[i] != ',')
      part += text[i];
    else if (!part.empty())  // a comma too many is nobody's mistake
      add();
  }
  if (!part.empty()) add();
  return facts;
}

std::string facts_text(const document::Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    if (!text.empty()) text += ',';
    text += name + '=';
    for (const char c : value) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

}  // namespace reel::capture
