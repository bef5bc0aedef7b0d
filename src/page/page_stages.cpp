#include "page/page_stages.hpp"

#include <chrono>

#include "graph/json_writer.hpp"

namespace reel::page {

void PageStages::begin(std::function<void()> find) {
  thread_ = std::thread([this, find = std::move(find)] {
    try {
      find();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  });
}

void PageStages::say(std::string_view what, double part) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  part_ = part;
}

void PageStages::reach(Stage stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  changed_.notify_all();
}

PageStages::Looking::Looking(const PageStages& stages) : stages_(stages) {
  const std::lock_guard lock(stages_.mutex_);
  ++stages_.looking_;
}

PageStages::Looking::~Looking() {
  const std::lock_guard lock(stages_.mutex_);
  --stages_.looking_;
  stages_.changed_.notify_all();
}

void PageStages::give_way() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(1), [&] { return looking_ == 0; });
}

void PageStages::wait_for(Stage stage) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stage_ >= stage || failure_; });
  if (stage_ < stage) std::rethrow_exception(failure_);
}

std::string PageStages::json() const {
  const std::lock_guard lock(mutex_);
  JsonWriter json;
  json.object([&] {
    json.member("what", what_);
    json.member("part", part_);
    json.member("done", stage_ == Stage::all || failure_ != nullptr);
  });
  return std::move(json).take();
}

}  // namespace reel::page
