#include "export/tables/run_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace reel::tables {
namespace {

constexpr Sharing by_document{[](Source&, std::uint64_t) -> std::uint32_t { return 0; },
                              [](Source&) -> std::uint64_t { return 1; }};

// One type for a key, whatever a document has there: files of many are read as one table.
bool is_number(std::string_view key) {
  using namespace std::string_view_literals;
  constexpr std::array numbers{"rank"sv, "ranks"sv, "local_rank"sv, "node"sv, "sequence"sv};
  return std::ranges::find(numbers, key) != numbers.end();
}

Column fact_column(const std::string& key) {
  std::string name = "fact_" + key;
  std::ranges::replace(name, '.', '_');  // which would stand for something else in SQL
  const bool as_number = is_number(key);
  return {name, as_number ? Type::integer : Type::text, "a fact of the run",
          [key, as_number](Source& source, std::uint64_t) -> Cell {
            const auto& facts = source.trace().run_facts();
            const auto found = facts.find(key);
            if (found == facts.end()) return {};
            const std::string_view text = found->second;
            if (!as_number) return text;
            std::uint64_t number = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            if (error != std::errc{} || end != text.data() + text.size()) return {};
            return number;
          },
          &by_document};
}

}  // namespace

std::set<std::string> fact_keys(const Trace& trace) {
  std::set<std::string> keys;
  for (const auto& [key, value] : trace.run_facts()) keys.insert(key);
  return keys;
}

Table with_run_columns(const Table& table, const std::set<std::string>& keys) {
  Table result = table;
  result.columns.push_back(
      {"document", Type::text, "the path of the document",
       [](Source& source, std::uint64_t) { return Cell(std::string_view(source.trace().path())); },
       &by_document});
  for (const std::string& key : keys) {
    Column column = fact_column(key);
    // "a.b" and "a_b" would be the same one; the first stays.
    if (std::ranges::find(result.columns, column.name, &Column::name) == result.columns.end())
      result.columns.push_back(std::move(column));
  }
  return result;
}

}  // namespace reel::tables
