#include "recording/opening/facts.hpp"

#include <unistd.h>

#include "base/clock.hpp"
#include "base/os/machine.hpp"
#include "base/os/process.hpp"
#include "base/utc_time.hpp"

namespace reel::capture {

namespace {

// Arguments as they were given, those with blanks in quotes.
std::string command_line() {
  std::string line;
  for (const std::string& argument : os::program_arguments()) {
    const bool quoted = argument.empty() || argument.find_first_of(" \t\n'\"") != std::string::npos;
    if (!line.empty()) line += ' ';
    line += quoted ? '\'' + argument + '\'' : argument;
  }
  return line;
}

}  // namespace

document::Facts process_facts(Contents contents, std::uint64_t limit_bytes, std::string selection) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  document::Facts facts{{"command_line", command_line()},
                        {"program", os::program_path()},
                        {"pid", std::to_string(getpid())},
                        {"host", host},
                        {"started", utc_now()},
                        {"started_ns", std::to_string(monotonic_ns())},
                        {"contents", to_string(contents)},
                        {"limit_bytes", std::to_string(limit_bytes)},
                        {"selection", std::move(selection)}};
  if (const std::int64_t offset = os::clock_offset_ns(); offset != 0)
    facts["clock_offset_ns"] = std::to_string(offset);
  return facts;
}

}  // namespace reel::capture
