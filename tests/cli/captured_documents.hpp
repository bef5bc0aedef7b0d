// captured_documents.hpp - a fixture with documents of real programs, each made when it is first
// asked for.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "document/sample_document.hpp"
#include "run_program.hpp"

namespace reel::test {

class CapturedDocuments : public testing::Test {
 protected:
  static void SetUpTestSuite() { folder = new TemporaryFolder; }
  static void TearDownTestSuite() { delete folder; }

  // Passes of a decoder, given command by command; `options` and `environment` are added.
  static std::string decoder_on(const std::string& device, const std::string& name,
                                const std::vector<std::string>& options,
                                const Environment& environment) {
    const std::string path = *folder / (device + name + ".reel");
    if (std::filesystem::exists(path)) return path;
    std::vector<std::string> words{FORWARD_PASS_PROGRAM, "--device", device, "--mode", "direct"};
    words.insert(words.end(), options.begin(), options.end());
    Environment variables{{"REEL_CAPTURE", path}, {"REEL_CAPTURE_ENABLED", "1"}};
    variables.insert(variables.end(), environment.begin(), environment.end());
    const Outcome run = run_program(words, variables);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return path;
  }
  static std::string region_on_host() {
    const std::string path = *folder / "region.reel";
    if (std::filesystem::exists(path)) return path;
    EXPECT_EQ(run_program({CAPTURE_REGION_PROGRAM, path}, {{"REEL_DEVICE", "host"}}).exit_code, 0);
    return path;
  }

  static inline TemporaryFolder* folder = nullptr;
};

}  // namespace reel::test
