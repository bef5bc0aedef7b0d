// The description of columns against schema.fbs and docs/document-format.md.
#include "document/columns/file_columns.hpp"

#include <flatbuffers/reflection.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "document/columns/embedded_schema.hpp"

namespace reel::document {
namespace {

const reflection::Schema& schema() { return *reflection::GetSchema(embedded_schema().data()); }

TEST(FileColumns, AreThoseOfTheSchemaInTheirPlaces) {
  for (const FileTable& table : file_tables()) {
    const auto* found =
        schema().objects()->LookupByKey(("reel.schema." + std::string(table.schema)).c_str());
    ASSERT_NE(found, nullptr) << table.schema;
    std::map<int, std::string> described, stored;
    for (const FileColumn& column : table.columns) described[column.slot] = column.name;
    for (const reflection::Field* field : *found->fields())
      stored[field->id()] = field->name()->str();
    EXPECT_EQ(described, stored) << table.schema;
    EXPECT_EQ(described.size(), table.columns.size()) << table.schema;
  }
}

TEST(FileColumns, NumbersAreColumnsOfNumbersAndNothingElseIs) {
  const std::set<std::string> rows{"Device", "Stream", "Buffer",    "Image",
                                   "Kernel", "Note",   "Parameter", "Variant"};
  for (const FileTable& table : file_tables()) {
    if (rows.contains(table.schema)) continue;
    const auto* found =
        schema().objects()->LookupByKey(("reel.schema." + std::string(table.schema)).c_str());
    for (const FileColumn& column : table.columns) {
      const auto* type = found->fields()->LookupByKey(column.name)->type();
      const bool is_numbers =
          type->base_type() == reflection::Obj &&
          schema().objects()->Get(static_cast<unsigned>(type->index()))->name()->str() ==
              "reel.schema.Numbers";
      EXPECT_EQ(is_numbers, column.type <= FileType::ns) << table.schema << " " << column.name;
    }
  }
}

TEST(FileColumns, ABatchHasTheTablesInTheOrderOfTheirNumbers) {
  const auto* batch = schema().root_table();
  ASSERT_EQ(batch->fields()->size(), table_count);
  for (const reflection::Field* field : *batch->fields())
    EXPECT_EQ("/" + field->name()->str(), table_topics[field->id()]);
  std::vector<std::string> topics;
  for (const FileTable& table : file_tables())
    if (*table.topic) topics.emplace_back(table.topic);
  EXPECT_EQ(topics, std::vector<std::string>(table_topics.begin(), table_topics.end()));
}

std::string lines_of(const FileTable& table) {
  std::string lines;
  for (const FileColumn& column : table.columns)
    lines += "| `" + std::string(column.name) + "` | " + to_string(column.type) +
             (column.since > 1 ? ", since format " + std::to_string(column.since) : "") + " | " +
             column.meaning + " |\n";
  return lines;
}

TEST(FileColumns, TheDocumentDescribesThemInTheSameWords) {
  std::map<std::string, std::string> described;  // by heading
  std::ifstream document(REEL_DOCS "/document-format.md");
  std::string heading;
  bool is_columns = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("## ")) heading.clear();
    if (line.starts_with("### `/") || line.starts_with("#### `")) {
      const std::size_t begin = line.find('`') + 1;
      heading = line.substr(begin, line.find('`', begin) - begin);
    }
    if (line == "| column | type | meaning |") is_columns = true;
    if (line.empty()) is_columns = false;
    if (!heading.empty() && is_columns && line.starts_with("| `"))
      described[heading] += line + "\n";
  }
  for (const FileTable& table : file_tables())
    EXPECT_EQ(described[*table.topic ? table.topic : table.schema], lines_of(table))
        << table.schema;
}

}  // namespace
}  // namespace reel::document
