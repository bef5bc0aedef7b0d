// progress.hpp - shows that something is at work, once it has taken a second, where stderr is a
// terminal; and takes the line away again.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace reel::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  void show(std::string what);  // from now on; any thread
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  // none where nobody would see it
};

}  // namespace reel::cli
