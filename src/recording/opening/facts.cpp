#include "recording/opening/facts.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/clock.hpp"
#include "base/utc_time.hpp"
#include "recording/writing/host_clocks.hpp"

namespace reel::capture {

namespace {

// Arguments as they were given, those with blanks in quotes.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string raw((std::istreambuf_iterator<char>(file)), {});
  std::string line;
  for (std::size_t begin = 0; begin < raw.size();) {
    const std::size_t end = std::min(raw.find('\0', begin), raw.size());
    const std::string argument = raw.substr(begin, end - begin);
    const bool quoted = argument.empty() || argument.find_first_of(" \t\n'\"") != std::string::npos;
    if (!line.empty()) line += ' ';
    line += quoted ? '\'' + argument + '\'' : argument;
    begin = end + 1;
  }
  return line;
}

std::string program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

document::Facts process_facts(Contents contents, std::uint64_t limit_bytes, std::string selection) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  document::Facts facts{{"command_line", command_line()},
                        {"program", program()},
                        {"pid", std::to_string(getpid())},
                        {"host", host},
                        {"started", utc_now()},
                        {"started_ns", std::to_string(monotonic_ns())},
                        {"contents", to_string(contents)},
                        {"limit_bytes", std::to_string(limit_bytes)},
                        {"selection", std::move(selection)}};
  if (const std::int64_t offset = time_namespace_offset_ns(); offset != 0)
    facts["clock_offset_ns"] = std::to_string(offset);
  return facts;
}

}  // namespace reel::capture
