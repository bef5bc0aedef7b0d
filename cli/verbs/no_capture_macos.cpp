// no_capture_macos.cpp - `reel capture` and `reel trigger` where there is no layer: they say what
// there is.
#include <reel/error.hpp>

#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

void add_verb_without_layer(CommandLine& line, const char* name) {
  Verb verb = line.add_verb(name, "Not on macOS: captures programs by a layer, which is Linux's");
  verb.footer("docs/macos.md says how a program captures itself here.");
  verb.action([]() -> int {
    throw Error(Code::unsupported,
                "Programs that don't know of Reel are captured by a layer, which there is for "
                "Linux alone. A program that uses Reel's library captures itself: "
                "reel::start_capture(), or REEL_CAPTURE_ENABLED=1 REEL_CAPTURE=x.reel in its "
                "environment.");
  });
}

}  // namespace

void add_capture(CommandLine& line, const std::vector<std::string>&) {
  add_verb_without_layer(line, "capture");
}
void add_trigger(CommandLine& line) { add_verb_without_layer(line, "trigger"); }

}  // namespace reel::cli
