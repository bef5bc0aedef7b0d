// Questions in SQL, answered from the trace itself and from exported databases alike.
#include "reel/sql.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "decoded.hpp"
#include "document/sample_document.hpp"
#include "expect_error.hpp"
#include "export_documents.hpp"
#include "reel/export.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const SqlValue& value) {
  std::ostringstream out;
  std::visit(
      [&](const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          out << "NULL";
        else
          out << v;
      },
      value);
  return out.str();
}

// "1 2|3 4": rows with their cells.
std::string text_of(const SqlResult& result) {
  std::string text;
  for (const auto& row : result.rows) {
    if (!text.empty()) text += '|';
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? " " : "") + text_of(row[i]);
  }
  return text;
}

class SqlQuestions : public testing::Test {
 protected:
  std::string ask(const std::string& statement) { return text_of(sql.query(statement)); }

  TemporaryFolder folder;
  Trace trace = Trace::load(write_sample(folder / "s.reel"));
  Sql sql{trace};
};

TEST_F(SqlQuestions, AnswersAreThoseOfTheTrace) {
  EXPECT_EQ(ask("select count(*) from commands"), "11");
  EXPECT_EQ(
      ask("select kernel, stream, label, groups_x, group_x, run_ns from commands where id = 2"),
      "4 0 add 16 64 3000");
  EXPECT_EQ(ask("select name, total_ns, runs from kernel_usage"), "add 24000 3|scale 5000 1");
  EXPECT_EQ(ask("select name, value, hex from arguments where command = 2 and kind = 'value'"),
            "n 1024 0x00000400");
  EXPECT_EQ(ask("select label, size_bytes from buffers where id > 1"), "y 4096|big 2621440");
  EXPECT_EQ(ask("select sum(own_ns) from commands"), "50000");
  EXPECT_EQ(ask("select value from facts where key = 'program'"), "sample");
  EXPECT_EQ(ask("select bytes, gb_per_s from copies where kind = 'copy'"), "4096 1.024");
}

TEST_F(SqlQuestions, WhatIsNotKnownIsNull) {
  EXPECT_EQ(ask("select started_ns, ended_ns, run_ns, own_ns from commands where id = 6"),
            "NULL NULL NULL NULL");
  EXPECT_EQ(ask("select queued_ns, kernel from commands where id = 7"), "NULL NULL");
  EXPECT_EQ(ask("select allocated_ns, freed_ns from buffers where id = 5"), "NULL NULL");
  EXPECT_EQ(ask("select wait_ns from command_details where command = 7"), "NULL");
  const Trace bare = Trace::load(write_bare(folder / "b.reel"));
  EXPECT_EQ(text_of(Sql(bare).query("select call_begin_ns, thread, run_ns from commands")),
            "NULL NULL NULL");
}

TEST_F(SqlQuestions, WhatIsFoundOutIsThere) {
  EXPECT_EQ(ask("select to_command, from_command, kind from dependencies where to_command = 3"),
            "3 2 data");
  EXPECT_EQ(ask("select count(*) from races"), ask("select count(*) from dependencies where kind = "
                                                   "'missing'"));
  EXPECT_EQ(ask("select max(bytes) from memory"), "2629632");
  EXPECT_EQ(ask("select rule from findings limit 1"), "verdict");
  EXPECT_EQ(ask("select sum(total_ns) from idle_by_cause"), ask("select sum(size_ns) from gaps"));
}

// Lookups by the first column give what a scan gives.
TEST_F(SqlQuestions, RowsAreFoundByWhatTheyAreSortedBy) {
  for (const SqlTable& table : sql.tables()) {
    if (table.is_view) continue;
    const std::string& key = table.columns[0];
    for (const char* how :
         {"= 3", "= 3.5", "> 2", ">= 2", "< 4", "<= 4", "between 1 and 5", "= null", "> -1",
          "< 3.5", "> 3.5", "= 99999999999", "is null", "< -5"}) {
      const std::string rest = " from " + table.name + " where ";
      EXPECT_EQ(ask("select *" + rest + key + " " + how),
                ask("select *" + rest + "+" + key + " " + how))
          << table.name << " " << how;
    }
    EXPECT_EQ(ask("select " + key + " from " + table.name + " order by 1"),
              ask("select " + key + " from " + table.name + " order by +" + key));
  }
}

TEST_F(SqlQuestions, NothingCanBeWrittenAttachedOrLoaded) {
  const std::string file = folder / "made.db";
  for (const std::string& statement :
       {std::string("create table x(a)"), std::string("insert into commands(id) values (1)"),
        std::string("delete from commands"), std::string("drop view copies"), std::string("begin"),
        "attach '" + file + "' as other", "vacuum into '" + file + "'",
        std::string("pragma temp_store_directory = '/'"), std::string("create temp table x(a)"),
        std::string("pragma writable_schema = 1"), std::string("select load_extension('x')")})
    expect_error(Code::invalid_argument, {}, [&] { sql.query(statement); });
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(ask("select count(*) from commands"), "11");
}

TEST_F(SqlQuestions, AWrongStatementSaysWhatIsWrong) {
  expect_error(Code::invalid_argument, {"no such column: nam"},
               [&] { sql.query("select nam from kernels"); });
  expect_error(Code::invalid_argument, {"syntax error"}, [&] { sql.query("selec"); });
  expect_error(Code::invalid_argument, {"more after"}, [&] { sql.query("select 1; select 2"); });
  EXPECT_EQ(ask("-- nothing"), "");
  EXPECT_EQ(ask("select 1; -- nothing more"), "1");
}

TEST_F(SqlQuestions, AQueryCanBeInterrupted) {
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      sql.interrupt();
    }
  });
  expect_error(Code::timed_out, {"interrupted"}, [&] {
    sql.query(
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
  });
}

TEST_F(SqlQuestions, HostileTextsComeOutAsText) {
  const Trace hostile = Trace::load(write_hostile(folder / "h.reel"));
  Sql asked(hostile);
  const std::string name = text_of(asked.query("select name from kernels"));
  EXPECT_THAT(name, HasSubstr("</script><b>\"'`,;=1+1\\"));
  EXPECT_EQ(name.find('\0'), std::string::npos);
  EXPECT_EQ(text_of(asked.query("select length(name) > 30 from kernels")), "1");
  EXPECT_EQ(text_of(asked.query("select run_ns from commands where id in (4, 5, 6)")),
            "0|NULL|NULL");
}

// --- the exported database
// ------------------------------------------------------------------------

class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  }
  ~Database() { sqlite3_close(handle_); }
  std::string ask(const std::string& statement) {
    std::string text;
    const auto row = [](void* out, int count, char** cells, char**) {
      auto& all = *static_cast<std::string*>(out);
      if (!all.empty()) all += '|';
      for (int i = 0; i < count; ++i)
        all += (i ? " " : "") + std::string(cells[i] ? cells[i] : "NULL");
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle_, statement.c_str(), row, &text, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle_);
    return text;
  }

 private:
  sqlite3* handle_ = nullptr;
};

TEST_F(SqlQuestions, AnExportedDatabaseAnswersTheSame) {
  for (const std::string& document :
       {folder / "s.reel", write_hostile(folder / "h.reel"), write_empty(folder / "e.reel"),
        write_bare(folder / "b.reel")}) {
    const Trace other = Trace::load(document);
    Sql asked(other);
    export_trace(other, ExportFormat::sqlite, folder / "x.db", {.overwrite = true});
    Database database(folder / "x.db");
    EXPECT_EQ(database.ask("pragma integrity_check"), "ok");
    for (const SqlTable& table : asked.tables()) {
      std::string list;  // without real numbers, which print in two ways
      for (const std::string& column : table.columns)
        list += (list.empty() ? "" : ", ") + ("quote(" + column + ")");
      const std::string statement = "select " + list + " from " + table.name + " order by 1, 2";
      EXPECT_EQ(database.ask(statement), text_of(asked.query(statement))) << table.name;
    }
  }
}

// --- docs/sql.md
// ----------------------------------------------------------------------------------

std::string document() { return read_text(REEL_DOCS "/sql.md"); }

// The lines that the document should have of a table; of a view, those that begin so.
std::string lines_of(const SqlTable& table) {
  std::string lines;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    lines += "| `" + table.columns[i] + "` |" +
             (table.is_view ? "" : " " + table.meanings[i] + " |") + "\n";
  return lines;
}

TEST_F(SqlQuestions, TheDocumentDescribesEveryColumnInTheSameWords) {
  std::map<std::string, std::string> described;
  std::istringstream lines(document());
  std::string table;
  const std::regex heading("### `(\\w+)`.*"), row("(\\| `\\w+` \\|).*");
  const auto find = [&](const std::string& name) {
    return *std::ranges::find(sql.tables(), name, &SqlTable::name);
  };
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with("## ")) table.clear();
    if (std::regex_match(line, match, heading)) described[table = match[1]];
    if (!table.empty() && std::regex_match(line, match, row))
      described[table] += (find(table).is_view ? match[1].str() : line) + "\n";
  }
  for (const SqlTable& found : sql.tables())
    EXPECT_EQ(described[found.name], lines_of(found)) << found.name;
  EXPECT_EQ(described.size(), sql.tables().size());
}

TEST_F(SqlQuestions, SchemasSayWhatColumnsMean) {
  for (const SqlTable& table : sql.tables()) {
    ASSERT_EQ(table.meanings.size(), table.is_view ? 0 : table.columns.size()) << table.name;
    for (const std::string& meaning : table.meanings) {
      EXPECT_GT(meaning.size(), 3u) << table.name;
      EXPECT_NE(table.schema.find("-- " + meaning), std::string::npos) << table.schema;
    }
  }
}

TEST_F(SqlQuestions, TheDocumentsExamplesRun) {
  const std::string text = document();
  const std::regex block("```sql\n([^`]*)```");
  int count = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), block);
       match != std::sregex_iterator(); ++match, ++count)
    EXPECT_FALSE(sql.query((*match)[1].str()).columns.empty()) << (*match)[1];
  EXPECT_GE(count, 12);
}

}  // namespace
}  // namespace reel::test
