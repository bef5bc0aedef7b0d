// random_table.hpp - tables of every type, made of a seed, whose cells are known.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "export/tables/tables.hpp"

namespace reel::test {

// All cells are kept, so that a file can be compared with them.
class RandomTable {
 public:
  // Numbered columns: every type with every way that its values go.
  RandomTable(std::uint64_t seed, std::uint64_t rows);
  const tables::Table& table() const noexcept { return table_; }
  // {"rows": 3, "columns": [{"name": …, "type": …, "values": [null, "12", …]}]}: whole numbers in
  // decimal, flags as true and false, real numbers as their 16 hex digits, texts as they are.
  std::string json() const;

 private:
  struct Cells {
    std::vector<tables::Cell> cells;  // by key
    std::vector<std::uint32_t> keys;  // by row; empty: a cell for each
  };
  static Cells long_texts(std::uint64_t rows);
  void add(const std::string& name, tables::Type type, Cells cells);

  std::deque<Cells> cells_;
  std::deque<std::string> names_;
  tables::Table table_;
};

}  // namespace reel::test
