#include "export/tables/table_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/fail.hpp"
#include "export/tables/run_columns.hpp"

namespace reel {
namespace {

namespace fs = std::filesystem;

// Takes away what it made unless it is kept.
class TableFolder {
 public:
  TableFolder(const std::string& path, bool overwrite) : path_(path) {
    std::error_code error;
    const bool was_there = fs::exists(fs::status(path_, error));
    if (was_there && !fs::is_directory(path_, error))
      fail(Code::io_failed,
           "'{}' is not a folder; this format has a file for each table, or one that is chosen.",
           path);
    if (was_there && !overwrite && !fs::is_empty(path_, error))
      fail(Code::io_failed,
           "'{}' is a folder that is not empty, and overwriting was not asked for.", path);
    made_ = !was_there && fs::create_directories(path_, error);
    if (error) fail(Code::io_failed, "Can't make the folder '{}': {}.", path, error.message());
  }
  ~TableFolder() {
    if (is_kept_) return;
    std::error_code ignored;
    for (const std::string& file : files_) fs::remove(file, ignored);
    if (made_) fs::remove(path_, ignored);
  }
  TableFolder(const TableFolder&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  void add(const std::string& file) { files_.push_back(file); }
  std::vector<std::string> keep() {
    is_kept_ = true;
    return std::move(files_);
  }

 private:
  fs::path path_;
  bool made_ = false, is_kept_ = false;
  std::vector<std::string> files_;
};

const tables::Table& table_named(const std::string& name) {
  const auto& all = tables::all();
  const auto found = std::ranges::find(all, std::string_view(name), &tables::Table::name);
  if (found != all.end()) return *found;
  std::string names;
  for (const tables::Table& table : all)
    names += (names.empty() ? "" : ", ") + std::string(table.name);
  fail(Code::invalid_argument, "There is no table '{}'; a document has {}.", name, names);
}

}  // namespace

ExportReport export_tables(const Trace& trace, const std::string& path, const ExportOptions& how,
                           const char* extension, TableWriter write, bool has_run_columns) {
  tables::Source source(trace, how.analysis);
  ExportReport report;
  const auto write_file = [&](const tables::Table& table, const std::string& name) {
    if (how.analysis.progress) how.analysis.progress(table.name, 0);
    ExportFile file(trace, name, how);
    std::ranges::move(write(table, source, file), std::back_inserter(report.left_out));
    report.bytes += file.keep();
  };
  // The table as the format has it.
  const std::set<std::string> keys = tables::fact_keys(trace);
  const auto told = [&](const tables::Table& table) {
    return has_run_columns ? tables::with_run_columns(table, keys) : table;
  };
  if (!how.table.empty()) {
    write_file(told(table_named(how.table)), path);
    report.files = {path};
    return report;
  }
  TableFolder folder(path, how.overwrite);
  source.report();  // at once: all tables need all of it
  for (const tables::Table& table : tables::all()) {
    const std::string name = folder.file(std::string(table.name) + extension);
    write_file(told(table), name);
    folder.add(name);
  }
  report.files = folder.keep();
  return report;
}

}  // namespace reel
