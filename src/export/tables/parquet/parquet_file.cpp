#include "export/tables/parquet/parquet_file.hpp"

#include <algorithm>
#include <memory>

#include "export/tables/parquet/column_chunk.hpp"

namespace reel::parquet {
namespace {

using tables::Column;
using tables::Type;

constexpr std::string_view magic = "PAR1";

struct RowGroup {
  std::uint64_t rows = 0;
  std::vector<ColumnChunk> chunks;
};

void write_schema(ThriftWriter& out, const tables::Table& table) {
  constexpr std::int32_t optional = 1;
  enum Converted : std::int32_t { utf8 = 0, uint_64 = 14, int_64 = 18 };
  out.list(2, ThriftWriter::structure, table.columns.size() + 1);
  out.begin();
  out.text(4, table.name);
  out.i32(5, static_cast<std::int32_t>(table.columns.size()));
  out.end();
  for (const Column& column : table.columns) {
    out.begin();
    out.i32(1, static_cast<std::int32_t>(physical_type(column.type)));
    out.i32(3, optional);
    out.text(4, column.name);
    const bool is_number = column.type == Type::integer || column.type == Type::natural;
    if (column.type == Type::text) {
      out.i32(6, utf8);
      out.begin(10);  // LogicalType
      out.begin(1);   // STRING
      out.end();
      out.end();
    } else if (is_number) {
      const bool is_signed = column.type == Type::integer;
      out.i32(6, is_signed ? int_64 : uint_64);
      out.begin(10);
      out.begin(10);  // INTEGER
      out.i8(1, 64);
      out.flag(2, is_signed);
      out.end();
      out.end();
    }
    out.end();
  }
}

void write_chunk(ThriftWriter& out, const Column& column, const ColumnChunk& chunk) {
  out.begin();
  out.i64(2, chunk.begin);
  out.begin(3);
  out.i32(1, static_cast<std::int32_t>(physical_type(column.type)));
  out.list(2, ThriftWriter::number, chunk.encodings.size() + 1);
  out.element(static_cast<std::int32_t>(Encoding::rle));  // of levels
  for (const Encoding encoding : chunk.encodings) out.element(static_cast<std::int32_t>(encoding));
  out.list(3, ThriftWriter::binary, 1);
  out.element(column.name);
  out.i32(4, zstd_codec);
  out.i64(5, chunk.rows);
  out.i64(6, chunk.unpacked_bytes);
  out.i64(7, chunk.packed_bytes);
  out.i64(9, *chunk.data_begin);
  if (chunk.dictionary_begin) out.i64(11, *chunk.dictionary_begin);
  out.begin(12);
  out.i64(3, chunk.unknown);
  if (chunk.most) out.text(5, *chunk.most);
  if (chunk.least) out.text(6, *chunk.least);
  out.end();
  out.end();
  out.end();
}

std::string footer_of(const tables::Table& table, const std::vector<RowGroup>& groups) {
  ThriftWriter out;
  out.begin();
  out.i32(1, 2);  // version of the format
  write_schema(out, table);
  std::uint64_t rows = 0;
  for (const RowGroup& group : groups) rows += group.rows;
  out.i64(3, rows);
  out.list(4, ThriftWriter::structure, groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::uint64_t packed = 0, unpacked = 0;
    out.begin();
    out.list(1, ThriftWriter::structure, groups[g].chunks.size());
    for (std::size_t c = 0; c < groups[g].chunks.size(); ++c) {
      write_chunk(out, table.columns[c], groups[g].chunks[c]);
      packed += groups[g].chunks[c].packed_bytes;
      unpacked += groups[g].chunks[c].unpacked_bytes;
    }
    out.i64(2, unpacked);
    out.i64(3, groups[g].rows);
    out.i64(5, groups[g].chunks.empty() ? magic.size() : groups[g].chunks[0].begin);
    out.i64(6, packed);
    out.i16(7, static_cast<std::int16_t>(std::min<std::size_t>(g, 32767)));
    out.end();
  }
  out.list(5, ThriftWriter::structure, 1);
  out.begin();
  out.text(1, "reel.schema_version");
  out.text(2, "1");
  out.end();
  out.text(6, "reel version " REEL_VERSION);
  // Bounds are in the order that each type has: without this, readers may not use them.
  out.list(7, ThriftWriter::structure, table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    out.begin();
    out.begin(1);
    out.end();
    out.end();
  }
  out.end();
  return out.bytes();
}

}  // namespace

std::vector<std::string> write_table(const tables::Table& table, tables::Source& source,
                                     const std::function<void(std::string_view)>& write,
                                     const Layout& layout) {
  Sink sink(write);
  sink.write(magic);
  ChunkWriter chunks(sink, layout.page_rows);
  struct Reader {
    std::unique_ptr<NumberColumn> numbers;
    std::unique_ptr<TextColumn> texts;
  };
  std::vector<Reader> readers;
  for (const Column& column : table.columns) {
    Reader& reader = readers.emplace_back();
    if (column.type == Type::text)
      reader.texts = std::make_unique<TextColumn>(column, source);
    else
      reader.numbers = std::make_unique<NumberColumn>(column, source);
  }
  const std::uint64_t rows = table.rows(source);
  std::vector<RowGroup> groups;
  for (std::uint64_t begin = 0; begin < rows; begin += layout.group_rows) {
    const std::uint64_t end = std::min(rows, begin + layout.group_rows);
    RowGroup& group = groups.emplace_back();
    group.rows = end - begin;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      group.chunks.push_back(
          readers[c].texts
              ? chunks.write_texts(*readers[c].texts, begin, end)
              : chunks.write_numbers(table.columns[c].type, *readers[c].numbers, begin, end));
  }
  const std::string footer = footer_of(table, groups);
  sink.write(footer);
  const auto size = static_cast<std::uint32_t>(footer.size());
  std::string tail;
  for (int i = 0; i < 4; ++i) tail += static_cast<char>(size >> (8 * i));
  sink.write(tail);
  sink.write(magic);

  std::vector<std::string> left_out;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (readers[c].numbers) tell_too_large(table, table.columns[c], *readers[c].numbers, left_out);
  return left_out;
}

}  // namespace reel::parquet
