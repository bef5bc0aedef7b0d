// csv.cpp - a folder with a file for each table.
#include <filesystem>

#include "base/fail.hpp"
#include "export/export_file.hpp"
#include "export/export_formats.hpp"
#include "export/tables/row_text.hpp"

namespace reel {
namespace {

namespace fs = std::filesystem;

// Takes away what it made unless it is kept.
class CsvFolder {
 public:
  CsvFolder(const std::string& path, bool overwrite) : path_(path) {
    std::error_code error;
    const bool was_there = fs::exists(fs::status(path_, error));
    if (was_there && !fs::is_directory(path_, error))
      fail(Code::io_failed, "'{}' is not a folder; CSV is a file for each table.", path);
    if (was_there && !overwrite && !fs::is_empty(path_, error))
      fail(Code::io_failed, "'{}' is not empty, and overwriting was not asked for.", path);
    made_ = !was_there && fs::create_directories(path_, error);
    if (error) fail(Code::io_failed, "Can't make the folder '{}': {}.", path, error.message());
  }
  ~CsvFolder() {
    if (is_kept_) return;
    std::error_code ignored;
    for (const std::string& file : files_) fs::remove(file, ignored);
    if (made_) fs::remove(path_, ignored);
  }
  CsvFolder(const CsvFolder&) = delete;
  CsvFolder& operator=(const CsvFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / (name + ".csv")).string(); }
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

}  // namespace

ExportReport export_csv(const Trace& trace, const std::string& path, const ExportOptions& how) {
  CsvFolder folder(path, how.overwrite);
  tables::Source source(trace, how.analysis);
  source.report();  // at once: all tables need all of it
  ExportReport report;
  for (const tables::Table& table : tables::all()) {
    const std::string name = folder.file(table.name);
    ExportFile file(trace, name, how);
    file.write(csv_header(table));
    const std::uint64_t rows = table.rows(source);
    std::string line;
    for (std::uint64_t row = 0; row < rows; ++row) {
      line.clear();
      append_csv(table, source, row, line);
      file.write(line);
    }
    report.bytes += file.keep();
    folder.add(name);
  }
  report.files = folder.keep();
  return report;
}

}  // namespace reel
