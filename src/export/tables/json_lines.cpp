// json_lines.cpp - an object in a line for each row of each table.
#include "export/export_file.hpp"
#include "export/export_formats.hpp"
#include "export/tables/row_text.hpp"

namespace reel {

ExportReport export_jsonl(const Trace& trace, const std::string& path, const ExportOptions& how) {
  const bool pack = path.ends_with(".gz");
  ExportFile file(trace, path, how, pack ? ExportFile::Packing::gzip : ExportFile::Packing::none);
  tables::Source source(trace, how.analysis);
  source.report();  // at once: all tables need all of it
  file.write("{\"table\":\"document\",\"schema_version\":1}\n");
  std::string line;
  for (const tables::Table& table : tables::all()) {
    const std::uint64_t rows = table.rows(source);
    for (std::uint64_t row = 0; row < rows; ++row) {
      line.clear();
      append_json(table, source, row, line);
      file.write(line);
    }
  }
  ExportReport report;
  report.bytes = file.keep();
  report.files = {path};
  return report;
}

}  // namespace reel
