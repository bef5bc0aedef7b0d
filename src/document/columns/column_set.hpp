// column_set.hpp - the columns of one table while its batch is being filled.
//
// Column k of a table is an index into the set. Memory is kept from batch to batch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "document/columns/numbers.hpp"

namespace reel::document {

template <std::size_t N>
class ColumnSet {
 public:
  template <class... T>
  void add(T... row) {
    static_assert(sizeof...(T) == N, "one value a column");
    std::size_t column = 0;
    (columns_[column++].push_back(static_cast<std::uint64_t>(row)), ...);
  }
  std::size_t rows() const noexcept { return columns_[0].size(); }
  bool empty() const noexcept { return columns_[0].empty(); }
  void clear() {
    for (auto& column : columns_) column.clear();
  }

  using Encoded = std::array<flatbuffers::Offset<schema::Numbers>, N>;
  Encoded encode(flatbuffers::FlatBufferBuilder& builder) const {
    Encoded result;
    for (std::size_t i = 0; i < N; ++i) result[i] = document::encode(builder, columns_[i]);
    return result;
  }

 private:
  std::array<std::vector<std::uint64_t>, N> columns_;
};

}  // namespace reel::document
