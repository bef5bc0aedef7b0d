// `reel replay` and `reel extract`, on documents of real programs, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "captured_documents.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string devices[] = {"host", "opencl", "vulkan"};

Outcome reel(std::vector<std::string> words) {
  words.insert(words.begin(), REEL_PROGRAM);
  return run_program(words);
}

class ReplayVerbs : public CapturedDocuments {
 protected:
  // One pass of a small decoder.
  static std::string pass_on(const std::string& device, const std::string& contents = "inputs") {
    return decoder_on(device, "_" + contents,
                      {"--tokens", "2", "--dim", "32", "--layers", "1", "--heads", "4",
                       "--kv-heads", "2", "--vocab", "64", "--hidden", "64"},
                      {{"REEL_CAPTURE_CONTENTS", contents}});
  }
};

// A graph of our own library runs on PoCL without its queue, where no layer sees it. Under one it
// goes through the queue, so that what is recorded is what ran.
TEST_F(ReplayVerbs, AGraphOfThisLibraryThatALayerRecordedReplaysToTheBit) {
  const std::string path = *folder / "graph_under_a_layer.reel";
  const Outcome recorded =
      reel({"capture", "-o", path, "--", FORWARD_PASS_PROGRAM, "--device", "opencl", "--mode",
            "graph", "--tokens", "3", "--layers", "1", "--vocab", "64"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.out << recorded.err;
  const Outcome run = reel({"replay", path, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  const json answer = json::parse(run.out);
  EXPECT_EQ(answer["verdict"], "equal") << run.out;
  EXPECT_GT(json::parse(reel({"info", path, "--json"}).out)["commands"]["total"], 10)
      << "the kernels of the graph were recorded";
}

TEST_F(ReplayVerbs, RefusalsSayWhatToDo) {
  const std::string document = pass_on("host"), taken = *folder / "taken.reel";
  std::filesystem::copy_file(document, taken, std::filesystem::copy_options::overwrite_existing);
  const Outcome file = reel({"extract", document, "c0-c3", "--as", "python", "-o", "e.py"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, AllOf(HasSubstr("folder of the program"), HasSubstr("Try -o e\n")));
  EXPECT_FALSE(std::filesystem::exists("e.py"));
  const Outcome extracted = reel({"extract", document, "c0", "-o", taken});
  EXPECT_EQ(extracted.exit_code, 1);
  EXPECT_THAT(extracted.err, AllOf(HasSubstr("exists already"), HasSubstr("another name by -o")));
  const Outcome exported = reel({"export", document, "--to", "perfetto", "-o", taken});
  EXPECT_EQ(exported.exit_code, 1);
  EXPECT_THAT(exported.err, HasSubstr("exists already; --overwrite replaces it"));
  const std::string tables = *folder / "tables";
  EXPECT_EQ(reel({"export", document, "--to", "csv", "-o", tables}).exit_code, 0);
  EXPECT_THAT(reel({"export", document, "--to", "csv", "-o", tables}).err,
              HasSubstr("not empty; --overwrite replaces files in it"));
  EXPECT_EQ(reel({"export", document, "--to", "csv", "-o", tables, "--overwrite"}).exit_code, 0);
  for (const char* verb : {"check", "replay", "info", "verify", "recover"}) {
    const Outcome missing = reel({verb, "/nonexistent/nosuch.reel"});
    EXPECT_EQ(missing.exit_code, 1) << verb;
    EXPECT_THAT(missing.err, HasSubstr("'/nonexistent/nosuch.reel': No such file")) << verb;
  }
  EXPECT_EQ(run_program({FORWARD_PASS_PROGRAM, "--nosuch"}).exit_code, 2);
}

TEST_F(ReplayVerbs, APassReplaysToTheBitWhereItWasRecorded) {
  for (const std::string& device : devices)
    for (const std::string order : {"recorded", "sequential", "relaxed"}) {
      const Outcome run = reel({"replay", pass_on(device), "--order", order});
      EXPECT_EQ(run.exit_code, 0) << device << ", " << order << ": " << run.out << run.err;
      EXPECT_THAT(run.out, AllOf(HasSubstr("recorded on the same"), HasSubstr("equal: "),
                                 HasSubstr("every byte as recorded"), HasSubstr("matmul_f32")));
      EXPECT_EQ(run.err, "");
    }
}

TEST_F(ReplayVerbs, APassReplaysOnEveryOtherDevice) {
  for (const std::string& from : devices)
    for (const std::string& to : devices) {
      const Outcome run = reel({"replay", pass_on(from), "--device", to, "--json"});
      EXPECT_EQ(run.exit_code, 0) << from << " to " << to << ": " << run.err;
      const json answer = json::parse(run.out);
      EXPECT_EQ(answer["schema_version"], 1);
      EXPECT_EQ(answer["is_recorded_device"], from == to);
      EXPECT_THAT(answer["verdict"], testing::AnyOf("equal", "within_tolerance"));
      EXPECT_EQ(answer["not_checked"].size(), 0u);
      EXPECT_GT(answer["checks"]["made"], 0);
    }
}

// Made by the first version of the format, and never again.
TEST_F(ReplayVerbs, DocumentsOfFormatOneReplay) {
  for (const std::string& device : devices) {
    const std::string path = REEL_DOCUMENTS "/format1_" + device + ".reel";
    const Outcome run = reel({"replay", path, "--json"});
    EXPECT_EQ(run.exit_code, 0) << device << ": " << run.out << run.err;
    EXPECT_EQ(json::parse(run.out)["checks"]["different"], 0);
  }
}

TEST_F(ReplayVerbs, RepeatsMeasure) {
  const Outcome run = reel({"replay", pass_on("host"), "--repeat", "3", "--commands"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("median of 3 runs after a warm-up"), HasSubstr("NOISE"),
                             HasSubstr("P95"), HasSubstr("c0 ")));
  const json answer = json::parse(reel({"replay", pass_on("host"), "--repeat", "3", "--json"}).out);
  EXPECT_EQ(answer["runs"], 3);
  EXPECT_EQ(answer["kernels"][0]["replayed"]["runs"], 3);
  EXPECT_EQ(answer["command_times"].size(), answer["commands"]);
}

TEST_F(ReplayVerbs, ADifferenceIsOneAndIsNamed) {
  const std::string document = pass_on("opencl", "all");
  const json kernels = json::parse(reel({"kernels", document, "--json"}).out)["kernels"];
  std::string id;
  for (const json& kernel : kernels)
    if (kernel["name"] == "swiglu") id = kernel["id"];
  const std::string source = reel({"source", document, id}).out;
  const std::string path = *folder / "wrong.cl";
  const auto at = source.find("y[i] =");
  ASSERT_NE(at, std::string::npos) << source;
  std::ofstream(path) << std::string(source).replace(at, 6, "y[i] = 1.5f +");
  const Outcome run = reel({"replay", document, "--what-if", id + "=" + path});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("DIFFERENT"), HasSubstr("(swiglu) in layer0/feed_forward"),
                             HasSubstr("expected "), HasSubstr("culprit"), HasSubstr("ORIGINAL"),
                             HasSubstr("reel extract ")));
  // Far off on purpose, and allowed to be.
  EXPECT_EQ(
      reel({"replay", document, "--what-if", id + "=" + path, "--tolerance", "0,1e9"}).exit_code,
      1);  // tokens are whole numbers, and other ones
  const json answer =
      json::parse(reel({"replay", document, "--what-if", id + "=" + path, "--json"}).out);
  EXPECT_EQ(answer["verdict"], "different");
  EXPECT_EQ(answer["culprit"], answer["differences"][0]["command"]);
  EXPECT_EQ(answer["differences"][0]["type"], "f32");
}

TEST_F(ReplayVerbs, WhatCanNotBeReplayedHereIsFour) {
  // No function of that name.
  const Outcome unknown = reel({"replay", region_on_host()});
  EXPECT_EQ(unknown.exit_code, 4);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("'add'"), HasSubstr("--host-kernels")));
  EXPECT_EQ(unknown.out, "");
  // A library that brings it.
  const Outcome known = reel({"replay", "--host-kernels", HOST_KERNELS_LIBRARY, region_on_host()});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  // And elsewhere it has sources.
  EXPECT_EQ(reel({"replay", region_on_host(), "--device", "vulkan"}).exit_code, 0);

  // A kernel that never ends takes neither the terminal nor the exit code with it.
  const Outcome hanging = run_program({REEL_PROGRAM, "replay", region_on_host(), "--host-kernels",
                                       HOST_KERNELS_LIBRARY, "--time-limit", "1"},
                                      {{"REEL_TEST_HANG", "1"}});
  EXPECT_EQ(hanging.exit_code, 4) << hanging.err;
  EXPECT_THAT(hanging.err, AllOf(HasSubstr("c0 (add) in add0"), HasSubstr("1 s, the time limit")));

  const std::string bare = *folder / "bare.reel";
  ASSERT_EQ(reel({"strip", pass_on("host"), "-o", bare}).exit_code, 0);
  const Outcome stripped = reel({"replay", bare});
  EXPECT_EQ(stripped.exit_code, 4);
  EXPECT_THAT(stripped.err, AllOf(HasSubstr("only hashes"), HasSubstr("contents 'inputs'")));

  const std::string hashes = pass_on("host", "hashes");
  EXPECT_EQ(reel({"replay", hashes}).exit_code, 4);

  // A part without results of its own runs, and proves nothing.
  const Outcome part = reel({"replay", pass_on("host"), "--from", "c2", "--to", "c4"});
  EXPECT_EQ(part.exit_code, 4) << part.out;
  EXPECT_THAT(part.out, AllOf(HasSubstr("NOT PROVED"), HasSubstr("not checked")));
  EXPECT_EQ(reel({"replay", pass_on("host", "all"), "--from", "c2", "--to", "c4"}).exit_code, 0);
  EXPECT_EQ(reel({"replay", pass_on("host"), "--device", "metal"}).exit_code, 4);
}

TEST_F(ReplayVerbs, ACrashIsASentenceThatNamesTheCommand) {
  for (const std::string verb : {"replay", "extract"}) {
    std::vector<std::string> words{REEL_PROGRAM, verb, region_on_host()};
    if (verb == "extract") words.insert(words.end(), {"c0", "-o", *folder / "crashed.reel"});
    words.insert(words.end(), {"--host-kernels", HOST_KERNELS_LIBRARY});
    const Outcome crashed = run_program(words, {{"REEL_TEST_CRASH", "1"}});
    EXPECT_EQ(crashed.exit_code, 4) << crashed.err;
    EXPECT_THAT(crashed.err, AllOf(HasSubstr("crashed (Segmentation fault)"),
                                   HasSubstr("c0 (add) in add0 was running")));
    EXPECT_EQ(crashed.out, "");
  }
}

TEST_F(ReplayVerbs, TakesNoMoreMemoryThanItsBound) {
  const std::vector<std::string> words{
      REEL_PROGRAM, "replay", region_on_host(), "--host-kernels", HOST_KERNELS_LIBRARY,
      "--memory",   "512M"};
  EXPECT_EQ(run_program(words).exit_code, 0);
  const Outcome stopped = run_program(words, {{"REEL_TEST_EAT", "1"}});
  EXPECT_EQ(stopped.exit_code, 4) << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("512.0 MiB of memory"), HasSubstr("--memory"),
                                 HasSubstr("c0 (add) in add0")));
}

TEST_F(ReplayVerbs, ACutDocumentIsNeverEqual) {
  const std::string document = pass_on("host", "all");
  std::ifstream in(document, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const std::string cut = *folder / "cut.reel";
  for (const int percent : {20, 40, 60, 80, 95, 99}) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() * percent / 100);
    const Outcome run = reel({"replay", cut});
    EXPECT_THAT(run.exit_code, testing::AnyOf(3, 4)) << percent << "%: " << run.out << run.err;
    EXPECT_THAT(run.out, testing::Not(HasSubstr("equal:")));
  }
}

TEST_F(ReplayVerbs, MisuseIsTwoAndDamageIsThree) {
  const std::string document = pass_on("host");
  EXPECT_EQ(reel({"replay", document, "--order", "backwards"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--repeat", "0"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--from", "12"}).exit_code, 1);  // a name that is not there
  EXPECT_EQ(reel({"replay", document, "--from", "c5", "--to", "c2"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--tolerance", "much"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--memory", "much"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--what-if", "k1"}).exit_code, 2);
  EXPECT_EQ(reel({"replay", document, "--as", "b1=f99"}).exit_code, 2);
  EXPECT_EQ(reel({"extract", document}).exit_code, 2);
  EXPECT_EQ(reel({"extract", document, "c1", "--as", "cobol"}).exit_code, 2);

  std::ifstream in(document, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  const auto blob = bytes.find("xxh3:");  // the first attachment; its bytes follow its name
  ASSERT_NE(blob, std::string::npos);
  bytes[blob + 2000] = static_cast<char>(bytes[blob + 2000] ^ 0x40);
  const std::string damaged = *folder / "damaged.reel";
  std::ofstream(damaged, std::ios::binary) << bytes;
  const Outcome run = reel({"replay", damaged});
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("hash"));
  std::ofstream(*folder / "none.reel") << "no document";
  EXPECT_EQ(reel({"replay", *folder / "none.reel"}).exit_code, 3);
}

TEST_F(ReplayVerbs, ExtractMakesASmallDocumentThatReplays) {
  for (const std::string& device : devices) {
    const std::string one = *folder / (device + "_one.reel");
    const Outcome run = reel({"extract", pass_on(device), "c3", "-o", one});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("1 command"), HasSubstr("reel replay ")));
    EXPECT_EQ(reel({"replay", one}).exit_code, 0);
    EXPECT_EQ(reel({"verify", one}).exit_code, 0);
    const Outcome again = reel({"extract", pass_on(device), "c3", "-o", one});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, HasSubstr("exists"));
    const std::string layer = *folder / (device + "_attention.reel");
    ASSERT_EQ(reel({"extract", pass_on(device), "--scope", "attention", "-o", layer}).exit_code, 0);
    EXPECT_EQ(reel({"replay", layer}).exit_code, 0);
  }
  EXPECT_EQ(reel({"extract", pass_on("host"), "c999"}).exit_code, 1);
  EXPECT_EQ(reel({"extract", pass_on("host"), "--scope", "nowhere"}).exit_code, 1);
}

TEST_F(ReplayVerbs, ExtractMakesAProgram) {
  const std::string out = *folder / "program";
  const Outcome run = reel({"extract", pass_on("opencl"), "c3", "--as", "python", "-o", out});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("main.py"), HasSubstr("README.md")));
  EXPECT_TRUE(std::filesystem::exists(out + "/main.py"));
  EXPECT_FALSE(std::filesystem::exists(out + ".reel"));
  const json answer = json::parse(
      reel({"extract", pass_on("vulkan"), "c3", "--as", "cpp", "-o", out + "2", "--json"}).out);
  EXPECT_EQ(answer["written"], out + "2");
  EXPECT_TRUE(std::filesystem::exists(out + "2/main.cpp"));
}

}  // namespace
}  // namespace reel::test
