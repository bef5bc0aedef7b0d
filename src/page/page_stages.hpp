// page_stages.hpp - how much of what the page needs has been found out.
//
// One thread finds out and says how far it is, any number wait and ask. What was found before a
// stage was reached may be read after it. Joins the thread when it goes.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace reel::page {

enum class Stage : std::uint8_t {
  none,
  first_look,  // all but what follows
  all          // dependencies, findings, the difference between two documents
};

class PageStages {
 public:
  PageStages() = default;
  PageStages(const PageStages&) = delete;
  PageStages& operator=(const PageStages&) = delete;
  ~PageStages() {
    if (thread_.joinable()) thread_.join();
  }

  // `find` runs on a thread of its own; what it throws, wait_for() throws.
  void begin(std::function<void()> find);
  void say(std::string_view what, double part);
  void reach(Stage stage);
  void wait_for(Stage stage) const;

  // As long as this is there, somebody makes what the page asked for, or waits for the first look
  // to make it. Not for whom waits for more: nobody gives way to them.
  class Looking {
   public:
    explicit Looking(const PageStages& stages);
    ~Looking();
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    const PageStages& stages_;
  };
  // Who looks comes first: waits until nobody does, for a second at most.
  void give_way();
  // {"what": "Looking at dependencies", "part": 0.5, "done": false}
  std::string json() const;

 private:
  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable changed_;
  Stage stage_ = Stage::none;
  mutable std::size_t looking_ = 0;
  std::exception_ptr failure_;
  std::string what_ = "Starting";
  double part_ = 0;
  std::thread thread_ = {};
};

}  // namespace reel::page
