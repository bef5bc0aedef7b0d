// sql_module.hpp - our tables as virtual tables of SQLite: read where they lie, never copied.
#pragma once

#include <sqlite3.h>

#include <string>

#include "export/tables/document_list.hpp"
#include "export/tables/tables.hpp"

namespace reel {

// Then CREATE VIRTUAL TABLE x USING reel(commands) makes x one of tables::all(); of a folder with
// the rows of all documents, and the columns of run_columns.hpp. The list must outlive the
// database.
void add_sql_module(sqlite3* database, tables::DocumentList& documents);

// While SQLite is told the columns of a table, which it may ask for again at any time, it runs a
// CREATE TABLE that an authorizer must let pass. Of the calling thread.
bool is_declaring_sql_table() noexcept;

// "(id INTEGER, kind TEXT, …)", with `key` "id INTEGER PRIMARY KEY" where the first column
// is one.
std::string sql_columns(const tables::Table& table, bool key);

// Runs statements that don't fail but for a full disk or want of memory.
void run_sql(sqlite3* database, const std::string& statements);

// Text that SQLite can keep: valid UTF-8, without the zero bytes at which its functions end. `text`
// itself where it is so already.
std::string_view sql_text(std::string_view text, std::string& changed);

}  // namespace reel
