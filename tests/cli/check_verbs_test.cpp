// `reel check` and `reel bench`, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "captured_documents.hpp"

namespace reel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string all_devices[] = {"host", "opencl", "vulkan"};

class CheckVerbs : public CapturedDocuments {
 protected:
  void SetUp() override { fs::create_directories(golden()); }
  void TearDown() override { fs::remove_all(golden()); }
  static std::string golden() { return *folder / "golden"; }

  static Outcome check(std::vector<std::string> words, const Environment& environment = {}) {
    words.insert(words.begin(), {REEL_PROGRAM, "check"});
    return run_program(words, environment);
  }
  // A pass of a small decoder, as golden/<name>.reel.
  static std::string keep_pass(const std::string& device, const std::string& name) {
    const std::string from = decoder_on(device, "_small",
                                        {"--tokens", "1", "--dim", "32", "--layers", "1", "--heads",
                                         "4", "--kv-heads", "2", "--vocab", "64", "--hidden", "64"},
                                        {});
    return keep(from, name);
  }
  static std::string keep(const std::string& from, const std::string& name) {
    const std::string to = golden() + "/" + name + ".reel";
    fs::copy_file(from, to);
    return to;
  }
  // Its results depend on a library that the tests have, and that drifts when it is told to.
  static std::string keep_region(const std::string& name) { return keep(region_on_host(), name); }
  static std::vector<std::string> with_kernels(std::vector<std::string> words) {
    words.insert(words.end(), {"--host-kernels", HOST_KERNELS_LIBRARY});
    return words;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

const Environment drift{{"REEL_TEST_DRIFT", "1"}};

TEST_F(CheckVerbs, DocumentsOfEveryDeviceAreOneVerdict) {
  for (const std::string& device : all_devices) keep_pass(device, device);
  const std::string junit = *folder / "results.xml";
  const Outcome run = check({golden(), "--junit", junit});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  for (const std::string& device : all_devices)
    EXPECT_THAT(run.out, HasSubstr(golden() + "/" + device + ".reel"));
  EXPECT_THAT(run.out,
              HasSubstr("3 documents: 3 passed, 0 different, 0 can't be run here, 0 broken"));
  EXPECT_THAT(text_of(junit),
              AllOf(HasSubstr("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"0\""),
                    HasSubstr("name=\"vulkan.reel\"")));
  const json answer = json::parse(check({golden(), "--json", "--jobs", "1"}).out);
  EXPECT_EQ(answer["schema_version"], 1);
  EXPECT_EQ(answer["passed"], true);
  ASSERT_EQ(answer["documents"].size(), 3u);
  for (const json& document : answer["documents"]) {
    EXPECT_EQ(document["result"], "passed");
    EXPECT_EQ(document["verdict"], "equal");
    EXPECT_GT(document["checks"], 0);
  }
}

TEST_F(CheckVerbs, TheyRunOnAnotherDeviceWithinTolerance) {
  for (const std::string& device : all_devices) keep_pass(device, device);
  for (const std::string device : {"host", "opencl"}) {
    const Outcome run = check({golden(), "--device", device, "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    for (const json& document : json::parse(run.out)["documents"])
      EXPECT_THAT(document["device"].get<std::string>(), testing::StartsWith(device));
  }
}

TEST_F(CheckVerbs, BadDocumentsAreNamedAndTheRestIsChecked) {
  keep_pass("host", "good");
  keep_region("needs library");
  std::ofstream(golden() + "/text.reel") << "no document";
  std::ofstream(golden() + "/-o.reel") << "";
  fs::create_directory(golden() + "/deep");
  fs::copy_file(golden() + "/good.reel", golden() + "/deep/cut.reel");
  fs::resize_file(golden() + "/deep/cut.reel", fs::file_size(golden() + "/good.reel") / 2);
  const std::string junit = *folder / "bad.xml";
  const Outcome run = check({golden(), "--junit", junit});
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("5 documents: 1 passed, 0 different, "), HasSubstr("text.reel"),
                    HasSubstr("--host-kernels"), HasSubstr("-o.reel")));
  EXPECT_THAT(text_of(junit), AllOf(HasSubstr("<error message="), HasSubstr("<skipped message=")));
  // Without those that are broken, what can't be run is the verdict.
  for (const char* broken : {"/text.reel", "/-o.reel", "/deep/cut.reel"})
    fs::remove(golden() + broken);
  EXPECT_EQ(check({golden()}).exit_code, 4);
  EXPECT_EQ(check(with_kernels({golden()})).exit_code, 0);
}

TEST_F(CheckVerbs, ADifferenceOutweighsWhatCouldNotBeLookedAt) {
  const std::string region = keep_region("region");
  std::ofstream(golden() + "/text.reel") << "no document";
  const Outcome run = check(with_kernels({golden()}), drift);
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("DIFFERENT"),
                             HasSubstr("1 of 1 check differs; first b2 'c' at byte 0"),
                             HasSubstr("2 documents: 0 passed, 1 different")));
  const json answer = json::parse(check(with_kernels({golden(), "--json"}), drift).out);
  EXPECT_EQ(answer["passed"], false);
  EXPECT_EQ(answer["documents"][0]["result"], "different");
  EXPECT_EQ(answer["documents"][1]["result"], "broken");
}

TEST_F(CheckVerbs, ACrashCostsOneDocument) {
  keep_region("crashes");
  keep_pass("host", "good");
  const Outcome run = check(with_kernels({golden(), "--json"}), {{"REEL_TEST_CRASH", "1"}});
  EXPECT_EQ(run.exit_code, 4) << run.out;
  const json documents = json::parse(run.out)["documents"];
  EXPECT_EQ(documents[0]["result"], "cannot_run");
  EXPECT_THAT(documents[0]["sentence"].get<std::string>(), HasSubstr("crashed"));
  EXPECT_EQ(documents[1]["result"], "passed");
}

TEST_F(CheckVerbs, UpdateRenewsWhatDiffersAndNothingElse) {
  const std::string region = keep_region("region"), pass = keep_pass("host", "pass");
  const std::string pass_before = text_of(pass), region_before = text_of(region);
  fs::permissions(region, fs::perms(0640));
  // Nobody can answer.
  const Outcome asked = check(with_kernels({golden(), "--update"}), drift);
  EXPECT_EQ(asked.exit_code, 2) << asked.out;
  EXPECT_THAT(asked.err, HasSubstr("--yes"));
  EXPECT_EQ(text_of(region), region_before);

  const Outcome run = check(with_kernels({golden(), "--update", "--yes"}), drift);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("DIFFERENT"), HasSubstr("renewed " + region)));
  EXPECT_EQ(text_of(pass), pass_before);
  EXPECT_NE(text_of(region), region_before);
  EXPECT_EQ(fs::status(region).permissions(), fs::perms(0640));
  // Now that is what is right, and the old results are not.
  EXPECT_EQ(check(with_kernels({golden()}), drift).exit_code, 0);
  EXPECT_EQ(check(with_kernels({golden()})).exit_code, 1);
  EXPECT_THAT(check(with_kernels({golden(), "--update", "--yes"}), drift).out,
              HasSubstr("Nothing is to be renewed."));
  EXPECT_EQ(std::distance(fs::directory_iterator(golden()), {}), 2) << "a file was left behind";
}

TEST_F(CheckVerbs, UpdateAsksOnATerminal) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "There are no pseudo-terminals here (/dev/pts).";
  const std::string region = keep_region("region");
  const std::string before = text_of(region);
  const auto answered = [&](const std::string& answer) {
    return run_on_terminal(
        {REEL_PROGRAM, "check", golden(), "--update", "--host-kernels", HOST_KERNELS_LIBRARY},
        drift, 0, answer);
  };
  const Outcome no = answered("n\n");
  EXPECT_EQ(no.exit_code, 1) << no.out;
  EXPECT_THAT(no.out, AllOf(HasSubstr("Renew 1 document"), HasSubstr("Nothing was renewed.")));
  EXPECT_EQ(text_of(region), before);
  const Outcome yes = answered("y\n");
  EXPECT_EQ(yes.exit_code, 0) << yes.out;
  EXPECT_NE(text_of(region), before);
}

TEST_F(CheckVerbs, ResultsThatChangeFromRunToRunAreNotKept) {
  const std::string region = keep_region("region");
  const std::string before = text_of(region);
  const Outcome run =
      check(with_kernels({golden(), "--update", "--yes"}), {{"REEL_TEST_UNSTEADY", "1"}});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_THAT(run.err, HasSubstr("change from run to run"));
  EXPECT_EQ(text_of(region), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(golden()), {}), 1);
}

TEST_F(CheckVerbs, WhatIsNoFolderOfDocumentsIsSaidSo) {
  const Outcome empty = check({golden()});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, HasSubstr("has no .reel file in it"));
  EXPECT_EQ(check({golden() + "/missing.reel"}).exit_code, 1);
  EXPECT_EQ(check({}).exit_code, 2);
  keep_pass("host", "pass");
  EXPECT_EQ(check({golden(), "--jobs", "0"}).exit_code, 2);
  EXPECT_EQ(check({golden(), "--yes"}).exit_code, 2);
  const Outcome unwritable = check({golden(), "--junit", "/nonexistent/results.xml"});
  EXPECT_EQ(unwritable.exit_code, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("'/nonexistent/results.xml' can't be written."));
}

// Names of any bytes, and documents of any bytes: the XML stays XML, and all are told of.
TEST_F(CheckVerbs, XmlIsWellFormedWhateverFilesAreNamed) {
  std::mt19937 random(7);
  std::size_t count = 0;
  for (int i = 0; i < 20; ++i) {
    std::string name;
    for (std::size_t n = 1 + random() % 12; name.size() < n;) {
      const char c = static_cast<char>(random());
      if (c != '/' && c != '\0') name += random() % 2 ? c : "<>&\"'\n]"[random() % 7];
    }
    std::string bytes(random() % 64, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    std::ofstream file(golden() + "/" + name + ".reel", std::ios::binary);
    if (file << bytes) ++count;
  }
  const std::string junit = *folder / "random.xml";
  const Outcome run = check({golden(), "--junit", junit});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" 0 passed, 0 different, 0 can't be run here, "));
  const Outcome parsed = run_program({"/usr/bin/python3", "-c",
                                      "import sys, xml.etree.ElementTree as t; "
                                      "print(len(t.parse(sys.argv[1]).findall('.//error')))",
                                      junit});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err << text_of(junit);
  EXPECT_GT(std::stoul("0" + parsed.out), count / 2);
}

TEST(BenchVerb, MeasuresEveryDeviceAndChecksWhatItComputes) {
  const Outcome run = run_program({REEL_PROGRAM, "bench", "--seconds", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  const json answer = json::parse(run.out);
  EXPECT_EQ(answer["schema_version"], 1);
  ASSERT_GE(answer["devices"].size(), 1u);
  for (const json& device : answer["devices"]) {
    EXPECT_TRUE(device["error"].is_null());
    for (const char* number :
         {"round_trip_ns", "launch_ns", "write_bytes_per_s", "read_bytes_per_s", "copy_bytes_per_s",
          "triad_bytes_per_s", "fma_flops", "matmul_flops"})
      EXPECT_GT(device[number].get<double>(), 0) << device["id"] << number;
    EXPECT_GE(device["peak_flops"].get<double>(), device["matmul_flops"].get<double>());
    EXPECT_GE(device["peak_bytes_per_s"].get<double>(), device["copy_bytes_per_s"].get<double>());
  }
}

TEST(BenchVerb, OneDeviceAsTextAndNoneThatIsNotThere) {
  const Outcome run = run_program({REEL_PROGRAM, "bench", "--seconds", "1", "--device", "host"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("launch, round trip"), HasSubstr("GB/s"), HasSubstr("GFLOP/s"),
                    HasSubstr("% of peak"), Not(HasSubstr("vulkan"))));
  const Outcome none = run_program({REEL_PROGRAM, "bench", "--device", "metal"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("metal"));
}

// What was measured is kept by name and driver, and findings about documents of that device use it.
TEST_F(CheckVerbs, SavedPeaksAreWhatFindingsUse) {
  const std::string cache = golden() + "/cache", file = cache + "/reel/peaks.json";
  const Environment at{{"XDG_CACHE_HOME", cache}};
  const std::string document = keep_pass("host", "pass");
  const auto insights = [&] { return run_program({REEL_PROGRAM, "insights", document}, at); };
  EXPECT_THAT(insights().out, HasSubstr("`reel bench --save` on its machine measures it"));

  for (const char* device : {"host", "opencl"}) {
    const Outcome saved = run_program(
        {REEL_PROGRAM, "bench", "--save", "--seconds", "1", "--device", device, "--json"}, at);
    ASSERT_EQ(saved.exit_code, 0) << saved.err;
    EXPECT_THAT(saved.err, HasSubstr(file));
    EXPECT_TRUE(json::accept(saved.out));  // where it was saved is said on the other channel
  }
  EXPECT_EQ(json::parse(text_of(file))["devices"].size(), 2u) << text_of(file);
  EXPECT_THAT(insights().out, HasSubstr("that this device gave `reel bench` on 2"));

  for (const char* damaged : {"", "{", "[]", R"({"schema_version": 2, "devices": []})",
                              R"({"schema_version": 1, "devices": [{"name": 3}]})"}) {
    std::ofstream(file) << damaged;
    const Outcome run = insights();
    EXPECT_EQ(run.exit_code, 0) << damaged;
    EXPECT_THAT(run.err, HasSubstr("is not what `reel bench --save` writes")) << damaged;
    EXPECT_THAT(run.out, Not(HasSubstr("gave `reel bench`"))) << damaged;
  }
  fs::remove_all(cache);
  std::ofstream(cache) << "a file where a folder should be";
  const Outcome full =
      run_program({REEL_PROGRAM, "bench", "--save", "--seconds", "1", "--device", "host"}, at);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("Can't write '" + file));
}

}  // namespace
}  // namespace reel::test
