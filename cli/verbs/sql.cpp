// sql.cpp - `reel sql`: questions to a document in SQL.

#include "cli/showing/sql_shell.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string query;
};

int run(const Options& options) {
  const Trace trace = open_trace(options);
  SqlShell shell(trace, options);
  return options.query.empty() ? shell.read() : shell.answer(options.query);
}

}  // namespace

void add_sql(CommandLine& line) {
  auto [verb, options] = add_trace_verb(line, "sql", "Query a document in SQL", run);
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
      "  reel sql pass.reel < questions.sql");
}

}  // namespace reel::cli
