// verify.cpp - `reel verify`: is every byte of a document as it was written?
#include <fmt/format.h>

#include <reel/document.hpp>

#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

int run(const TraceOptions& options) {
  const VerifyReport report = [&] {
    const Progress progress("Checking " + options.path);
    return verify_document(options.path);
  }();
  if (options.json) {
    print_json({{"schema_version", 1},
                {"document", options.path},
                {"good", report.is_good()},
                {"problems", report.problems},
                {"remarks", report.remarks},
                {"file_bytes", report.file_bytes},
                {"chunks", report.chunks},
                {"commands", report.commands},
                {"blobs", report.blobs},
                {"blob_bytes", report.blob_bytes}});
    return report.is_good() ? done : damaged;
  }
  for (const std::string& problem : report.problems) fmt::print("{}\n", printable(problem));
  for (const std::string& remark : report.remarks) fmt::print("{}\n", printable(remark));
  fmt::print("{}: {}, {}, {} of {}\n", report.is_good() ? "good" : "damaged",
             count_text(report.commands, "command"), count_text(report.chunks, "chunk"),
             count_text(report.blobs, "blob"), size_text(report.blob_bytes));
  // Of what has no chunk that can be read, nothing can be saved.
  if (!report.is_good() && report.chunks > 0)
    print_next(options, {{"reel recover $", "write what is good into a new document"}});
  return report.is_good() ? done : damaged;
}

}  // namespace

void add_verify(CommandLine& line) {
  add_trace_verb(line, "verify", "Check every byte of a document", run)
      .verb.footer(
          "Checksums, rows and what they refer to, and the hash of every blob. Exit code 3 where\n"
          "something is wrong.\n\nExample:\n  reel verify pass.reel");
}

}  // namespace reel::cli
