#include "table_reader.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

namespace reel::test {
namespace {

const std::map<std::string, std::size_t> widths{{"u8", 1}, {"u16", 2}, {"u32", 4}, {"f64", 8}};

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  if (offset + sizeof(T) > bytes.size()) throw std::runtime_error("the table ends early");
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace

TableReader::TableReader(std::string bytes) : bytes_(std::move(bytes)) {
  if (!bytes_.starts_with("RCOL")) throw std::runtime_error("no RCOL");
  begin_ = 8 + at<std::uint32_t>(bytes_, 4);
  if (begin_ % 8 != 0) throw std::runtime_error("the columns aren't aligned");
  const auto header = nlohmann::json::parse(bytes_.substr(8, begin_ - 8));
  rows_ = header.at("rows");
  columns_ = header.at("columns");
  std::size_t expected = 0;
  for (const auto& column : columns_) {
    if (column.at("offset") != expected) throw std::runtime_error("a column is somewhere else");
    expected += (rows_ * widths.at(column.at("type")) + 7) / 8 * 8;
  }
  if (bytes_.size() != begin_ + expected) throw std::runtime_error("the table has another size");
}

const nlohmann::json& TableReader::entry(const std::string& name) const {
  for (const auto& column : columns_)
    if (column.at("name") == name) return column;
  throw std::runtime_error("no column " + name);
}

std::vector<std::string> TableReader::names() const {
  std::vector<std::string> names;
  for (const auto& column : columns_) names.push_back(column.at("name"));
  return names;
}

std::string TableReader::type(const std::string& name) const { return entry(name).at("type"); }

std::vector<double> TableReader::column(const std::string& name) const {
  const std::size_t begin = begin_ + entry(name).at("offset").get<std::size_t>();
  const std::string kind = type(name);
  std::vector<double> values;
  for (std::size_t i = 0; i < rows_; ++i) {
    if (kind == "u8") values.push_back(at<std::uint8_t>(bytes_, begin + i));
    if (kind == "u16") values.push_back(at<std::uint16_t>(bytes_, begin + 2 * i));
    if (kind == "u32") values.push_back(at<std::uint32_t>(bytes_, begin + 4 * i));
    if (kind == "f64") values.push_back(at<double>(bytes_, begin + 8 * i));
  }
  return values;
}

}  // namespace reel::test
