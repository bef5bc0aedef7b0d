#include "layers/launching/given_facts.hpp"

#include "base/fail.hpp"
#include "base/process/environment_variable.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::layer {
namespace {

constexpr const char* variable = "REEL_CAPTURE_FACTS";

document::Facts facts_of(const std::vector<std::string>& options) {
  document::Facts facts;
  for (const std::string& text : options) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      fail(Code::invalid_argument, "--fact '{}' is not a fact; write --fact name=value.", text);
    facts.insert_or_assign(text.substr(0, equals), text.substr(equals + 1));
  }
  capture::check_facts(facts);
  return facts;
}

}  // namespace

std::string facts_variable(const std::vector<std::string>& options) {
  document::Facts facts = facts_of(options);
  // A CI sets them for all runs.
  facts.merge(capture::parse_facts(environment_variable(variable)));
  return capture::facts_text(facts);
}

std::optional<std::string> given_rank(const std::vector<std::string>& options) {
  return capture::run_fact("rank", facts_of(options));
}

}  // namespace reel::layer
