#include "reel/sql.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "base/fail.hpp"
#include "export/tables/run_columns.hpp"
#include "export/tables/sql_module.hpp"
#include "export/tables/sql_views.hpp"

namespace reel {
namespace {

// Questions alone: nothing is made, changed or attached, no file is touched, and no code is loaded.
int allow(void*, int action, const char* what, const char* argument, const char*, const char*) {
  using namespace std::string_view_literals;
  static constexpr std::array told{"table_info"sv,     "table_xinfo"sv,   "table_list"sv,
                                   "schema_version"sv, "function_list"sv, "compile_options"sv};
  if (is_declaring_sql_table()) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return argument == "load_extension"sv ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return std::ranges::find(told, std::string_view(what)) != told.end() ? SQLITE_OK
                                                                           : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

SqlValue value_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return bytes ? std::string(bytes, size) : std::string();
    }
    default:
      return {};
  }
}

struct Statement {
  sqlite3_stmt* handle = nullptr;
  ~Statement() { sqlite3_finalize(handle); }
};

}  // namespace

struct Sql::State {
  explicit State(const Trace& trace) : documents(trace) {}
  explicit State(const std::vector<std::string>& paths) : documents(paths) {}
  ~State() { sqlite3_close(database); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void open();
  void make_tables();
  void make_view(const std::string& name, const std::string& select);
  [[noreturn]] void fail_with(int code) const;

  tables::DocumentList documents;
  sqlite3* database = nullptr;
  std::vector<SqlTable> tables;
};

// A line for each column, with its meaning.
static std::string commented_schema(const tables::Table& table) {
  std::string schema = fmt::format("CREATE TABLE {}(\n", table.name);
  for (const tables::Column& column : table.columns)
    schema +=
        fmt::format("  {} {}{}{}  -- {}\n", column.name, name_of(column.type),
                    table.is_unique && &column == &table.columns.front() ? " PRIMARY KEY" : "",
                    &column == &table.columns.back() ? "" : ",", column.meaning);
  return schema + ");";
}

void Sql::State::make_tables() {
  const bool is_folder = documents.is_folder();
  for (const tables::Table& recorded : tables::all()) {
    const tables::Table table =
        is_folder ? tables::with_run_columns(recorded, documents.fact_keys()) : recorded;
    run_sql(database, fmt::format("CREATE VIRTUAL TABLE {0} USING reel({0})", table.name));
    tables.push_back({table.name, false, {}, {}, commented_schema(table)});
    for (const tables::Column& column : table.columns) {
      tables.back().columns.emplace_back(column.name);
      tables.back().meanings.emplace_back(column.meaning);
    }
  }
  for (const SqlView& view : sql_views) make_view(view.name, view.text(is_folder));
  if (is_folder) {
    // A row for each: any table with one row has what is needed.
    std::string columns;
    for (const tables::Column& column :
         tables::with_run_columns({"", nullptr, {}}, documents.fact_keys()).columns)
      columns += (columns.empty() ? "" : ", ") + column.name;
    make_view("documents", fmt::format("SELECT {} FROM activity", columns));
  }
  std::ranges::sort(tables, {}, &SqlTable::name);
}

void Sql::State::make_view(const std::string& name, const std::string& select) {
  const std::string schema = fmt::format("CREATE VIEW {} AS\n{}", name, select);
  run_sql(database, schema);
  tables.push_back({name, true, {}, {}, schema + ";"});
  Statement statement;
  sqlite3_prepare_v2(database, fmt::format("SELECT * FROM {}", name).c_str(), -1, &statement.handle,
                     nullptr);
  for (int i = 0; i < sqlite3_column_count(statement.handle); ++i)
    tables.back().columns.emplace_back(sqlite3_column_name(statement.handle, i));
}

void Sql::State::fail_with(int code) const {
  if (code == SQLITE_INTERRUPT) throw Error(Code::timed_out, "The query was interrupted.");
  if (code == SQLITE_AUTH)
    throw Error(Code::invalid_argument,
                "A document is only read, so SELECT is all there is; export it to SQLite to make "
                "tables of your own.");
  if (code == SQLITE_NOMEM) throw Error(Code::out_of_memory, "The query needs too much memory.");
  throw Error(Code::invalid_argument, fmt::format("SQL: {}.", sqlite3_errmsg(database)));
}

void Sql::State::open() {
  if (sqlite3_open(":memory:", &database) != SQLITE_OK)
    fail(Code::driver_failed, "SQLite doesn't start: {}.", sqlite3_errmsg(database));
  add_sql_module(database, documents);
  run_sql(database, "PRAGMA temp_store = memory");  // no files for large sorts, either
  make_tables();
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_set_authorizer(database, allow, nullptr);
}

Sql::Sql(const Trace& trace) : state_(std::make_unique<State>(trace)) { state_->open(); }
Sql::Sql(const std::vector<std::string>& documents) : state_(std::make_unique<State>(documents)) {
  state_->open();
}
Sql::~Sql() = default;
Sql::Sql(Sql&&) noexcept = default;

Sql::State& Sql::state(const char* operation) const {
  if (!state_)
    fail(Code::invalid_argument, "Sql::{} is called on a Sql that was moved from.", operation);
  return *state_;
}

void Sql::query(const std::string& text,
                const std::function<void(const std::vector<std::string>&)>& columns,
                const std::function<void(std::span<const SqlValue>)>& row) {
  State& state = this->state("query()");
  Statement statement;
  const char* rest = nullptr;
  const int prepared = sqlite3_prepare_v2(
      state.database, text.c_str(), static_cast<int>(text.size() + 1), &statement.handle, &rest);
  if (prepared != SQLITE_OK) state.fail_with(prepared);
  Statement second;
  if (statement.handle) sqlite3_prepare_v2(state.database, rest, -1, &second.handle, nullptr);
  if (second.handle || (statement.handle && sqlite3_errcode(state.database) != SQLITE_OK))
    throw Error(Code::invalid_argument, "SQL: there is more after the first statement.");
  std::vector<std::string> names;
  const int count = statement.handle ? sqlite3_column_count(statement.handle) : 0;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(statement.handle, i));
  if (columns) columns(names);
  if (!statement.handle) return;  // blanks and comments

  std::vector<SqlValue> values(names.size());
  for (;;) {
    const int stepped = sqlite3_step(statement.handle);
    if (stepped == SQLITE_DONE) return;
    if (stepped != SQLITE_ROW) state.fail_with(stepped);
    if (!row) continue;
    for (int i = 0; i < count; ++i)
      values[static_cast<std::size_t>(i)] = value_at(statement.handle, i);
    row(values);
  }
}

SqlResult Sql::query(const std::string& statement) {
  SqlResult result;
  query(
      statement, [&](const std::vector<std::string>& names) { result.columns = names; },
      [&](std::span<const SqlValue> row) { result.rows.emplace_back(row.begin(), row.end()); });
  return result;
}

void Sql::interrupt() noexcept {
  if (state_) sqlite3_interrupt(state_->database);
}

const std::vector<std::string>& Sql::problems() const {
  return state("problems()").documents.problems();
}
std::size_t Sql::left_out() const { return state("left_out()").documents.left_out(); }

const std::vector<SqlTable>& Sql::tables() const { return state("tables()").tables; }

bool Sql::ends_statement(const std::string& text) { return sqlite3_complete(text.c_str()) != 0; }

}  // namespace reel
