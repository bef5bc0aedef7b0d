// Tables as text, pictures of dependencies, and how files come to be.
#include "reel/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/run_program.hpp"
#include "decoded.hpp"
#include "document/sample_document.hpp"
#include "expect_error.hpp"
#include "export_documents.hpp"
#include "graph/commands/text.hpp"

namespace reel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Exports : public testing::Test {
 protected:
  std::string written(const Trace& trace, ExportFormat format, const std::string& name,
                      ExportOptions options = {.overwrite = true}) {
    report = export_trace(trace, format, folder / name, options);
    return folder / name;
  }
  std::vector<std::string> names_here() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fs::path(folder / "")))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder;
  Trace sample = Trace::load(write_sample(folder / "s.reel"));
  Trace hostile = Trace::load(write_hostile(folder / "h.reel"));
  ExportReport report;
};

// As RFC 4180 reads: fields, and which of them were in quotes.
std::vector<std::vector<std::pair<std::string, bool>>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::pair<std::string, bool>>> rows(1);
  std::string field;
  bool in_quotes = false, was_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      if (c != '"')
        field += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        in_quotes = false;
    } else if (c == '"') {
      in_quotes = was_quoted = true;
    } else if (c == ',' || c == '\n') {
      rows.back().emplace_back(std::exchange(field, {}), std::exchange(was_quoted, false));
      if (c == '\n') rows.emplace_back();
    } else if (c != '\r') {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

TEST_F(Exports, CsvHasAFileForEachTableAndEveryByteOfAText) {
  const std::string path = written(hostile, ExportFormat::csv, "tables");
  EXPECT_GT(report.files.size(), 15);
  const auto kernels = parse_csv(read_text(path + "/kernels.csv"));
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0][2].first, "name");
  std::string expected = valid_utf8(hostile_name);
  expected.replace(expected.find('\0'), 1, "\xef\xbf\xbd");
  EXPECT_EQ(kernels[1][2].first, expected);
  const auto commands = parse_csv(read_text(path + "/commands.csv"));
  ASSERT_EQ(commands.size(), 11);
  for (const auto& row : commands) EXPECT_EQ(row.size(), commands[0].size());
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < commands[0].size(); ++i) columns[commands[0][i].first] = i;
  EXPECT_EQ(commands[1][columns["run_ns"]].first, "200");
  EXPECT_EQ(commands[6][columns["run_ns"]], (std::pair<std::string, bool>("", false)));
}

TEST_F(Exports, JsonLinesHaveAnObjectForEachRow) {
  std::istringstream lines(read_text(written(hostile, ExportFormat::jsonl, "x.jsonl")));
  std::map<std::string, std::vector<json>> tables;
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    tables[row["table"]].push_back(row);
  }
  EXPECT_EQ(tables["document"][0]["schema_version"], 1);
  EXPECT_EQ(tables["commands"].size(), 10);
  EXPECT_EQ(tables["commands"][0]["run_ns"], 200);
  EXPECT_FALSE(tables["commands"][5].contains("run_ns"));
  EXPECT_EQ(tables["kernels"][0]["name"], valid_utf8(hostile_name));
}

// What Graphviz's language asks for, as far as we use it: strings that end, brackets that close.
void expect_dot(const std::string& text) {
  std::vector<char> open;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      EXPECT_NE(c, '\n') << "a string over two lines";
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), c);
      open.pop_back();
    }
  }
  EXPECT_FALSE(in_string);
  EXPECT_THAT(open, IsEmpty());
  EXPECT_THAT(text, testing::StartsWith("digraph reel {\n"));
}

TEST_F(Exports, DotDrawsEachKindOfDependencyItsOwnWay) {
  const std::string text = read_text(written(sample, ExportFormat::dot, "s.dot"));
  expect_dot(text);
  EXPECT_THAT(
      text, AllOf(HasSubstr("c0 -> c2 [style=solid"), HasSubstr("c5 -> c9 [style=dashed"),
                  HasSubstr("c3 -> c4 [style=bold, color=\"#dc2626\""), HasSubstr("label=\"race\""),
                  HasSubstr("label=\"layer0\""), HasSubstr("label=\"attention\"")));
  EXPECT_THAT(report.left_out, IsEmpty());
}

TEST_F(Exports, DotSaysWhatItLeavesOut) {
  const std::string text =
      read_text(written(sample, ExportFormat::dot, "s.dot", {.overwrite = true, .most = 3}));
  expect_dot(text);
  EXPECT_THAT(text, AllOf(HasSubstr("c2 ["), Not(HasSubstr("c3 [")), HasSubstr("and 8 more")));
  EXPECT_THAT(report.left_out, ElementsAre(HasSubstr("The first 3 of 11 commands are drawn")));
}

TEST_F(Exports, GraphvizDrawsHostileNames) {
  const std::string path = written(hostile, ExportFormat::dot, "h.dot");
  expect_dot(read_text(path));
  if (run_program({"/bin/sh", "-c", "command -v dot"}).exit_code != 0)
    GTEST_SKIP() << "dot is not here";
  const Outcome run =
      run_program({"/bin/sh", "-c", "dot -Tsvg '" + path + "' -o '" + path + ".svg'"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(read_text(path + ".svg"), Not(HasSubstr("<script")));
}

// --- files
// ----------------------------------------------------------------------------------------

std::vector<ExportFormat> all_formats() {
  std::vector<ExportFormat> list;
  for (const std::string& name : export_format_names())
    list.push_back(parse_export_format(name).value());
  return list;
}

TEST_F(Exports, EveryFormatTakesEveryDocument) {
  const Trace empty = Trace::load(write_empty(folder / "e.reel"));
  const Trace bare = Trace::load(write_bare(folder / "b.reel"));
  const Trace streams = Trace::load(write_streams(folder / "m.reel", 2000));
  for (const ExportFormat format : all_formats())
    for (const Trace& trace : {empty, bare, hostile, sample, streams}) {
      const std::string path = written(trace, format, "out" + std::string(extension_of(format)));
      EXPECT_TRUE(fs::exists(path));
      EXPECT_GT(report.bytes, 0);
    }
  EXPECT_THAT(names_here(), Not(Contains(HasSubstr(".part"))));
}

TEST_F(Exports, AreAsPrivateAsTheDocument) {
  for (const auto mode : {fs::perms::owner_read | fs::perms::owner_write,
                          fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read}) {
    const std::string document = write_bare(folder / "private.reel");
    fs::permissions(document, mode);
    const Trace trace = Trace::load(document);
    for (const ExportFormat format : all_formats()) {
      const std::string path = written(trace, format, "out");
      for (const std::string& file : report.files) EXPECT_EQ(fs::status(file).permissions(), mode);
      fs::remove_all(path);
    }
    fs::remove(document);
  }
}

// A file for each table.
bool is_folder(ExportFormat format) {
  return format == ExportFormat::csv || format == ExportFormat::parquet ||
         format == ExportFormat::arrow;
}

TEST_F(Exports, TheSameTraceGivesTheSameBytes) {
  for (const ExportFormat format : all_formats()) {
    const auto bytes = [&](const char* name) {
      std::string all;
      written(sample, format, name);
      for (const std::string& file : report.files) all += read_text(file);
      fs::remove_all(folder / name);
      return all;
    };
    EXPECT_EQ(bytes("1.gz"), bytes("2.gz"));
  }
}

TEST_F(Exports, WhatIsThereIsNotReplacedUnasked) {
  write_bytes(folder / "x", bytes_of("mine"));
  for (const ExportFormat format : all_formats()) {
    expect_error(Code::io_failed, {"x'"}, [&] { export_trace(sample, format, folder / "x"); });
    EXPECT_EQ(read_text(folder / "x"), "mine");
  }
  fs::create_directory(folder / "full");
  write_bytes(folder / "full/mine.csv", bytes_of("mine"));
  expect_error(Code::io_failed, {"not empty"},
               [&] { export_trace(sample, ExportFormat::csv, folder / "full"); });
  export_trace(sample, ExportFormat::csv, folder / "full", {.overwrite = true});
  EXPECT_EQ(read_text(folder / "full/mine.csv"), "mine");
}

TEST_F(Exports, ADiskThatIsFullIsAnErrorAndLeavesNothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
  for (const ExportFormat format :
       {ExportFormat::perfetto, ExportFormat::chrome, ExportFormat::dot, ExportFormat::jsonl})
    expect_error(Code::io_failed, {"/dev/full", "No space left"},
                 [&] { export_trace(sample, format, "/dev/full"); });
  for (const ExportFormat format :
       {ExportFormat::csv, ExportFormat::parquet, ExportFormat::arrow}) {
    ExportOptions how;
    how.table = "commands";
    expect_error(Code::io_failed, {"/dev/full", "No space left"},
                 [&] { export_trace(sample, format, "/dev/full", how); });
  }
  expect_error(Code::io_failed, {"no file"},
               [&] { export_trace(sample, ExportFormat::sqlite, "/dev/full"); });
}

TEST_F(Exports, OneTableIsAFileOfItsOwn) {
  ExportOptions how;
  how.table = "kernels";
  const ExportReport one = export_trace(sample, ExportFormat::csv, folder / "kernels.csv", how);
  EXPECT_EQ(one.files, std::vector<std::string>{folder / "kernels.csv"});
  const std::string all = written(sample, ExportFormat::csv, "tables");
  EXPECT_EQ(read_text(folder / "kernels.csv"), read_text(all + "/kernels.csv"));
  how.table = "kernel";
  expect_error(Code::invalid_argument, {"no table 'kernel'", "kernels"},
               [&] { export_trace(sample, ExportFormat::parquet, folder / "x", how); });
  EXPECT_FALSE(fs::exists(folder / "x"));
}

TEST_F(Exports, FoldersThatAreNotThereAreNamed) {
  for (const ExportFormat format : all_formats())
    if (!is_folder(format))
      expect_error(Code::io_failed, {"nowhere/x"},
                   [&] { export_trace(sample, format, folder / "nowhere/x"); });
}

}  // namespace
}  // namespace reel::test
