// column_chunk.hpp - the rows of one column in one row group: pages, and what is told of them.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/tables/column_values.hpp"
#include "export/tables/parquet/thrift_writer.hpp"

namespace reel::parquet {

// Numbers of the format.
enum class PhysicalType : std::int32_t { boolean = 0, int64 = 2, real = 5, bytes = 6 };
enum class Encoding : std::int32_t { plain = 0, rle = 3, deltas = 5, dictionary = 8 };
inline constexpr std::int32_t zstd_codec = 6;

PhysicalType physical_type(tables::Type type) noexcept;

struct ColumnChunk {
  std::vector<Encoding> encodings;
  std::uint64_t rows = 0, unknown = 0;
  std::uint64_t begin = 0;  // in the file
  std::uint64_t packed_bytes = 0, unpacked_bytes = 0;
  std::optional<std::uint64_t> data_begin, dictionary_begin;
  std::optional<std::string> least, most;  // as PLAIN has them; none: not told
};

// Takes bytes to the file, and knows how many went there.
class Sink {
 public:
  explicit Sink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  void write(std::string_view bytes) {
    write_(bytes);
    size_ += bytes.size();
  }
  std::uint64_t size() const noexcept { return size_; }

 private:
  std::function<void(std::string_view)> write_;
  std::uint64_t size_ = 0;
};

// Writes column after column. Memory is that of a chunk's numbers, and of one page.
class ChunkWriter {
 public:
  ChunkWriter(Sink& sink, std::uint64_t page_rows);

  ColumnChunk write_numbers(tables::Type type, NumberColumn& column, std::uint64_t begin,
                            std::uint64_t end);
  ColumnChunk write_texts(TextColumn& column, std::uint64_t begin, std::uint64_t end);

 private:
  enum class Page : std::int32_t { data = 0, dictionary = 2 };
  void add_page(ColumnChunk& chunk, Page kind, std::uint64_t values, Encoding encoding,
                std::string_view bytes);
  // Finds the distinct numbers of a chunk; false: too many for a dictionary to be worth it.
  bool number_dictionary();
  void append_levels(std::string& page, std::uint64_t begin, std::uint64_t end);

  Sink& sink_;
  std::uint64_t page_rows_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd_;
  NumberRows rows_;
  std::vector<std::uint32_t> places_;      // in the dictionary; of nulls anything
  std::vector<std::uint64_t> dictionary_;  // of numbers
  std::vector<std::uint64_t> slots_;       // of its hash table: place + 1
  std::vector<std::uint64_t> page_numbers_;
  std::vector<std::uint32_t> page_places_;
  std::string page_, packed_;
};

}  // namespace reel::parquet
