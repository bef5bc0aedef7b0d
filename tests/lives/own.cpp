// own.cpp - a life with Reel's own API: lives_own DEVICE PROGRAM.
//
// LIVES_DOCUMENT says where its step `capture start` captures to; without, it does nothing.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "life.hpp"
#include "own_kernels.hpp"
#include "reel/capture.hpp"
#include "reel/executor.hpp"
#include "reel/reel.hpp"

namespace {

constexpr std::uint32_t count = 2048;

class OwnWork : public lives::Work {
 public:
  explicit OwnWork(std::string selector) : selector_(std::move(selector)) {}

  void open() override {
    device_ = reel::open_device(selector_);
    stream_ = device_.stream("stream");
    executor_.emplace(device_);
    for (const reel::KernelSource& source : oracle::own_kernels())
      kernels_.push_back(device_.kernel(source));
    buffer_ = make_buffer();
  }

  void give(int number) override {
    for (int i = 0; i < number; ++i) dispatch(stream_, buffer_, given_++);
    stream_.flush();
  }

  void pass(int number) override {
    event(stream_, executor_->stream());
    reel::GraphSession session = given_ % 2 ? executor_->begin_recorded() : executor_->begin();
    for (int i = 0; i < number; ++i) dispatch(session, buffer_, given_++);
    session.commit();
    event(executor_->stream(), stream_);
  }

  void hold() override {
    is_open_.store(false);
    stream_.host_call([this] {
      while (!is_open_.load()) usleep(100);
    });
    give(1);
  }
  void release() override { is_open_.store(true); }

  std::string finish() override {
    std::vector<std::uint32_t> values = stream_.read_now<std::uint32_t>(buffer_);
    return oracle::digest(values.data(), values.size() * sizeof values[0]);
  }

  void give_on() override {
    try {
      const reel::Stream stream = device_.stream("busy");
      const reel::Buffer buffer = make_buffer();
      for (int i = 0; i < 100'000; ++i) {
        dispatch(stream, buffer, 0);
        stream.flush();
        usleep(200);
      }
    } catch (const std::exception&) {  // the process leaves
    }
  }

  void unload() override {
    stream_.synchronize();
    executor_.reset();
    kernels_.clear();
    buffer_ = {};
    stream_ = {};
    device_ = {};
  }

  void call_back(void (*function)()) override {
    stream_.host_call(function);
    stream_.flush();
  }

  void capture(bool start) override {
    const char* path = std::getenv("LIVES_DOCUMENT");
    if (!path) return;
    try {
      if (start)
        reel::start_capture(path);
      else
        reel::stop_capture();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "capture: %s\n", error.what());
    }
  }

 private:
  reel::Buffer make_buffer() {
    reel::Buffer buffer = device_.buffer(count * sizeof(std::uint32_t), "values");
    buffer.write(oracle::patterns(5, count));
    return buffer;
  }

  void event(const reel::Stream& from, const reel::Stream& to) {
    const reel::Event event = device_.event();
    from.record(event);
    to.wait(event);
  }

  template <class Target>
  void dispatch(Target& target, const reel::Buffer& buffer, int number) {
    const reel::Kernel& kernel = kernels_[number % 2 ? 3 : 1];  // slow, advance
    target.dispatch(kernel, {.groups = {count / 64}, .group_size = {64}}, reel::inout(buffer),
                    static_cast<std::uint32_t>(number), count);
  }

  const std::string selector_;
  reel::Device device_;
  reel::Stream stream_;
  std::optional<reel::GraphExecutor> executor_;
  reel::Buffer buffer_;
  std::vector<reel::Kernel> kernels_;
  std::atomic<bool> is_open_{true};
  int given_ = 0;
};

}  // namespace

int main(int number, char** words) {
  if (number != 3) {
    std::fprintf(stderr, "Usage: %s DEVICE PROGRAM\n", words[0]);
    return 2;
  }
  return lives::live(*new OwnWork(words[1]), words, words[2]);
}
