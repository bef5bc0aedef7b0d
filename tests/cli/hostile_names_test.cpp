// A document whose every name is an order to a terminal, through every verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "run_program.hpp"

namespace reel::test {
namespace {

const std::string program = REEL_PROGRAM;

// ESC, the same as one character of C1 (in UTF-8 and as a byte), DEL, an override of the direction,
// a line separator.
const std::string hostile = "x\033[2J\u009b31m\x9b\x7f\u202e\u2028\u2066y";

// Where text has something that a terminal obeys, and it; empty where it has nothing.
std::string order_in(const std::string& text) {
  for (const char* order : {"\033", "\u009b", "\x7f", "\u202e", "\u2028", "\u2066"})
    if (const auto at = text.find(order); at != std::string::npos)
      return "at " + std::to_string(at) + " of: " +
             nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) == 0x9b &&
        (i == 0 || static_cast<signed char>(text[i - 1]) >= 0))
      return "a byte 9b at " + std::to_string(i);
  return {};
}

void write_hostile(const std::string& path) {
  document::DocumentWriter writer(
      path, {{"program", hostile}, {"command_line", hostile}, {"started_at", hostile}});
  writer.add(document::DeviceRow{0, hostile, hostile, hostile, hostile, hostile, hostile, hostile,
                                 1, 1, true, 1});
  writer.add(document::StreamRow{0, 0, hostile});
  writer.add(document::BufferRow{0, 0, 64, hostile});
  const std::string source = "kernel void f() {} // " + hostile;
  const auto bytes = bytes_of(source);
  writer.add(document::KernelRow{0,
                                 0,
                                 hostile,
                                 hostile,
                                 KernelForm::opencl_c,
                                 {{KernelForm::opencl_c, {bytes.begin(), bytes.end()}}},
                                 {{hostile, hostile}},
                                 {},
                                 hostile,
                                 {64, 1, 1},
                                 {},
                                 hostile,
                                 ""});
  document::WorkRow work{};
  work.kind = WorkKind::dispatch;
  work.kernel = 0;
  work.label = writer.text(hostile);
  work.scope = writer.text(hostile + "/" + hostile);
  work.groups = {1, 1, 1};
  work.group_size = {64, 1, 1};
  writer.add(work);
  writer.add(document::CommandRow{0, 0, 0, no_index, no_index, 1, 5, 6});
  writer.add(document::CommandRow{1, 0, 0, no_index, no_index, 1, 15, 16});
  writer.add(document::StampRow{0, 6, 7, 8, 9});
  writer.add(document::StampRow{1, 16, 17, 18, 19});
  writer.add(document::CallRow{writer.text(hostile), 1, 20, 30});
  writer.add(document::NoteRow{3, hostile, hostile});
  writer.close({});
}

TEST(HostileNames, CantGiveOrdersToATerminal) {
  const TemporaryFolder folder;
  const std::string path = folder / "hostile.reel", other = folder / "other.reel";
  write_hostile(path);
  write_hostile(other);
  const std::vector<std::vector<std::string>> calls = {
      {"info", path},
      {"commands", path},
      {"commands", path, "c0"},
      {"commands", path, "--kernel", hostile},
      {"kernels", path},
      {"insights", path},
      {"gaps", path},
      {"deps", path},
      {"memory", path},
      {"diff", path, other},
      {"ranks", path, other},
      {"buffers", path},
      {"buffer", path, "b0"},
      {"source", path, "k0", "--log"},
      {"source", path, "k0", "--form", "glsl"},
      {"source", path, hostile},
      {"scopes", path},
      {"clocks", path},
      {"calls", path},
      {"replay", path, "--device", "host"},
      {"check", path, "--device", "host"},
      {"check", folder / hostile},
      {"complete", "source", path, ""},
      {"complete", "commands", path, "--scope", ""},
      {"help", hostile},
      {"completion", hostile},
      {"bench", "--device", hostile},
      {"extract", path, "c0", "-o", folder / "c0.reel"},
      {"extract", path, "--scope", hostile},
      {"sql", path, "select name from kernels"},
      {"sql", path, "select no_such_column from kernels"},
      {"verify", path},
      {"recover", path, "-o", folder / "recovered.reel"},
      {"export", path, "--to", hostile},
      {"view", path, "--html", folder / "page.html"},
      {"info", folder / hostile},
      {hostile},
  };
  for (std::vector<std::string> words : calls) {
    std::string name;
    for (const std::string& word : words) name += word == hostile ? " <hostile>" : " " + word;
    words.insert(words.begin(), program);
    const Outcome plain = run_program(words);
    EXPECT_EQ(order_in(plain.out), "") << "out of" << name;
    EXPECT_EQ(order_in(plain.err), "") << "err of" << name;
    if (words[1] == "complete") continue;  // its words are those of another line
    words.emplace_back("--json");
    const Outcome json = run_program(words);
    EXPECT_EQ(order_in(json.out), "") << "out of" << name << " --json";
    EXPECT_EQ(order_in(json.err), "") << "err of" << name << " --json";
    if (json.exit_code == 0) {
      EXPECT_TRUE(nlohmann::json::accept(json.out)) << name << json.out;
    }
  }
}

TEST(HostileNames, JsonKeepsThemAndAFileGetsTheSourceAsItIs) {
  const TemporaryFolder folder;
  const std::string path = folder / "hostile.reel";
  write_hostile(path);
  const auto kernels = nlohmann::json::parse(run_program({program, "kernels", path, "--json"}).out);
  const std::string name = kernels["kernels"][0]["name"];
  EXPECT_EQ(name.substr(0, 9), "x\033[2J\u009b31");
  EXPECT_EQ(run_program({program, "source", path, "k0"}).out, "kernel void f() {} // " + hostile);
  if (!has_pseudo_terminals()) GTEST_SKIP() << "no pseudo terminals here";
  EXPECT_EQ(order_in(run_on_terminal({program, "source", path, "k0"}, {}).out), "");
}

}  // namespace
}  // namespace reel::test
