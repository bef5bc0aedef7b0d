// sql.cpp - `reel sql`: questions to a document in SQL.

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/showing/progress.hpp"
#include "cli/showing/sql_shell.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"
#include "reel/documents.hpp"
#include "reel/error.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string query;
};

int ask(SqlShell shell, const Options& options) {
  return options.query.empty() ? shell.read() : shell.answer(options.query);
}

// What can't be read is named, and the others are asked; then it is not all done, all the same.
int run_folder(const Options& options) {
  const std::vector<std::string> paths = documents_in(options.path);
  if (paths.empty())
    throw Error(Code::io_failed, fmt::format("'{}' has no .reel file in it.", options.path));
  std::optional<Progress> progress(fmt::format("Reading {} documents", paths.size()));
  Sql sql(paths);
  progress.reset();
  for (const std::string& problem : sql.problems())
    fmt::print(stderr, "reel: {}\n", printable(problem));
  const std::size_t left_out = sql.left_out();
  Json head{{"schema_version", 1},
            {"document", options.path},
            {"complete", sql.problems().empty()},
            {"documents", paths.size() - left_out},
            {"left_out", left_out}};
  const int code = ask(SqlShell(std::move(sql), std::move(head), options), options);
  return code == done && left_out > 0 ? damaged : code;
}

int run(const Options& options) {
  if (std::filesystem::is_directory(options.path)) return run_folder(options);
  const Trace trace = open_trace(options);
  return ask(SqlShell(Sql(trace), json_of(trace), options), options);
}

}  // namespace

void add_sql(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "sql", "Query a document, or a folder of them, in SQL", run);
  verb.add_option("query", options.query,
                  "A statement; default: read statements from standard input");
  verb.footer(
      "Tables: devices, streams, buffers, kernels, commands, arguments, calls, dependencies, "
      "gaps,\n"
      "findings, … and views: kernel_usage, scope_usage, command_details, copies, idle_by_cause, "
      "…\n"
      "`reel sql x.reel .tables` lists them. Nothing is copied or written; times are "
      "nanoseconds.\n\n"
      "Examples:\n"
      "  reel sql pass.reel \"select name, runs, total_ns from kernel_usage\"\n"
      "  reel sql pass.reel \"select * from command_details where kernel = 'add' limit 5\" --json\n"
      "  reel sql pass.reel < questions.sql\n"
      "  reel sql runs/ \"select fact_commit, avg(run_ns) from commands group by fact_commit\"");
}

}  // namespace reel::cli
