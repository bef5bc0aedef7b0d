// row_text.hpp - rows of tables as lines of text.
#pragma once

#include <string>

#include "export/tables/tables.hpp"

namespace reel {

// RFC 4180: texts in quotes, where nothing stands for nothing and "" for an empty text. Numbers as
// they are. Ends in \r\n.
std::string csv_header(const tables::Table& table);
void append_csv(const tables::Table& table, tables::Source& source, std::uint64_t row,
                std::string& line);

// {"table":"commands","id":0,…}: without the cells that have nothing. Ends in \n.
void append_json(const tables::Table& table, tables::Source& source, std::uint64_t row,
                 std::string& line);

}  // namespace reel
