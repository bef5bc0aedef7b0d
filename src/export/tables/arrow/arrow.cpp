// arrow.cpp - tables as files of Arrow.
#include "export/export_formats.hpp"
#include "export/tables/arrow/arrow_file.hpp"
#include "export/tables/table_files.hpp"

namespace reel {

ExportReport export_arrow(const Trace& trace, const std::string& path, const ExportOptions& how) {
  return export_tables(
      trace, path, how, ".arrow",
      [](const tables::Table& table, tables::Source& source, ExportFile& file) {
        return arrow::write_table(table, source,
                                  [&](std::string_view bytes) { file.write(bytes); });
      },
      true);
}

}  // namespace reel
