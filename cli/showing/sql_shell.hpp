// sql_shell.hpp - statements of SQL as somebody types them, and their answers as text.
#pragma once

#include <string>

#include "cli/trace_input.hpp"
#include "reel/sql.hpp"

namespace reel::cli {

class SqlShell {
 public:
  // `head`: what every answer in JSON begins with.
  SqlShell(Sql sql, Json head, const TraceOptions& options);

  // One statement: its rows, as a table or as JSON. The exit code; what is wrong is on stderr.
  int answer(const std::string& statement);
  // All of standard input, with a prompt where that is a terminal. There an error is told and the
  // next statement asked for; elsewhere it ends it.
  int read();

 private:
  int command(const std::string& line);  // ".tables"
  int answer_guarded(const std::string& statement);

  Sql sql_;
  Json head_;
  const TraceOptions& options_;
  bool is_quit_ = false;
};

}  // namespace reel::cli
