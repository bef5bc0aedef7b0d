// parquet.cpp - tables as files of Parquet.
#include "export/export_formats.hpp"
#include "export/tables/parquet/parquet_file.hpp"
#include "export/tables/table_files.hpp"

namespace reel {

ExportReport export_parquet(const Trace& trace, const std::string& path, const ExportOptions& how) {
  return export_tables(
      trace, path, how, ".parquet",
      [](const tables::Table& table, tables::Source& source, ExportFile& file) {
        return parquet::write_table(table, source,
                                    [&](std::string_view bytes) { file.write(bytes); });
      },
      true);
}

}  // namespace reel
