// write_tables.cpp <folder> <first seed> <seeds> - tables whose cells are known, as Parquet and
// Arrow, with what is in them as JSON; and documents, as all formats that have rows.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "document/sample_document.hpp"
#include "export/export_documents.hpp"
#include "export/tables/arrow/arrow_file.hpp"
#include "export/tables/parquet/parquet_file.hpp"
#include "random_table.hpp"
#include "reel/export.hpp"

namespace {

using namespace reel;
namespace fs = std::filesystem;

void write_random(const fs::path& folder, tables::Source& source, std::uint64_t seed) {
  // Edges of eights, of pages and of groups. Of 20 and of 70,000 rows there are texts that are too
  // much for a dictionary.
  constexpr std::uint64_t rows[] = {0,   1,   2,   7,    8,    9,    20,    127,
                                    128, 129, 130, 1000, 1001, 4999, 70'000};
  constexpr parquet::Layout layouts[] = {{1'000'000, 1u << 17}, {1000, 130}, {64, 8}, {500, 1}};
  const std::uint64_t count = rows[seed % std::size(rows)];
  parquet::Layout layout = layouts[seed / std::size(rows) % std::size(layouts)];
  // Thousands of pages of each column take their time to read, and show nothing new.
  if (count > 2000) layout = layouts[seed / std::size(rows) % 2];
  const test::RandomTable made(seed, count);
  const auto name = (folder / fmt::format("random{}", seed)).string();
  std::ofstream(name + ".json") << made.json();
  std::ofstream parquet(name + ".parquet", std::ios::binary);
  std::ofstream arrow(name + ".arrow", std::ios::binary);
  arrow::write_table(
      made.table(), source, [&](std::string_view bytes) { arrow << bytes; }, layout.group_rows);
  parquet::write_table(
      made.table(), source, [&](std::string_view bytes) { parquet << bytes; }, layout);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const fs::path folder = words[1];
  const std::uint64_t first = std::stoull(words[2]), seeds = std::stoull(words[3]);
  fs::remove_all(folder);
  fs::create_directories(folder);
  using Write = std::string (*)(const std::string&);
  const std::pair<const char*, Write> documents[] = {
      {"sample", [](const std::string& path) { return test::write_sample(path); }},
      {"hostile", test::write_hostile},
      {"empty", test::write_empty},
      {"bare", test::write_bare}};
  for (const auto& [name, write] : documents) {
    const Trace trace = Trace::load(write((folder / name).string() + ".reel"));
    for (const ExportFormat format :
         {ExportFormat::jsonl, ExportFormat::parquet, ExportFormat::arrow})
      export_trace(trace, format, (folder / name).string() + extension_of(format));
  }
  const Trace empty = Trace::load((folder / "empty.reel").string());
  tables::Source source(empty);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) write_random(folder, source, seed);
  return 0;
}
