// sqlite_file.cpp - a document as a database: the tables of docs/sql.md, copied.
#include "base/fail.hpp"
#include "document/files/output_file.hpp"
#include "export/export_file.hpp"
#include "export/export_formats.hpp"
#include "export/tables/sql_module.hpp"
#include "export/tables/sql_views.hpp"

namespace reel {
namespace {

struct Database {
  sqlite3* handle = nullptr;
  ~Database() { sqlite3_close(handle); }
};

// What joins look up and ids don't find.
constexpr const char* indices[] = {
    "CREATE INDEX arguments_by_command ON arguments(command)",
    "CREATE INDEX arguments_by_buffer ON arguments(buffer)",
    "CREATE INDEX commands_by_kernel ON commands(kernel)",
    "CREATE INDEX dependencies_by_to ON dependencies(to_command)",
    "CREATE INDEX dependency_sets_by_number ON dependency_sets(set_number)",
};

}  // namespace

ExportReport export_sqlite(const Trace& trace, const std::string& path, const ExportOptions& how) {
  if (is_stream(path))
    fail(Code::io_failed, "'{}' is no file; a database can only be written into one.", path);
  // Made here, so that it is as private as the document; an empty file is an empty database.
  OutputFile file(path, {.overwrite = how.overwrite, .whole = true, .mode = mode_of(trace.path())});
  tables::DocumentList documents(trace, how.analysis);
  tables::Source& source = documents.open(0)->source;
  source.report();  // at once: all tables need all of it
  {
    Database database;
    if (sqlite3_open_v2(file.written_path().c_str(), &database.handle, SQLITE_OPEN_READWRITE,
                        nullptr) != SQLITE_OK)
      fail(Code::io_failed, "Can't create '{}': {}.", path, sqlite3_errmsg(database.handle));
    add_sql_module(database.handle, documents);
    // A file that isn't whole is thrown away, so nothing has to be written twice or waited for.
    run_sql(database.handle,
            "PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA temp_store = memory; "
            "PRAGMA page_size = 16384; BEGIN");
    for (const tables::Table& table : tables::all()) {
      if (how.analysis.progress) how.analysis.progress(table.name, 0);
      run_sql(database.handle,
              fmt::format("CREATE TABLE main.{0}{1}; CREATE VIRTUAL TABLE temp.of_{0} USING "
                          "reel({0}); INSERT INTO main.{0} SELECT * FROM temp.of_{0}; DROP TABLE "
                          "temp.of_{0}",
                          table.name, sql_columns(table, true)));
    }
    for (const char* index : indices) run_sql(database.handle, index);
    for (const SqlView& view : sql_views)
      run_sql(database.handle, fmt::format("CREATE VIEW {} AS\n{}", view.name, view.text(false)));
    run_sql(database.handle, "PRAGMA user_version = 1; COMMIT");
  }
  ExportReport report;
  report.files = {path};
  report.bytes = file.take_size();
  file.close();
  return report;
}

}  // namespace reel
