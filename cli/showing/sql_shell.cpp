#include "cli/showing/sql_shell.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <reel/error.hpp>

#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

// While a query runs Ctrl-C ends it; a second one, before it has, ends the program.
std::atomic<Sql*> running{nullptr};

void on_interrupt(int) {
  if (Sql* sql = running.exchange(nullptr))
    sql->interrupt();
  else
    _exit(130);
}

class Interruptible {
 public:
  explicit Interruptible(Sql& sql) {
    running = &sql;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, &before_);
  }
  ~Interruptible() {
    running = nullptr;
    sigaction(SIGINT, &before_, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ {};
};

std::string cell_text(const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.10g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "-";
}

Json cell_json(const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

// Numbers to the right: where all rows have some, or nothing.
Table table_of(const SqlResult& result) {
  std::vector<Table::Column> columns;
  columns.reserve(result.columns.size());
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    bool is_number = !result.rows.empty();
    for (const auto& row : result.rows) is_number &= !std::holds_alternative<std::string>(row[c]);
    columns.push_back(
        {printable(result.columns[c]), is_number ? Table::Align::right : Table::Align::left});
  }
  Table table(columns);
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const SqlValue& value : row) cells.push_back(cell_text(value));
    table.add(std::move(cells));
  }
  return table;
}

constexpr const char* help =
    "Statements end in a semicolon. Besides:\n"
    "  .tables          the tables and views\n"
    "  .schema [name]   the columns of one, or of all\n"
    "  .help            this text\n"
    "  .quit            ends it, as Ctrl-D does\n"
    "docs/sql.md says what the columns mean.\n";

}  // namespace

SqlShell::SqlShell(Sql sql, Json head, const TraceOptions& options)
    : sql_(std::move(sql)), head_(std::move(head)), options_(options) {}

int SqlShell::answer_guarded(const std::string& statement) {
  const SqlResult result = [&] {
    const Interruptible guard(sql_);
    return sql_.query(statement);
  }();
  if (result.columns.empty()) return done;
  if (!options_.json) {
    fmt::print("{}", table_of(result).text());
    return done;
  }
  Json json = head_;
  json["columns"] = result.columns;
  json["rows"] = Json::array();
  for (const auto& row : result.rows) {
    Json cells = Json::array();
    for (const SqlValue& value : row) cells.push_back(cell_json(value));
    json["rows"].push_back(std::move(cells));
  }
  print_json(json);
  return done;
}

int SqlShell::answer(const std::string& statement) {
  try {
    return statement.starts_with('.') ? command(statement) : answer_guarded(statement);
  } catch (const Error& error) {
    fmt::print(stderr, "reel: {}\n", printable(error.what()));
    return error.code() == Code::invalid_argument ? misused : failed;
  }
}

int SqlShell::command(const std::string& line) {
  const auto blank = line.find_first_of(" \t");
  const std::string word = line.substr(0, blank);
  const auto at = blank == std::string::npos ? blank : line.find_first_not_of(" \t", blank);
  const std::string name = at == std::string::npos ? "" : line.substr(at);
  if (word == ".tables") {
    for (const SqlTable& table : sql_.tables())
      fmt::print("{}{}\n", table.name, table.is_view ? "  (view)" : "");
  } else if (word == ".schema") {
    bool is_found = name.empty();
    for (const SqlTable& table : sql_.tables()) {
      if (!name.empty() && table.name != name) continue;
      fmt::print("{}\n", table.schema);
      is_found = true;
    }
    if (!is_found) {
      fmt::print(stderr, "reel: There is no table '{}'; see .tables.\n", printable(name));
      return misused;
    }
  } else if (word == ".help") {
    fmt::print("{}", help);
  } else if (word == ".quit" || word == ".exit") {
    is_quit_ = true;
  } else {
    fmt::print(stderr, "reel: There is no '{}'; see .help.\n", printable(word));
    return misused;
  }
  return done;
}

int SqlShell::read() {
  const bool is_asked = isatty(STDIN_FILENO) == 1;
  if (is_asked) fmt::print("{}: .help for help, Ctrl-D to quit\n", printable(options_.path));
  std::string statement, line;
  const auto prompt = [&] {
    if (!is_asked || is_quit_) return;
    fmt::print("{}", statement.empty() ? "reel> " : "  ... ");
    std::fflush(stdout);
  };
  const auto is_blank = [](const std::string& text) {
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
  };
  int code = done;
  for (prompt(); !is_quit_ && std::getline(std::cin, line); prompt()) {
    if (statement.empty() && is_blank(line)) continue;
    const bool is_command = statement.empty() && line.starts_with('.');
    statement += is_command ? line : line + "\n";
    if (!is_command && !Sql::ends_statement(statement)) continue;
    code = answer(std::exchange(statement, {}));
    std::fflush(stdout);
    if (code != done && !is_asked) return code;
  }
  if (!is_blank(statement)) code = answer(statement);  // the last needs no semicolon
  if (is_asked) fmt::print("\n");
  return is_asked ? done : code;
}

}  // namespace reel::cli
