// verb_test.hpp - a fixture that runs `reel` as a user does.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_program.hpp"

namespace reel::test {

class VerbTest : public testing::Test {
 protected:
  static Outcome reel(std::vector<std::string> words) {
    words.insert(words.begin(), REEL_PROGRAM);
    return run_program(words);
  }
  static nlohmann::json reel_json(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Outcome run = reel(std::move(words));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    nlohmann::json answer = nlohmann::json::parse(run.out);
    EXPECT_EQ(answer["schema_version"], 1);
    return answer;
  }
};

}  // namespace reel::test
