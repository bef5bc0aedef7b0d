// host_worker.hpp - the thread of a queue that runs functions given to host_call.
//
// Started by the first call. Functions must not run inside a driver's event callback: there,
// any OpenCL call that waits may deadlock. Destroying it runs what is still waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace reel::opencl {

class HostWorker {
 public:
  HostWorker() = default;
  ~HostWorker();
  HostWorker(const HostWorker&) = delete;

  void start();                           // call before post, from where throwing is fine
  void post(std::function<void()> work);  // any thread, driver callbacks included

 private:
  // The thread holds its own reference: the device may be destroyed by a function it runs.
  struct State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> waiting;
    bool ending = false;
  };
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::once_flag started_;
  std::thread thread_;
};

}  // namespace reel::opencl
