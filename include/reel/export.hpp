// export.hpp - a document as files that other programs open.
//
//   reel::export_trace(trace, reel::ExportFormat::perfetto, "pass.pftrace");
//
// docs/export.md says what each format holds. Numbers are the trace's own; what it doesn't know is
// absent, never 0. A file appears under its name when it is whole, and not at all after an error.
// Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/analysis.hpp"

namespace reel {

enum class ExportFormat : std::uint8_t {  // what is written
  perfetto,                               // protobuf, for ui.perfetto.dev and trace_processor
  chrome,   // JSON events as PyTorch's profiler writes them; gzip where the name ends in .gz
  sqlite,   // the tables and views of docs/sql.md
  dot,      // what depends on what, for Graphviz
  csv,      // a folder with a file for each table
  jsonl,    // a line for each row
  pprof,    // time by scope and kernel, gzip
  parquet,  // a folder with a file for each table, for DuckDB, pandas, Spark, …
  arrow     // the same as files of Arrow's IPC format
};

// As it is typed after --to; in the order of the enumerators.
const std::vector<std::string>& export_format_names();
std::optional<ExportFormat> parse_export_format(std::string_view name);  // "csv"
const char* extension_of(
    ExportFormat format) noexcept;  // ".pftrace"; of csv, parquet, arrow a folder's

struct ExportOptions {       // what to write
  bool overwrite = false;    // what is there already; in a folder, files of the same names
  bool hta = false;          // chrome: calls by the names that Holistic Trace Analysis knows
  std::uint32_t most = 300;  // dot: only the first so many commands
  // csv, parquet, arrow: this table of docs/sql.md alone, into a file; empty: all, into a folder
  std::string table = {};
  analysis::AnalysisOptions analysis = {};
};

struct ExportReport {  // what was written
  std::vector<std::string> files;
  std::uint64_t bytes = 0;            // of all files
  std::vector<std::string> left_out;  // and what else one should know; a sentence each
};

// "/dev/stdout" and other paths that are no files are written to as they are; sqlite and
// folders refuse them. Throws io_failed; invalid_argument where there is no such table.
ExportReport export_trace(const Trace& trace, ExportFormat format, const std::string& path,
                          const ExportOptions& options = {});

struct RunExportOptions {  // of many documents
  bool overwrite = false;
  // Each document begins at the same moment, whatever clocks say.
  bool unaligned = false;
  std::function<void(std::string_view what, double part)> progress = {};
};

// Documents of one run, as those of its ranks, in one file for Perfetto: each host is a machine,
// each document a process, all on one clock. They are read one by one; what can't be read is told
// of in left_out. Throws invalid_argument where none can, or where they have no common clock
// (docs/clocks.md) and `unaligned` isn't asked for.
ExportReport export_run(const std::vector<std::string>& paths, const std::string& path,
                        const RunExportOptions& options = {});

}  // namespace reel
