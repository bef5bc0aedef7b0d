#include "random_table.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "graph/commands/text.hpp"

namespace reel::test {
namespace {

using tables::Cell;
using tables::Type;

// Of the table that is written now: a table's functions are plain ones.
std::uint64_t rows_now = 0;

enum class Way { constant, runs, few, rising, random, edges };
constexpr Way ways[] = {Way::constant, Way::runs, Way::few, Way::rising, Way::random, Way::edges};
constexpr const char* way_names[] = {"constant", "runs", "few", "rising", "random", "edges"};
enum class Nulls { none, some, most, all };
constexpr Nulls nulls[] = {Nulls::none, Nulls::some, Nulls::most, Nulls::all};
constexpr const char* null_names[] = {"none", "some", "most", "all"};

class Values {
 public:
  Values(std::mt19937_64& random, Type type, Way way) : random_(random), type_(type), way_(way) {
    seed_ = random_();
    run_ = random_();
  }
  Cell next() {
    std::uint64_t bits = 0;
    switch (way_) {
      case Way::constant:
        bits = seed_;
        break;
      case Way::runs:
        if (random_() % 40 == 0) run_ = random_();
        bits = run_;
        break;
      case Way::few:
        bits = seed_ + random_() % 13;
        break;
      case Way::rising:
        bits = base_ += random_() % 3000;
        break;
      case Way::random:
        bits = random_();
        break;
      case Way::edges:
        return edge();
    }
    return cell_of(bits);
  }

 private:
  Cell cell_of(std::uint64_t bits) const {
    switch (type_) {
      case Type::integer:
        return bits >> 1;
      case Type::natural:
        return bits;
      case Type::flag:
        return bits % 2;
      case Type::real:
        return static_cast<double>(static_cast<std::int64_t>(bits)) / 1000;
      case Type::text:
        break;
    }
    return fmt::format("text {:x}", bits);
  }
  Cell edge() {
    using Real = std::numeric_limits<double>;
    constexpr std::uint64_t high = 1ull << 63;
    switch (type_) {
      case Type::integer: {
        const std::uint64_t list[] = {0, 1, 127, 128, 1ull << 32, high - 1, high - 2};
        return list[random_() % std::size(list)];
      }
      case Type::natural: {
        const std::uint64_t list[] = {0, 1, high - 1, high, high + 1, ~0ull, ~0ull - 1};
        return list[random_() % std::size(list)];
      }
      case Type::real: {
        const double list[] = {0.0,
                               -0.0,
                               Real::infinity(),
                               -Real::infinity(),
                               Real::max(),
                               Real::denorm_min(),
                               Real::lowest(),
                               0.1,
                               Real::quiet_NaN()};
        return list[random_() % std::size(list)];
      }
      case Type::flag:
        return random_() % 2;
      case Type::text:
        break;
    }
    using namespace std::string_literals;
    const std::string list[] = {"",
                                " ",
                                "\"'`,;\r\n\t\\",
                                "a\0b"s,
                                "\0"s,
                                "µ",
                                "日本語",
                                "😀 \xf4\x8f\xbf\xbf",
                                "not first: \xef\xbb\xbf",
                                "NULL",
                                "null",
                                "\x7f\x01",
                                "</script>",
                                std::string(300, 'x'),
                                "\xff\xfe not UTF-8 \xc3\x28",
                                std::string(20'000, 'y')};
    // Thousands of long ones make the list of what is expected too long.
    return list[random_() % (std::size(list) - (rows_now > 1001))];
  }

  std::mt19937_64& random_;
  Type type_;
  Way way_;
  std::uint64_t seed_ = 0, run_ = 0, base_ = 0;
};

const char* type_name(Type type) {
  constexpr const char* names[] = {"integer", "natural", "flag", "real", "text"};
  return names[static_cast<std::size_t>(type)];
}

nlohmann::json json_of(Type type, const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) {
    if (type == Type::flag) return *number != 0;
    return std::to_string(*number);
  }
  if (const auto* real = std::get_if<double>(&cell))
    return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(*real));
  if (const auto* text = std::get_if<std::string>(&cell)) return valid_utf8(*text);
  return {};
}

// Shared cells go by the row's place in a list that only they know: one for all.
std::vector<std::uint32_t>* keys_now = nullptr;
constexpr tables::Sharing by_key{
    [](tables::Source&, std::uint64_t row) { return (*keys_now)[row]; },
    [](tables::Source&) -> std::uint64_t { return 50; }};
std::vector<std::uint32_t> shared_keys;

}  // namespace

// More bytes than a dictionary takes.
RandomTable::Cells RandomTable::long_texts(std::uint64_t rows) {
  Cells cells;
  for (std::uint64_t i = 0; i < rows; ++i)
    cells.cells.emplace_back(std::string((1u << 20) + i, static_cast<char>('a' + i)));
  return cells;
}

RandomTable::RandomTable(std::uint64_t seed, std::uint64_t rows)
    : table_{"random", [](tables::Source&) { return rows_now; }, {}} {
  rows_now = rows;
  std::mt19937_64 random(seed);
  shared_keys.resize(rows);
  for (std::uint32_t& key : shared_keys) key = static_cast<std::uint32_t>(random() % 50);
  keys_now = &shared_keys;
  for (const Type type : {Type::integer, Type::natural, Type::flag, Type::real, Type::text})
    for (std::size_t w = 0; w < std::size(ways); ++w)
      for (std::size_t n = 0; n < std::size(nulls); ++n) {
        if (rows > 10'000 && (ways[w] != Way::random || n > 1)) continue;
        Values values(random, type, ways[w]);
        const bool is_shared = rows <= 10'000 && random() % 4 == 0;
        Cells cells;
        const std::uint64_t count = is_shared ? 50 : rows;
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::uint64_t dice = random() % 10;
          const bool is_null = nulls[n] == Nulls::all || (nulls[n] == Nulls::some && dice < 3) ||
                               (nulls[n] == Nulls::most && dice < 9);
          cells.cells.push_back(is_null ? Cell() : values.next());
        }
        if (is_shared) cells.keys = shared_keys;
        add(fmt::format("{}_{}_{}{}", type_name(type), way_names[w], null_names[n],
                        is_shared ? "_shared" : ""),
            type, std::move(cells));
      }
  if (rows == 20) add("text_long", Type::text, long_texts(rows));
}

void RandomTable::add(const std::string& name, Type type, Cells given) {
  Cells& cells = cells_.emplace_back(std::move(given));
  table_.columns.push_back({names_.emplace_back(name).c_str(), type, "",
                            [&cells](tables::Source&, std::uint64_t row) {
                              return cells.cells[cells.keys.empty() ? row : cells.keys[row]];
                            },
                            cells.keys.empty() ? nullptr : &by_key});
}

std::string RandomTable::json() const {
  nlohmann::json all{{"rows", rows_now}, {"columns", nlohmann::json::array()}};
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Type type = table_.columns[c].type;
    nlohmann::json values = nlohmann::json::array();
    for (std::uint64_t row = 0; row < rows_now; ++row)
      values.push_back(
          json_of(type, cells_[c].cells[cells_[c].keys.empty() ? row : cells_[c].keys[row]]));
    all["columns"].push_back(
        {{"name", names_[c]}, {"type", type_name(type)}, {"values", std::move(values)}});
  }
  return all.dump();
}

}  // namespace reel::test
