// parquet_file.hpp - a table as a Parquet file: the format's own footer, columns by
// column_chunk.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "export/tables/tables.hpp"

namespace reel::parquet {

struct Layout {
  std::uint64_t group_rows = 1'000'000;  // of a row group
  std::uint64_t page_rows = 1u << 17;    // at most, of a page
};

// Gives the file piece by piece to `write`. Returns what isn't in it as it is in the table, a
// sentence each.
std::vector<std::string> write_table(const tables::Table& table, tables::Source& source,
                                     const std::function<void(std::string_view)>& write,
                                     const Layout& layout = {});

}  // namespace reel::parquet
