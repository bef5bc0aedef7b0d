// strip.cpp - `reel strip`: a document without what buffers held, to give away.
#include <fmt/format.h>

#include <reel/document.hpp>

#include "cli/showing/progress.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string out;
  bool sources = false;
};

int run(const Options& options) {
  const StripReport report = [&] {
    const Progress progress("Copying " + options.path);
    return strip_document(options.path, options.out, {.sources = options.sources});
  }();
  if (options.json) {
    print_json({{"schema_version", 1},
                {"document", options.path},
                {"written", options.out},
                {"bytes_before", report.bytes_before},
                {"bytes_after", report.bytes_after},
                {"blobs_dropped", report.blobs_dropped}});
    return done;
  }
  fmt::print("{}: {}, was {}; {} dropped\n", options.out, size_text(report.bytes_after),
             size_text(report.bytes_before), count_text(report.blobs_dropped, "blob"));
  TraceOptions next = options;
  next.path = options.out;
  print_next(next, {{"reel info $", "what is left in it"}});
  return done;
}

}  // namespace

void add_strip(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "strip", "Copy a document without the bytes of buffers", run);
  verb.add_option("-o,--output", options.out, "The copy").required().type_name("FILE");
  verb.add_flag("--sources", options.sources, "Leave out the sources of kernels too");
  verb.footer(
      "Times, commands, labels, arguments and hashes stay. Values given to kernels by the program "
      "stay\n"
      "too, and so do its command line and the host's name.\n\n"
      "Example:\n  reel strip pass.reel -o small.reel");
}

}  // namespace reel::cli
