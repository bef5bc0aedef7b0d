// csv.cpp - tables as RFC 4180 has them.
#include "export/export_formats.hpp"
#include "export/tables/row_text.hpp"
#include "export/tables/table_files.hpp"

namespace reel {

ExportReport export_csv(const Trace& trace, const std::string& path, const ExportOptions& how) {
  return export_tables(
      trace, path, how, ".csv",
      [](const tables::Table& table, tables::Source& source, ExportFile& file) {
        file.write(csv_header(table));
        const std::uint64_t rows = table.rows(source);
        std::string line;
        for (std::uint64_t row = 0; row < rows; ++row) {
          line.clear();
          append_csv(table, source, row, line);
          file.write(line);
        }
        return std::vector<std::string>{};
      },
      false);
}

}  // namespace reel
