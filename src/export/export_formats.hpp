// export_formats.hpp - the writers of export_trace(), one file each.
#pragma once

#include <string>

#include "reel/export.hpp"

namespace reel {

ExportReport export_perfetto(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_chrome(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_sqlite(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_dot(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_csv(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_jsonl(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_parquet(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_arrow(const Trace& trace, const std::string& path, const ExportOptions& how);
ExportReport export_pprof(const Trace& trace, const std::string& path, const ExportOptions& how);

// "12 of 40 commands have no times, so they aren't on the timeline.", where that is so.
void tell_untimed(const Trace& trace, ExportReport& report);
// Of slices that assign_lanes() cut.
void tell_cut(std::uint64_t slices, ExportReport& report);

}  // namespace reel
