// The verbs that look into a document, run as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "document/document_writer.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/sample_document.hpp"
#include "verb_test.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string program = REEL_PROGRAM;

class DocumentVerbs : public VerbTest {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    sample = write_sample(*folder / "sample.reel");
  }
  static void TearDownTestSuite() { delete folder; }

  static inline TemporaryFolder* folder = nullptr;
  static inline std::string sample;
};

const std::vector<std::vector<std::string>> listings{
    {"info"}, {"commands"}, {"kernels"}, {"buffers"}, {"scopes"}, {"calls"}, {"verify"}};

TEST_F(DocumentVerbs, InfoTellsTheWholeStoryOnOneScreen) {
  const Outcome run = reel({"info", sample});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("sample.reel"), HasSubstr(", complete\n"),
                    HasSubstr("./sample --fast"), HasSubstr("2026-11-01T12:00:00Z"),
                    HasSubstr("host  Test CPU  reel 0.1.0"), HasSubstr("11 (4 dispatch, 1 copy")));
  EXPECT_THAT(run.out, AllOf(HasSubstr("3, 2.5 MiB"), HasSubstr("inputs: 3 of 4 ranges kept"),
                             HasSubstr("for 2.5 MiB recorded"), HasSubstr("starting 10.0 µs"),
                             HasSubstr("the limit was reached"), HasSubstr("reel insights ")));
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 24);
}

TEST_F(DocumentVerbs, InfoJsonHasCountsFactsAndOverheads) {
  const json info = reel_json({"info", sample});
  EXPECT_EQ(info["complete"], true);
  EXPECT_EQ(info["commands"]["total"], 11);
  EXPECT_EQ(info["commands"]["dispatch"], 4);
  EXPECT_EQ(info["facts"]["program"], "sample");
  EXPECT_EQ(info["overhead_ns"]["total"], 37'000);
  EXPECT_EQ(info["devices"][0]["clock_error_ns"], 40);
  // Without the launch, whose nodes count, and the host call, while which the device is free.
  EXPECT_EQ(info["busy_ns"], 42'000);
  EXPECT_EQ(info["notes"][0]["kind"], "limit");
}

TEST_F(DocumentVerbs, InfoShowsAFewNotesOfEachKind) {
  const std::string path = *folder / "notes.reel";
  document::DocumentWriter writer(path, {}, {});
  for (int i = 0; i < 100; ++i)
    writer.add(document::NoteRow{1, "contents_missing", fmt::format("b{} is missing", i % 50)});
  writer.add(document::NoteRow{2, "limit", "the limit was reached"});
  writer.close({});
  const Outcome run = reel({"info", path});
  EXPECT_THAT(run.out, AllOf(HasSubstr("b2 is missing"), Not(HasSubstr("b3 is missing")),
                             HasSubstr("47 notes more of the kind 'contents_missing'"),
                             HasSubstr("the limit was reached")));
  EXPECT_EQ(reel_json({"info", path})["notes"].size(), 101);
}

TEST_F(DocumentVerbs, CommandsListsThemWithTheirTimes) {
  const Outcome run = reel({"commands", sample});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, StartsWith("ID   STREAM  KIND "));
  EXPECT_THAT(run.out, HasSubstr("\nc2   s0      dispatch   add       layer0/attention    16   "
                                 "34.0 µs  4.0 µs   3.0 µs\n"));
  EXPECT_THAT(run.out, HasSubstr("\nc6   s0      barrier "));
}

TEST_F(DocumentVerbs, CommandsCanBeFiltered) {
  const auto ids = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"commands", sample});
    std::string list;
    const json answer = reel_json(words);
    for (const json& command : answer["commands"]) list += command["id"].get<std::string>() + " ";
    return list;
  };
  EXPECT_EQ(ids({"--kernel", "add"}), "c2 c9 c10 ");
  EXPECT_EQ(ids({"--kernel", "sc?l*"}), "c4 ");
  EXPECT_EQ(ids({"--kernel", "k7"}), "c4 ");
  EXPECT_EQ(ids({"--scope", "mlp"}), "c4 c8 ");
  EXPECT_EQ(ids({"--scope", "layer0/*"}), "c2 c3 c4 c8 c9 c10 ");
  EXPECT_EQ(ids({"--stream", "s3"}), "c3 ");
  EXPECT_EQ(ids({"--range", "c9-"}), "c9 c10 ");
  EXPECT_EQ(ids({"--range", "c1-c2"}), "c1 c2 ");
  EXPECT_EQ(ids({"--kernel", "add", "--range", "c9-c9"}), "c9 ");
  EXPECT_EQ(ids({"--limit", "2"}), "c0 c1 ");
  EXPECT_EQ(reel_json({"commands", sample, "--limit", "2"})["total"], 11);
  EXPECT_EQ(ids({"--kernel", "nothing"}), "");
  EXPECT_THAT(reel({"commands", sample, "--limit", "3"}).out, HasSubstr("… 8 more"));
  EXPECT_THAT(reel({"commands", sample, "--kernel", "nothing"}).out, HasSubstr("No command fits"));
}

TEST_F(DocumentVerbs, OneCommandIsToldInFull) {
  const Outcome run = reel({"commands", sample, "c2"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("c2  dispatch add"), HasSubstr("layer0/attention"),
                    HasSubstr("16 groups of 64 items"), HasSubstr("inout   b2 'y'"),
                    HasSubstr("1024"), HasSubstr("check     b2 'y'"), HasSubstr("b2 --at c2")));
  const json copy = reel_json({"commands", sample, "c3"})["command"];
  EXPECT_EQ(copy["after"], json({"c2"}));
  EXPECT_EQ(copy["arguments"][1]["offset_bytes"], 1024);
  EXPECT_EQ(copy["contents"][0]["role"], "input");
  EXPECT_EQ(reel_json({"commands", sample, "c10"})["command"]["launch"], "c8");
  EXPECT_EQ(reel_json({"commands", sample, "c4"})["command"]["arguments"][1]["value"],
            "0x40000000");
  EXPECT_TRUE(reel_json({"commands", sample, "c6"})["command"]["started_ns"].is_null());
}

TEST_F(DocumentVerbs, ElementTypesComeFromTheKernelsThatTookABuffer) {
  const json arguments = reel_json({"commands", sample, "c2"})["command"]["arguments"];
  EXPECT_EQ(arguments[0]["element"], "i16");
  EXPECT_EQ(arguments[1]["element"], "f32");
  EXPECT_FALSE(arguments[3].contains("element"));
  EXPECT_EQ(reel_json({"kernels", sample})["kernels"][0]["parameters"][2]["element"], "u32");
  EXPECT_EQ(reel_json({"buffer", sample, "b1"})["type"], "i16");
  EXPECT_EQ(reel_json({"buffer", sample, "b1", "--at", "c0"})["type"], "f32") << "not bound yet";
  EXPECT_EQ(reel_json({"buffer", sample, "b1", "--as", "u8"})["type"], "u8");
  EXPECT_EQ(reel_json({"buffer", sample, "b2"})["type"], "f32");
}

TEST_F(DocumentVerbs, KernelsAreSortedByTime) {
  const Outcome run = reel({"kernels", sample});
  EXPECT_THAT(
      run.out,
      HasSubstr("\nk4  add    host     3  24.0 µs  8.0 µs  10.0 µs  11.0 µs  57.1%\nk7  scale "));
  const json kernels = reel_json({"kernels", sample});
  EXPECT_EQ(kernels["sum_ns"], 42'000) << "copies among it";
  EXPECT_EQ(kernels["kernels"][0]["p50_ns"], 10'000);
}

TEST_F(DocumentVerbs, BuffersAreListedWithTheirUse) {
  EXPECT_THAT(reel({"buffers", sample}).out, HasSubstr("\nb5  big    buffer  2.5 MiB     before "));
  const json y = reel_json({"buffers", sample})["buffers"][1];
  EXPECT_EQ(y["id"], "b2");
  EXPECT_EQ(y["readers"], 6);
  EXPECT_EQ(y["writers"], 5);
  EXPECT_TRUE(y["freed_ns"].is_null());
}

TEST_F(DocumentVerbs, ABufferIsFollowedThroughWritesFillsCopiesAndChecks) {
  const auto elements = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"buffer", sample});
    return reel_json(words);
  };
  // Allocated within the capture, so zeros at first; then filled with 1.0f.
  EXPECT_EQ(elements({"b2", "--at", "c0", "--count", "2"})["elements"], json({0.0, 0.0}));
  EXPECT_EQ(elements({"b2", "--at", "c1", "--count", "2"})["elements"], json({1.0, 1.0}));
  EXPECT_EQ(elements({"b2", "--at", "c2", "--count", "3"})["elements"], json({1.0, 2.0, 3.0}));
  EXPECT_EQ(elements({"b1", "--at", "c0", "--count", "3"})["elements"], json({0.0, 1.0, 2.0}));
  // What was written is copied to byte 1024 of another; around it is what was there before.
  const json big = elements({"b5", "--offset", "1016", "--count", "4"});
  EXPECT_EQ(big["elements"], json({0.0, 0.0, 1.0, 2.0}));
  EXPECT_EQ(big["unknown_bytes"], 0);
  // An input was there before the command that needed it.
  EXPECT_EQ(elements({"b5", "--at", "c0", "--offset", "1024", "--count", "1"})["elements"],
            json({0.0}));
}

TEST_F(DocumentVerbs, WhatAKernelMayHaveChangedIsUnknown) {
  const json half =
      reel_json({"buffer", sample, "b2", "--at", "c4", "--offset", "2044", "--count", "2"});
  EXPECT_EQ(half["unknown_bytes"], 2048);
  EXPECT_EQ(half["elements"], json({nullptr, 513.0}));
  EXPECT_EQ(reel_json({"buffer", sample, "b2"})["unknown_bytes"], 4096);
  const Outcome run = reel({"buffer", sample, "b2", "--at", "c4", "--count", "1"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("2048 of 4096 bytes are unknown"), HasSubstr(" ?\n")));
}

TEST_F(DocumentVerbs, ElementsCanBeOfEveryType) {
  for (const char* type :
       {"f32", "f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "hex"})
    EXPECT_EQ(reel_json({"buffer", sample, "b1", "--at", "c0", "--as", type})["elements"].size(),
              64u)
        << type;
  EXPECT_EQ(reel_json({"buffer", sample, "b1", "--at", "c0", "--as", "hex", "--offset", "4",
                       "--count", "4"})["elements"],
            json({"00", "00", "80", "3f"}));
  EXPECT_EQ(reel_json({"buffer", sample, "b1", "--at", "c0", "--as", "bf16", "--offset", "6",
                       "--count", "1"})["elements"],
            json({1.0}));
  EXPECT_EQ(reel_json({"buffer", sample, "b1", "--at", "c0", "--as", "i32", "--offset", "4",
                       "--count", "1"})["elements"],
            json({0x3f800000}));
  EXPECT_EQ(reel({"buffer", sample, "b1", "--as", "f33"}).exit_code, 2);
}

TEST_F(DocumentVerbs, StatisticsAreOfTheKnownElements) {
  const json all = reel_json({"buffer", sample, "b1", "--as", "f32", "--stats"});
  EXPECT_EQ(all["min"], 0.0);
  EXPECT_EQ(all["max"], 1023.0);
  EXPECT_EQ(all["mean"], 511.5);
  EXPECT_EQ(all["zeros"], 1);
  EXPECT_EQ(all["nan"], 0);
  const json half = reel_json({"buffer", sample, "b2", "--at", "c4", "--stats"});
  EXPECT_EQ(half["known_elements"], 512);
  EXPECT_EQ(half["unknown_elements"], 512);
  EXPECT_EQ(half["min"], 513.0);
  // What nobody knows is not 0.
  const json none = reel_json({"buffer", sample, "b2", "--stats"});
  for (const char* number : {"min", "nan", "inf", "zeros"})
    EXPECT_TRUE(none[number].is_null()) << number;
  EXPECT_THAT(reel({"buffer", sample, "b2", "--stats"}).out,
              AllOf(HasSubstr("Nothing can be said of their values"), Not(HasSubstr("NaN 0"))));
}

TEST_F(DocumentVerbs, BytesCanBeWrittenForOtherPrograms) {
  const std::string raw = *folder / "x.bin", npy = *folder / "x.npy";
  EXPECT_EQ(reel({"buffer", sample, "b1", "--raw", raw}).exit_code, 0);
  EXPECT_EQ(read_bytes(raw).size(), 4096u);
  EXPECT_EQ(reel({"buffer", sample, "b1", "--as", "f32", "--npy", npy}).exit_code, 0);
  const auto bytes = read_bytes(npy);
  ASSERT_EQ(bytes.size() % 64, 0u);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_THAT(text, StartsWith("\x93NUMPY\x01"));
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (1024,), }"));
  EXPECT_EQ(text.substr(text.size() - 4096),
            std::string(reinterpret_cast<const char*>(read_bytes(raw).data()), 4096));
  EXPECT_THAT(reel({"buffer", sample, "b2", "--raw", raw}).out, HasSubstr("unknown are zeros"));
  EXPECT_EQ(reel({"buffer", sample, "b1", "--npy", npy, "--as", "bf16"}).exit_code, 2);
  EXPECT_EQ(reel({"buffer", sample, "b1", "--raw", "/nonexistent/x"}).exit_code, 1);
  EXPECT_EQ(reel({"buffer", sample, "b1", "--raw", raw, "--stats"}).exit_code, 2);
}

TEST_F(DocumentVerbs, SourceIsPrintedAsItIs) {
  EXPECT_EQ(reel({"source", sample, "k4", "--form", "opencl_c"}).out, sample_add_cl);
  EXPECT_EQ(reel({"source", sample, "k4", "--log"}).out, "warning: all is well\n");
  const Outcome built = reel({"source", sample, "k4"});
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.err, AllOf(HasSubstr("'host'"), HasSubstr("Try --form opencl_c.")));
  const json source = reel_json({"source", sample, "k4"});
  EXPECT_EQ(source["forms"][0]["text"], sample_add_cl);
  EXPECT_EQ(source["defines"]["N"], "1024");
}

TEST_F(DocumentVerbs, SpirVIsShownAsGlslAndAssemblyAndWrittenAsItIs) {
  // void main() {} with groups of 64
  const std::vector<std::uint32_t> words{
      0x07230203, 0x00010000, 0,          6,          0,     // header
      0x00020011, 1,                                         // Shader
      0x0003000E, 0,          1,                             // Logical, GLSL450
      0x0005000F, 5,          1,          0x6E69616D, 0,     // GLCompute, "main"
      0x00060010, 1,          17,         64,         1, 1,  // LocalSize
      0x00020013, 2,          0x00030021, 3,          2,     // void, void()
      0x00050036, 2,          1,          0,          3, 0x000200F8, 4, 0x000100FD, 0x00010038};
  const std::string path = *folder / "spirv.reel";
  const auto bytes = std::as_bytes(std::span(words));
  {
    document::DocumentWriter writer(path, {{"program", "x"}});
    writer.add(document::DeviceRow{0, "vulkan:0", "vulkan", "V", "cpu", "", "", "", 0, 1, true, 1});
    document::KernelRow kernel{};
    kernel.id = 3;
    kernel.name = "main:12345678";
    kernel.entry = "main";
    kernel.built_form = KernelForm::spirv;
    kernel.variants.push_back({KernelForm::spirv, {bytes.begin(), bytes.end()}});
    writer.add(kernel);
    writer.close({{"complete", "yes"}});
  }
  EXPECT_THAT(reel({"source", path, "k3", "--form", "glsl"}).out,
              AllOf(HasSubstr("local_size_x = 64"), HasSubstr("void main()")));
  EXPECT_THAT(reel({"source", path, "k3", "--form", "assembly"}).out,
              AllOf(HasSubstr("OpEntryPoint GLCompute"), HasSubstr("\"main\"")));
  EXPECT_EQ(reel({"source", path, "k3", "--form", "spirv"}).out,
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(reel({"source", path, "k3", "--form", "debug"}).exit_code, 1);
}

TEST_F(DocumentVerbs, ScopesAreATreeWithShares) {
  const Outcome run = reel({"scopes", sample});
  EXPECT_THAT(run.out, AllOf(HasSubstr("\nlayer0  "), HasSubstr("\n  attention  "),
                             HasSubstr("\n  mlp  "), HasSubstr("100.0%")));
  const json scopes = reel_json({"scopes", sample});
  EXPECT_EQ(scopes["scopes"][0]["commands"], 6);
  EXPECT_EQ(scopes["scopes"][0]["scopes"][0]["run_ns"], 28'000);
}

TEST_F(DocumentVerbs, CallsAreListedByNameOrOneByOne) {
  EXPECT_THAT(reel({"calls", sample}).out, HasSubstr("\nsynchronize        1  100.0 µs"));
  const Outcome all = reel({"calls", sample, "--all"});
  EXPECT_THAT(all.out, HasSubstr(" 77  dispatch       c2\n"));
  EXPECT_EQ(reel_json({"calls", sample, "--all"})["calls"].size(), 9u);
  EXPECT_THAT(reel({"calls", sample, "--all", "--limit", "1"}).out, HasSubstr("… 8 more"));
}

TEST_F(DocumentVerbs, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"info", "commands", "kernels", "buffers", "buffer", "source", "scopes",
                           "calls", "verify", "recover", "strip"}) {
    const Outcome run = reel({verb, "--help"});
    EXPECT_EQ(run.exit_code, 0) << verb;
    EXPECT_THAT(run.out, HasSubstr("  reel " + std::string(verb) + " ")) << verb;
    EXPECT_EQ(reel({verb}).exit_code, 2) << verb;
  }
}

TEST_F(DocumentVerbs, UnknownIdsAreToldWhatThereIs) {
  const auto fails = [&](std::vector<std::string> words, int code, const char* says) {
    const Outcome run = reel(std::move(words));
    EXPECT_EQ(run.exit_code, code) << says;
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(run.out, "");
  };
  fails({"commands", sample, "c11"}, 1, "There is no command 'c11'; the document has c0 to c10.");
  fails({"buffer", sample, "b9"}, 1,
        "There is no buffer 'b9'; the document has b1 'x', b2 'y', b5 'big'.");
  fails({"source", sample, "k1"}, 1,
        "There is no kernel 'k1'; the document has k4 'add', k7 'scale'.");
  fails({"commands", sample, "--stream", "s1"}, 1, "the document has s0 'main', s3 'side'.");
  fails({"commands", sample, "12"}, 1, "There is no command '12'; the document has c0 to c10.");
  fails({"buffer", sample, "c1"}, 1, "There is no buffer 'c1'; the document has b1 'x'");
  fails({"commands", sample, "--range", "c5-c2"}, 2, "ends before it begins");
  fails({"buffer", sample, "b1", "--at", "c99"}, 1, "There is no command 'c99'");
  fails({"commands", sample, "c99999999999"}, 1, "There is no command 'c99999999999'");
}

TEST_F(DocumentVerbs, NamesDoWhereAnIdIsTaken) {
  EXPECT_EQ(reel({"source", sample, "scale"}).out, reel({"source", sample, "k7"}).out);
  EXPECT_EQ(reel({"source", sample, "sca"}).out, reel({"source", sample, "k7"}).out);
  EXPECT_EQ(reel({"buffer", sample, "big"}).out, reel({"buffer", sample, "b5"}).out);
  EXPECT_EQ(reel({"commands", sample, "--stream", "side"}).out,
            reel({"commands", sample, "--stream", "s3"}).out);
  const Outcome several = reel({"source", sample, "a"});
  EXPECT_EQ(several.exit_code, 1);
  EXPECT_THAT(several.err, HasSubstr("'a' is the name, or a part of the name, of 2 kernels: "
                                     "k4 'add', k7 'scale'. Give the id of one."));
  const Outcome commands = reel({"commands", sample, "add"});
  EXPECT_EQ(commands.exit_code, 1);
  EXPECT_THAT(commands.err, HasSubstr("'add' is the name of "));
  EXPECT_THAT(reel({"buffer", sample, ""}).err, HasSubstr("There is no buffer ''"));
}

TEST_F(DocumentVerbs, WhatIsNoDocumentIsSaidSo) {
  const std::string text = *folder / "text.reel";
  write_bytes(text, bytes_of("A text, and nothing but a text."));
  for (const char* verb :
       {"info", "commands", "kernels", "buffers", "scopes", "calls", "verify", "recover"}) {
    const Outcome missing = reel({verb, *folder / "missing.reel"});
    EXPECT_EQ(missing.exit_code, 1) << verb;
    EXPECT_THAT(missing.err, HasSubstr("missing.reel")) << verb;
    const Outcome wrong = reel({verb, text});
    EXPECT_EQ(wrong.exit_code, 3) << verb;
    EXPECT_THAT(wrong.err, HasSubstr("MCAP")) << verb;
  }
}

TEST_F(DocumentVerbs, AnEmptyDocumentIsNoError) {
  const std::string empty = *folder / "empty.reel";
  document::DocumentWriter(empty, {{"program", "idle"}})
      .close({{"commands", "0"}, {"complete", "yes"}});
  for (const auto& words : listings) {
    const Outcome run = reel({words[0], empty});
    EXPECT_EQ(run.exit_code, 0) << words[0] << run.err;
    EXPECT_NE(run.out, "") << words[0];
    reel_json({words[0], empty});
  }
  EXPECT_THAT(reel({"info", empty}).out, HasSubstr("nothing ran"));
  const Outcome command = reel({"commands", empty, "c0"});
  EXPECT_EQ(command.exit_code, 1);
  EXPECT_THAT(command.err, HasSubstr("the document has none"));
}

TEST_F(DocumentVerbs, ACutDocumentIsReadAndRecovered) {
  const std::string cut = write_sample(*folder / "cut.reel", false);
  const Outcome info = reel({"info", cut});
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.out, AllOf(HasSubstr("incomplete"), HasSubstr("never closed"),
                              HasSubstr("reel recover ")));
  const Outcome commands = reel({"commands", cut});
  EXPECT_EQ(commands.exit_code, 0);
  EXPECT_THAT(commands.out, HasSubstr("\nc10 "));
  EXPECT_THAT(commands.err, HasSubstr("incomplete"));
  EXPECT_EQ(reel({"verify", cut}).exit_code, 3);

  const auto before = read_bytes(cut);
  const Outcome recover = reel({"recover", cut});
  EXPECT_EQ(recover.exit_code, 0) << recover.err;
  const std::string whole = *folder / "cut.recovered.reel";
  EXPECT_THAT(recover.out, HasSubstr(whole + ": 11 commands"));
  EXPECT_EQ(read_bytes(cut), before);
  EXPECT_EQ(reel({"verify", whole}).exit_code, 0);
  EXPECT_THAT(reel({"recover", cut}).out, HasSubstr("cut.recovered-2.reel"));
  // No file is written over.
  const Outcome again = reel({"recover", cut, "-o", whole});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr(whole));
  EXPECT_THAT(reel({"recover", whole}).out, HasSubstr("is whole; nothing was written"));
  EXPECT_EQ(reel_json({"recover", whole})["was_whole"], true);
}

// Whoever is told to recover a document gets one, and whoever could is told: of cuts and changed
// bytes anywhere.
TEST_F(DocumentVerbs, RecoveringIsAdvisedExactlyWhereItWorks) {
  const auto whole = read_bytes(sample);
  std::mt19937 random(11);
  const std::string broken = *folder / "broken.reel", saved = *folder / "saved.reel";
  std::size_t worked = 0, failed = 0;
  for (int round = 0; round < 24; ++round) {
    auto bytes = whole;
    const std::size_t place =
        round < 8 ? static_cast<std::size_t>(round) * 60 + 20 : random() % whole.size();
    if (round % 3 == 2)
      bytes[place] ^= std::byte{0x55};
    else
      bytes.resize(place);
    std::ofstream(broken, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    std::filesystem::remove(saved);
    reel({"recover", broken, "-o", saved});
    const bool works = std::filesystem::exists(saved);
    (works ? worked : failed) += 1;
    for (const std::string verb : {"info", "verify", "commands"}) {
      const Outcome run = reel({verb, broken});
      const bool advised = (run.out + run.err).find("reel recover ") != std::string::npos;
      // Bytes of buffers are read by verify alone, so only that one can know of all damage.
      const bool reads_all = verb == "verify" || round % 3 != 2;
      EXPECT_TRUE(advised == works || (works && !reads_all)) << verb << " at " << place << "\n"
                                                             << run.out << run.err;
    }
  }
  EXPECT_GT(worked, 3u);
  EXPECT_GT(failed, 1u);
}

TEST_F(DocumentVerbs, VerifyFindsAChangedByteInABlobAndInAChunk) {
  const auto whole = read_bytes(sample);
  const mcap::Index index = mcap::read_index(whole);
  const std::string path = *folder / "changed.reel";
  auto bytes = whole;
  bytes[index.attachments[1].data_offset + 5] ^= std::byte{4};
  write_bytes(path, bytes);
  const Outcome blob = reel({"verify", path});
  EXPECT_EQ(blob.exit_code, 3);
  EXPECT_THAT(blob.out, HasSubstr("The checksum of the blob 'xxh3:"));
  const Outcome asked = run_program({program, "verify", path, "--json"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_EQ(json::parse(asked.out)["good"], false);
  bytes = whole;
  bytes[index.chunks[0].data_offset + 50] ^= std::byte{4};
  write_bytes(path, bytes);
  EXPECT_EQ(reel({"verify", path}).exit_code, 3);
  EXPECT_EQ(reel({"verify", sample}).exit_code, 0);
}

TEST_F(DocumentVerbs, StripLeavesHashesAndSources) {
  const std::string small = *folder / "small.reel";
  const Outcome strip = reel({"strip", sample, "-o", small});
  EXPECT_EQ(strip.exit_code, 0) << strip.err;
  EXPECT_THAT(strip.out, HasSubstr("5 blobs dropped"));
  EXPECT_LT(read_bytes(small).size(), read_bytes(sample).size() / 4);
  EXPECT_EQ(reel({"verify", small}).exit_code, 0);
  const json info = reel_json({"info", small});
  EXPECT_EQ(info["contents"]["stored"], 0);
  EXPECT_EQ(info["contents"]["count"], 4);
  EXPECT_EQ(info["facts"]["stripped"], "contents");
  EXPECT_EQ(info["end_facts"]["commands"], "11");
  EXPECT_EQ(reel({"source", small, "k4", "--form", "opencl_c"}).out, sample_add_cl);
  EXPECT_EQ(reel_json({"buffer", small, "b1", "--at", "c0"})["unknown_bytes"], 4096);

  const std::string bare = *folder / "bare.reel";
  EXPECT_EQ(reel({"strip", sample, "-o", bare, "--sources"}).exit_code, 0);
  EXPECT_EQ(reel({"verify", bare}).exit_code, 0);
  const Outcome source = reel({"source", bare, "k4", "--form", "opencl_c"});
  EXPECT_EQ(source.exit_code, 1);
  EXPECT_THAT(source.err, HasSubstr("stripped"));
  EXPECT_EQ(reel({"strip", sample, "-o", bare}).exit_code, 1);    // it is there
  EXPECT_EQ(reel({"strip", sample, "-o", sample}).exit_code, 1);  // as is the document itself
  EXPECT_EQ(reel({"strip", write_sample(*folder / "open.reel", false), "-o", *folder / "y.reel"})
                .exit_code,
            3);
}

TEST_F(DocumentVerbs, LabelsCannotMoveTheCursor) {
  const std::string path = *folder / "escape.reel";
  document::DocumentWriter writer(path, {{"program", "evil\033[2J"}});
  writer.add(document::DeviceRow{0, "host", "host", "\033[1mbold", "", "", "", "", 1, 1, true, 1});
  writer.add(document::StreamRow{0, 0, "s\n"});
  document::WorkRow work{};
  work.kind = WorkKind::barrier;
  work.label = writer.text("a\033[31mb\nc");
  writer.add(work);
  writer.add(document::CommandRow{0, 0, 0, no_index, no_index, 1, 5, 6});
  writer.close({});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info", path},
                                                {"commands", path},
                                                {"commands", path, "c0"},
                                                {"calls", path}}) {
    const Outcome run = reel(words);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, Not(HasSubstr("\033"))) << words[0];
  }
  EXPECT_EQ(reel_json({"commands", path})["commands"][0]["label"], "a\033[31mb\nc");
}

TEST_F(DocumentVerbs, TenTimesAsManyCommandsTakeAboutTenTimesAsLong) {
  const auto time_of = [&](std::size_t count) {
    const std::string many = *folder / "many.reel";
    write_many(many, count);
    const auto begin = std::chrono::steady_clock::now();
    const Outcome all = reel({"commands", many, "--limit", "0"});
    EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'),
              static_cast<std::ptrdiff_t>(count + 4));
    EXPECT_EQ(reel_json({"commands", many, "--limit", "0"})["commands"].size(), count);
    EXPECT_THAT(reel({"commands", many}).out,
                HasSubstr("… " + std::to_string(count - 100) + " more"));
    EXPECT_EQ(reel_json({"buffer", many, "b0"})["unknown_bytes"], 4096);
    const auto took = std::chrono::steady_clock::now() - begin;
    std::filesystem::remove(many);
    return took;
  };
  const auto of_few = time_of(10'000);
  EXPECT_LT(time_of(100'000), 40 * of_few);  // something quadratic would take a hundred times
}

}  // namespace
}  // namespace reel::test
