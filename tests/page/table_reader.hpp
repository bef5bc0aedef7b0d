// table_reader.hpp - reads a table of columns as docs/page.md lays it out, and trusts nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reel::test {

class TableReader {
 public:
  // Throws where the bytes are no table: a header that lies, columns that overlap, or bytes left.
  explicit TableReader(std::string bytes);

  std::size_t rows() const { return rows_; }
  std::vector<std::string> names() const;
  // Any type as numbers, which all of them fit in.
  std::vector<double> column(const std::string& name) const;
  std::string type(const std::string& name) const;

 private:
  const nlohmann::json& entry(const std::string& name) const;

  std::string bytes_;
  nlohmann::json columns_;
  std::size_t rows_ = 0, begin_ = 0;
};

}  // namespace reel::test
