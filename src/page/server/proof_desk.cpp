#include "page/server/proof_desk.hpp"

#include <nlohmann/json.hpp>

namespace reel::page {

using Json = nlohmann::ordered_json;

void ProofDesk::stop() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();  // without the mutex, which it takes
}

void ProofDesk::start() {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || state_ == "running") return;
  state_ = "running";
  trying_.clear();
  error_.clear();
  proofs_.clear();
  if (thread_.joinable()) thread_.join();  // the one before has nothing left to do but to end
  thread_ = std::thread([this] { run(); });
}

void ProofDesk::run() {
  std::string error;
  try {
    prove_([this](const std::string& line) { hear(line); }, [this] { return is_stopped_.load(); });
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  state_ = error.empty() ? "done" : "failed";
  trying_.clear();
}

void ProofDesk::hear(const std::string& line) {
  const Json json = Json::parse(line);
  const std::lock_guard lock(mutex_);
  if (const auto trying = json.find("trying"); trying != json.end()) trying_ = *trying;
  if (const auto proof = json.find("proof"); proof != json.end())
    proofs_[json.at("finding")] = proof->dump();
}

std::string ProofDesk::json() const {
  const std::lock_guard lock(mutex_);
  Json json = {
      {"state", state_}, {"trying", trying_}, {"error", error_}, {"proofs", Json::object()}};
  for (const auto& [finding, proof] : proofs_)
    json["proofs"][std::to_string(finding)] = Json::parse(proof);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reel::page
