// sql.hpp - questions to a document in SQL.
//
//   reel::Sql sql(trace);
//   const reel::SqlResult slow = sql.query("select name, total_ns from kernel_usage limit 3");
//
// The tables of docs/sql.md, read from the trace as they are asked for: nothing is copied, and what
// has to be found out (dependencies, gaps, findings) is found when a question first needs it.
// Statements only read. One thread at a time, but for interrupt(). Of one that was moved from,
// every call throws invalid_argument, but for interrupt(), which does nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;  // of a column

struct SqlResult {  // what a query gave
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
};

struct SqlTable {  // a table or a view
  std::string name;
  bool is_view = false;
  std::vector<std::string> columns;
  std::vector<std::string> meanings;  // of the columns; of a view empty: `schema` says it
  std::string schema;                 // as CREATE TABLE or CREATE VIEW would have it
};

class Sql {
 public:
  explicit Sql(const Trace& trace);
  // Many documents, by their paths: each table has the rows of all, and says of which document and
  // run each is (docs/fleet.md). They are opened one after the other, small ones once. What can't
  // be read is left out and told in problems(), where incomplete ones are, too.
  explicit Sql(const std::vector<std::string>& documents);
  ~Sql();
  Sql(Sql&&) noexcept;

  // One statement. Throws invalid_argument with what SQLite says of a statement that is wrong, or
  // would write; timed_out where it was interrupted.
  SqlResult query(const std::string& statement);
  // Row by row, as they are found; of a statement without rows `columns` alone is called. Either
  // function may be empty.
  void query(const std::string& text,
             const std::function<void(const std::vector<std::string>&)>& columns,
             const std::function<void(std::span<const SqlValue>)>& row);

  // Ends a query that is running; any thread, and handlers of signals.
  void interrupt() noexcept;

  const std::vector<std::string>& problems() const;  // of many documents: a sentence each
  std::size_t left_out() const;                      // how many of them can't be read

  const std::vector<SqlTable>& tables() const;  // and views, by name

  // True when `text` ends a statement: for those who read line by line.
  static bool ends_statement(const std::string& text);

 private:
  struct State;
  State& state(const char* operation) const;
  std::unique_ptr<State> state_;
};

}  // namespace reel
