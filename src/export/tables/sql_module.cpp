#include "export/tables/sql_module.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "base/fail.hpp"
#include "export/tables/run_columns.hpp"
#include "graph/commands/text.hpp"

namespace reel {
namespace {

using tables::Cell;
using tables::Table;

struct TableOf : sqlite3_vtab {
  tables::DocumentList* documents = nullptr;
  Table table;
  int document_column = -1;  // of a folder
};

struct Cursor : sqlite3_vtab_cursor {
  std::size_t document = 0, last_document = 0;  // up to which it goes, exclusive
  std::shared_ptr<tables::DocumentList::Opened> opened;
  std::uint64_t row = 0, end = 0;
  std::optional<std::uint64_t> from, beyond;  // of the first column
};

thread_local bool is_declaring = false;

TableOf& table_of(sqlite3_vtab_cursor* cursor) { return static_cast<TableOf&>(*cursor->pVtab); }

// What is asked of the first column, and of the document, in idxNum; the arguments follow in this
// order.
enum Lookup : int { equal = 1, from = 2, up_to = 4, of_document = 8 };

// Nothing of ours may throw through SQLite.
template <class Work>
int guarded(sqlite3_vtab* table, const Work& work) noexcept {
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* list, int count, const char* const* words, sqlite3_vtab** made,
            char** error) {
  const std::string_view name = words[count > 3 ? 3 : 2];
  const auto& all = tables::all();
  const auto table = std::ranges::find(all, name, &Table::name);
  if (table == all.end()) {
    *error = sqlite3_mprintf("a document has no table of this name");
    return SQLITE_ERROR;
  }
  auto of = std::make_unique<TableOf>();
  of->documents = static_cast<tables::DocumentList*>(list);
  of->table = *table;
  if (of->documents->is_folder()) {
    of->document_column = static_cast<int>(table->columns.size());
    of->table = tables::with_run_columns(*table, of->documents->fact_keys());
  }
  // A view that somebody else made may use it: it only reads.
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  is_declaring = true;
  const int result =
      sqlite3_declare_vtab(database, ("CREATE TABLE x" + sql_columns(of->table, false)).c_str());
  is_declaring = false;
  if (result != SQLITE_OK) return result;
  *made = of.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<TableOf*>(table);
  return SQLITE_OK;
}

// Of a folder, and of what must first be found out, rows are not counted: every plan would wait.
double expected_rows(const TableOf& of) {
  if (of.documents->is_folder() || of.table.is_found) return 10'000;
  return static_cast<double>(of.table.rows(of.documents->open(0)->source)) + 1;
}

// Rows that are sorted by their first column are found by it, and need no sorting again.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const auto& of = static_cast<TableOf&>(*vtab);
  return guarded(vtab, [&] {
    const double rows = expected_rows(of);
    int places[4] = {-1, -1, -1, -1};  // of equal, from, up_to, of_document
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (!constraint.usable) continue;
      if (constraint.iColumn == of.document_column && of.document_column >= 0 &&
          constraint.op == SQLITE_INDEX_CONSTRAINT_EQ)
        places[3] = i;
      if (!of.table.is_sorted || constraint.iColumn != 0) continue;
      switch (constraint.op) {
        case SQLITE_INDEX_CONSTRAINT_EQ:
          places[0] = i;
          break;
        case SQLITE_INDEX_CONSTRAINT_GT:
        case SQLITE_INDEX_CONSTRAINT_GE:
          places[1] = i;
          break;
        case SQLITE_INDEX_CONSTRAINT_LT:
        case SQLITE_INDEX_CONSTRAINT_LE:
          places[2] = i;
          break;
        default:
          break;
      }
    }
    if (places[0] >= 0) places[1] = places[2] = -1;
    int arguments = 0;
    for (int kind = 0; kind < 4; ++kind) {
      if (places[kind] < 0) continue;
      info->idxNum |= 1 << kind;
      info->aConstraintUsage[places[kind]].argvIndex = ++arguments;  // and SQLite checks again
    }
    const int bounds = (places[0] >= 0) + (places[1] >= 0) + (places[2] >= 0);
    const bool is_one_document = !of.documents->is_folder() || places[3] >= 0;
    const bool is_one = places[0] >= 0 && of.table.is_unique && is_one_document;
    const double share = places[0] >= 0 ? 0 : bounds == 2 ? 0.1 : bounds == 1 ? 0.4 : 1;
    const double documents = is_one_document ? 1 : static_cast<double>(of.documents->size()) + 1;
    const double expected = is_one ? 1 : (8 + share * rows) * documents;
    info->estimatedRows = static_cast<sqlite3_int64>(expected);
    info->estimatedCost = expected + (arguments ? std::log2(rows + 1) : 0);
    if (is_one) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed = !of.documents->is_folder() && of.table.is_sorted &&
                            info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0 &&
                            !info->aOrderBy[0].desc;
  });
}

// Nothing comes before every number.
bool is_before(const Cell& cell, std::uint64_t value) {
  const auto* number = std::get_if<std::uint64_t>(&cell);
  return !number || *number < value;
}

// The smallest number that isn't less than a value, and of `up_to` the first beyond it.
std::uint64_t rounded(sqlite3_value* value, bool beyond) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    const auto number = sqlite3_value_int64(value);
    if (number < 0) return 0;
    return static_cast<std::uint64_t>(number) + (beyond ? 1 : 0);
  }
  const double number = sqlite3_value_double(value);
  if (!(number > 0)) return beyond && number == 0 ? 1 : 0;
  if (number >= 9.2e18) return beyond ? std::numeric_limits<std::uint64_t>::max() : most;
  return static_cast<std::uint64_t>(number) + (beyond ? 1 : 0);
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = new Cursor;
  return SQLITE_OK;
}
int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

// Goes to the first row that is asked for, of this document or of one after it.
void find_row(const TableOf& of, Cursor& cursor) {
  for (; cursor.document < cursor.last_document; ++cursor.document) {
    cursor.opened = of.documents->open(cursor.document);
    tables::Source& source = cursor.opened->source;
    const std::uint64_t rows = of.table.rows(source);
    const auto first_from = [&](std::uint64_t value) {
      std::uint64_t low = 0, high = rows;
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (is_before(of.table.columns[0].cell(source, middle), value))
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    cursor.row = cursor.from ? first_from(*cursor.from) : 0;
    cursor.end = cursor.beyond ? first_from(*cursor.beyond) : rows;
    if (cursor.row < cursor.end) return;
  }
  cursor.opened.reset();
  cursor.row = cursor.end = 0;
}

int filter(sqlite3_vtab_cursor* base, int lookups, const char*, int, sqlite3_value** values) {
  auto& cursor = static_cast<Cursor&>(*base);
  const TableOf& of = table_of(base);
  return guarded(base->pVtab, [&] {
    cursor.document = 0;
    cursor.last_document = of.documents->size();
    cursor.from.reset();
    cursor.beyond.reset();
    int next = 0;
    // What is no number is left to SQLite, which looks at every row again.
    const auto number = [&](bool beyond) -> std::optional<std::uint64_t> {
      const int type = sqlite3_value_numeric_type(values[next]);
      if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
      return rounded(values[next], beyond);
    };
    if (lookups & (equal | from)) cursor.from = number(false);
    if (lookups & equal) cursor.beyond = number(true);
    if (lookups & (equal | from)) ++next;
    if (lookups & up_to) {
      cursor.beyond = number(true);
      ++next;
    }
    if ((lookups & of_document) && sqlite3_value_type(values[next]) == SQLITE_TEXT) {
      const std::string_view path(reinterpret_cast<const char*>(sqlite3_value_text(values[next])),
                                  static_cast<std::size_t>(sqlite3_value_bytes(values[next])));
      // One that isn't found may be a path with other bytes than its text.
      if (const auto found = of.documents->find(path)) {
        cursor.document = *found;
        cursor.last_document = *found + 1;
      }
    }
    find_row(of, cursor);
  });
}

int next_row(sqlite3_vtab_cursor* base) {
  auto& cursor = static_cast<Cursor&>(*base);
  if (++cursor.row < cursor.end) return SQLITE_OK;
  return guarded(base->pVtab, [&] {
    ++cursor.document;
    find_row(table_of(base), cursor);
  });
}
int is_at_end(sqlite3_vtab_cursor* base) {
  return static_cast<const Cursor&>(*base).opened == nullptr;
}
int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  *id = static_cast<sqlite3_int64>(cursor.document << 40 | cursor.row);
  return SQLITE_OK;
}

void give(sqlite3_context* context, std::string_view text, sqlite3_destructor_type lives) {
  std::string changed;
  const std::string_view given = sql_text(text, changed);
  sqlite3_result_text64(context, given.data() ? given.data() : "", given.size(),
                        given.data() == text.data() ? lives : SQLITE_TRANSIENT, SQLITE_UTF8);
}

int cell(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  const TableOf& of = table_of(base);
  return guarded(base->pVtab, [&] {
    const Cell value =
        of.table.columns[static_cast<std::size_t>(column)].cell(cursor.opened->source, cursor.row);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      // SQLite's numbers have a sign; what doesn't fit is as near as a real number is.
      if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        sqlite3_result_double(context, static_cast<double>(*number));
      else
        sqlite3_result_int64(context, static_cast<sqlite3_int64>(*number));
    } else if (const auto* real = std::get_if<double>(&value)) {
      sqlite3_result_double(context, *real);
    } else if (const auto* view = std::get_if<std::string_view>(&value)) {
      give(context, *view, SQLITE_STATIC);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      give(context, *text, SQLITE_TRANSIENT);
    }
  });
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 1;
  // Two functions, so that a table has to be made before it is used.
  module.xCreate = [](sqlite3* database, void* list, int count, const char* const* words,
                      sqlite3_vtab** made,
                      char** error) { return connect(database, list, count, words, made, error); };
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next_row;
  module.xEof = is_at_end;
  module.xColumn = cell;
  module.xRowid = row_id;
  return module;
}

}  // namespace

void add_sql_module(sqlite3* database, tables::DocumentList& documents) {
  static const sqlite3_module module = make_module();
  if (sqlite3_create_module(database, "reel", &module, &documents) != SQLITE_OK)
    fail(Code::driver_failed, "SQLite takes no tables: {}.", sqlite3_errmsg(database));
}

bool is_declaring_sql_table() noexcept { return is_declaring; }

std::string sql_columns(const tables::Table& table, bool key) {
  std::string list;
  for (const tables::Column& column : table.columns) {
    list += fmt::format("{}{} {}", list.empty() ? "(" : ", ", column.name, name_of(column.type));
    if (key && table.is_unique && &column == &table.columns.front()) list += " PRIMARY KEY";
  }
  return list + ")";
}

void run_sql(sqlite3* database, const std::string& statements) {
  if (sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  if (sqlite3_errcode(database) == SQLITE_NOMEM)
    fail(Code::out_of_memory, "There is no memory for SQLite to go on.");
  const char* file = sqlite3_db_filename(database, "main");
  fail(Code::io_failed, "Can't write '{}': {}.", file && *file ? file : "a table in memory",
       sqlite3_errmsg(database));
}

std::string_view sql_text(std::string_view text, std::string& changed) {
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return c != 0 && static_cast<unsigned char>(c) < 0x80; });
  if (is_plain) return text;
  changed = valid_utf8(text);
  for (std::size_t at = 0; (at = changed.find('\0', at)) != std::string::npos;)
    changed.replace(at, 1, "\xef\xbf\xbd");
  return changed;
}

}  // namespace reel
