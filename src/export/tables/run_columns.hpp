// run_columns.hpp - which run rows are of, as columns that any table may have besides its own.
#pragma once

#include <set>
#include <string>

#include "export/tables/tables.hpp"

namespace reel::tables {

// Facts of the run that are there.
std::set<std::string> fact_keys(const Trace& trace);

// The table with `document`, its path, and a column for each of these facts, as `fact_commit`,
// after its own. rank, ranks, local_rank, node and sequence are integers, others texts; NULL where
// the document doesn't have it.
Table with_run_columns(const Table& table, const std::set<std::string>& keys);

}  // namespace reel::tables
