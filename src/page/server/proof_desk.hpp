// proof_desk.hpp - experiments that the page asks for, and how far they are.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "reel/page.hpp"

namespace reel::page {

// Any thread.
class ProofDesk {
 public:
  explicit ProofDesk(ProveFindings prove) : prove_(std::move(prove)) {}
  ~ProofDesk() { stop(); }
  ProofDesk(const ProofDesk&) = delete;
  ProofDesk& operator=(const ProofDesk&) = delete;

  // Does nothing while they run, or after stop(). What was found before is forgotten.
  void start();
  void stop();  // returns when they have ended
  // {"state": "idle", "running", "done" or "failed", "trying", "error", "proofs": {"3": {…}}}
  std::string json() const;

 private:
  void run();
  void hear(const std::string& line);

  const ProveFindings prove_;
  std::atomic<bool> is_stopped_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::string state_ = "idle", trying_, error_;
  std::map<std::uint32_t, std::string> proofs_;  // by finding, as JSON
  std::thread thread_;
};

}  // namespace reel::page
