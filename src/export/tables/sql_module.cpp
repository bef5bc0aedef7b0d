#include "export/tables/sql_module.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "base/fail.hpp"
#include "graph/commands/text.hpp"

namespace reel {
namespace {

using tables::Cell;
using tables::Source;
using tables::Table;

struct TableOf : sqlite3_vtab {
  Source* source = nullptr;
  const Table* table = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  std::uint64_t row = 0, end = 0;
};

thread_local bool is_declaring = false;

TableOf& table_of(sqlite3_vtab_cursor* cursor) { return static_cast<TableOf&>(*cursor->pVtab); }

// What is asked of the first column, in idxNum; the arguments follow in this order.
enum Lookup : int { equal = 1, from = 2, up_to = 4 };

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

int connect(sqlite3* database, void* source, int count, const char* const* words,
            sqlite3_vtab** made, char** error) {
  const std::string_view name = words[count > 3 ? 3 : 2];
  const auto& all = tables::all();
  const auto table = std::ranges::find(all, name, &Table::name);
  if (table == all.end()) {
    *error = sqlite3_mprintf("a document has no table of this name");
    return SQLITE_ERROR;
  }
  // A view that somebody else made may use it: it only reads.
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  is_declaring = true;
  const int result =
      sqlite3_declare_vtab(database, ("CREATE TABLE x" + sql_columns(*table, false)).c_str());
  is_declaring = false;
  if (result != SQLITE_OK) return result;
  auto* of = new TableOf;
  of->source = static_cast<Source*>(source);
  of->table = &*table;
  *made = of;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<TableOf*>(table);
  return SQLITE_OK;
}

// Rows that are sorted by their first column are found by it, and need no sorting again.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const auto& of = static_cast<TableOf&>(*vtab);
  return guarded(vtab, [&] {
    // To count what must first be found out would make every plan wait for it.
    const double rows =
        of.table->is_found ? 10'000 : static_cast<double>(of.table->rows(*of.source)) + 1;
    int places[3] = {-1, -1, -1};  // of equal, from, up_to
    if (of.table->is_sorted)
      for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (!constraint.usable || constraint.iColumn != 0) continue;
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
    for (int kind = 0; kind < 3; ++kind) {
      if (places[kind] < 0) continue;
      info->idxNum |= 1 << kind;
      info->aConstraintUsage[places[kind]].argvIndex = ++arguments;  // and SQLite checks again
    }
    const bool is_one = info->idxNum == equal && of.table->is_unique;
    const double share = info->idxNum == equal ? 0
                         : arguments == 2      ? 0.1
                         : arguments == 1      ? 0.4
                                               : 1;
    const double expected = is_one ? 1 : 8 + share * rows;
    info->estimatedRows = static_cast<sqlite3_int64>(expected);
    info->estimatedCost = expected + (arguments ? std::log2(rows + 1) : 0);
    if (is_one) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed = of.table->is_sorted && info->nOrderBy == 1 &&
                            info->aOrderBy[0].iColumn == 0 && !info->aOrderBy[0].desc;
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

int filter(sqlite3_vtab_cursor* base, int lookups, const char*, int count, sqlite3_value** values) {
  auto& cursor = static_cast<Cursor&>(*base);
  const TableOf& of = table_of(base);
  return guarded(base->pVtab, [&] {
    cursor.row = 0;
    cursor.end = of.table->rows(*of.source);
    const auto first_from = [&](std::uint64_t value) {
      std::uint64_t low = 0, high = cursor.end;
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (is_before(of.table->columns[0].cell(*of.source, middle), value))
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    for (int i = 0; i < count; ++i) {
      const int type = sqlite3_value_numeric_type(values[i]);
      if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;  // SQLite sorts it out
    }
    int next = 0;
    std::uint64_t begin = 0, end = cursor.end;
    if (lookups & (equal | from)) begin = first_from(rounded(values[next], false));
    if (lookups & equal) end = first_from(rounded(values[next], true));
    if (lookups & (equal | from)) ++next;
    if (lookups & up_to) end = first_from(rounded(values[next], true));
    cursor.row = begin;
    cursor.end = std::max(begin, end);
  });
}

int next_row(sqlite3_vtab_cursor* base) {
  ++static_cast<Cursor*>(base)->row;
  return SQLITE_OK;
}
int is_at_end(sqlite3_vtab_cursor* base) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  return cursor.row >= cursor.end;
}
int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(base)->row);
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
        of.table->columns[static_cast<std::size_t>(column)].cell(*of.source, cursor.row);
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
  module.xCreate = [](sqlite3* database, void* source, int count, const char* const* words,
                      sqlite3_vtab** made, char** error) {
    return connect(database, source, count, words, made, error);
  };
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

void add_sql_module(sqlite3* database, tables::Source& source) {
  static const sqlite3_module module = make_module();
  if (sqlite3_create_module(database, "reel", &module, &source) != SQLITE_OK)
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
