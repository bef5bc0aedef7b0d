// table_files.hpp - formats that have a file for each table: a folder of them, or one table alone.
#pragma once

#include <string>
#include <vector>

#include "export/export_file.hpp"
#include "export/tables/tables.hpp"
#include "reel/export.hpp"

namespace reel {

// Writes one table; returns what one should know of it, a sentence each.
using TableWriter = std::vector<std::string> (*)(const tables::Table&, tables::Source&,
                                                 ExportFile&);

// All tables into the folder `path`, or the one that the options name into the file `path`. After
// an error nothing of it is there. Files of many documents are read as one table where each row
// says which run it is of: `has_run_columns`.
ExportReport export_tables(const Trace& trace, const std::string& path, const ExportOptions& how,
                           const char* extension, TableWriter write, bool has_run_columns);

}  // namespace reel
