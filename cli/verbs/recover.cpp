// recover.cpp - `reel recover`: what is good of a damaged document, as a whole one.
#include <fmt/format.h>

#include <filesystem>
#include <reel/document.hpp>

#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string out;
};

// "x.recovered.reel" beside "x.reel"; with a number where that is taken.
std::string name_beside(const std::string& path) {
  const std::filesystem::path from(path);
  for (int number = 1;; ++number) {
    const std::string middle = number == 1 ? ".recovered" : fmt::format(".recovered-{}", number);
    const std::filesystem::path name =
        from.parent_path() / (from.stem().string() + middle + from.extension().string());
    if (!std::filesystem::exists(name)) return name.string();
  }
}

int run(const Options& options) {
  const std::string out = options.out.empty() ? name_beside(options.path) : options.out;
  const RecoverReport report = [&] {
    const Progress progress("Recovering " + options.path);
    return recover_document(options.path, out);
  }();
  if (options.json) {
    Json json = {
        {"schema_version", 1}, {"document", options.path}, {"was_whole", report.was_whole}};
    json["written"] = report.was_whole ? Json() : Json(out);
    json["commands"] = report.commands;
    json["chunks"] = report.chunks;
    json["blobs"] = report.blobs;
    json["dropped"] = report.dropped;
    json["dropped_bytes"] = report.dropped_bytes;
    print_json(json);
    return done;
  }
  if (report.was_whole) {
    fmt::print("{} is whole; nothing was written.\n", printable(options.path));
    return done;
  }
  for (const std::string& dropped : report.dropped) fmt::print("{}\n", printable(dropped));
  fmt::print("{}: {}, {}, {}; {} left behind\n", printable(out),
             count_text(report.commands, "command"), count_text(report.chunks, "chunk"),
             count_text(report.blobs, "blob"), size_text(report.dropped_bytes));
  TraceOptions next = options;
  next.path = out;
  print_next(next, {{"reel info $", "what it holds"}});
  return done;
}

}  // namespace

void add_recover(CommandLine& line) {
  auto [verb, options] = add_trace_verb(
      line, "recover", "Write the readable part of a damaged document into a new one", run);
  verb.add_option("-o,--output", options.out,
                  "The new document; default: x.recovered.reel beside x.reel")
      .type_name("FILE");
  verb.footer(
      "The damaged document stays unchanged, and no file is overwritten.\n\n"
      "Example:\n  reel recover cut.reel -o whole.reel");
}

}  // namespace reel::cli
