// arrow_file.hpp - a table as a file of Arrow's IPC format: texts by dictionaries, nothing
// compressed, so that a reader uses the columns where they lie.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "export/tables/tables.hpp"

namespace reel::arrow {

// Gives the file piece by piece to `write`. Returns what isn't in it as it is in the table, a
// sentence each.
std::vector<std::string> write_table(const tables::Table& table, tables::Source& source,
                                     const std::function<void(std::string_view)>& write,
                                     std::uint64_t batch_rows = 1u << 16);

}  // namespace reel::arrow
