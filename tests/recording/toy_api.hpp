// toy_api.hpp - a made-up API with a driver in memory, for tests of what records programs of any
// API: asynchronous, with queues in order and without, in memory that only its thread touches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "recording/calls/call_recording.hpp"

namespace reel::test {

struct ToyEvent {
  std::atomic<int> references{1};
  std::atomic<int> status{1};
  std::uint64_t queued_ns = 0, started_ns = 0, ended_ns = 0;
  std::uint32_t timed_together = 0;          // so many commands of a submission
  std::vector<capture::ReadUnderWay*> told;  // under the driver's lock
  capture::RecordedEvent recorded;
};

struct ToyBuffer final : capture::TrackedBuffer {
  ToyBuffer(capture::ApiAdapter& of, std::uint64_t size) : TrackedBuffer(of), bytes(size) {
    size_bytes = size;
  }
  std::vector<std::byte> bytes;
};

struct ToyQueue final : capture::TrackedQueue, std::enable_shared_from_this<ToyQueue> {
  using TrackedQueue::TrackedQueue;
  std::shared_ptr<TrackedQueue> share() override { return shared_from_this(); }
  void* driver_handle() const noexcept override { return const_cast<ToyQueue*>(this); }

  struct Command {
    ToyEvent* event;
    std::vector<ToyEvent*> waits;  // with references of their own
    std::function<void()> work;
  };
  std::deque<Command> commands;  // under the driver's lock
  std::atomic<int> holds{0};     // references of recordings
};

struct ToyTicket final : capture::Ticket {
  std::vector<ToyEvent*> waits;
};

class ToyApi final : public capture::ApiAdapter {
 public:
  struct Options {
    std::string name;
    bool tells = true;       // when reads are done; else it is asked
    bool has_clock = false;  // of its own, an hour ahead of the host's; else stamps tell
    std::uint32_t seed = 1;
  };
  explicit ToyApi(Options options);
  ~ToyApi() override;

  std::shared_ptr<ToyQueue> queue(bool in_order, std::string label);
  std::shared_ptr<ToyBuffer> buffer(std::uint64_t size_bytes, std::string label);
  // The driver's own call. Counts references of events that it returns: the caller has one.
  ToyEvent* submit(ToyQueue& queue, const std::vector<ToyEvent*>& waits,
                   std::function<void()> work);
  // Nothing runs until it is let go again.
  void hold_up(bool on);
  int living_events() const { return events_.load(); }

  std::string_view name() const noexcept override { return options_.name; }
  void retain(capture::HandleKind kind, void* handle) noexcept override;
  void release(capture::HandleKind kind, void* handle) noexcept override;
  int status(void* completion) noexcept override;
  void wait(std::span<void* const> completions) noexcept override;
  void flush(void*) noexcept override {}
  void finish(void* queue) noexcept override;
  std::string words(int status) const override { return "toy error " + std::to_string(status); }
  bool stamps(void* completion, document::StampRow& row) noexcept override;
  void times(void* completion, std::uint32_t first,
             capture::SubmissionTimes& times) noexcept override;
  bool stamps_reads() const noexcept override { return true; }
  bool tell_when_done(void* completion, capture::ReadUnderWay* read) noexcept override;
  const capture::RecordedEvent* waited_for(const capture::Ticket& ticket,
                                           std::uint32_t index) noexcept override;
  bool may_use(const capture::TrackedQueue&,
               const capture::TrackedBuffer&) const noexcept override {
    return true;
  }
  bool is_read_whole(const capture::TrackedBuffer&) const noexcept override { return false; }
  std::string read(void* queue, const BufferRange& range, std::span<std::byte> target,
                   const capture::ReadOrder& order, capture::Completion& done,
                   std::shared_ptr<void>& scratch) override;
  std::unique_ptr<capture::DirectReader> open_reader() override;
  const void* device_of(const capture::TrackedBuffer&) override { return this; }
  document::DeviceRow device_row(const void* device, std::uint32_t number) override;
  std::optional<std::uint64_t> now_ns(const void* device) noexcept override;
  std::shared_ptr<capture::KernelIdentity> identity_of(const capture::TrackedKernel&) override {
    return std::make_shared<capture::KernelIdentity>();
  }
  document::KernelRow kernel_row(capture::TrackedKernel& kernel, const void* device,
                                 std::uint32_t number) override;
  bool label(const void*, std::string_view) override { return false; }
  void before_fork() noexcept override {}
  void after_fork() noexcept override {}

 private:
  void run();
  bool run_one(std::unique_lock<std::mutex>& lock);
  static bool are_done(const std::vector<ToyEvent*>& events);
  std::uint64_t clock_ns() const;

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<ToyQueue>> queues_;
  std::atomic<int> events_{0};
  std::minstd_rand random_;
  bool is_held_up_ = false, is_over_ = false;
  std::thread thread_;
};

// A program that calls toy APIs, and the hooks that record it: one command.
struct ToyWork {
  WorkKind kind = WorkKind::barrier;
  capture::Range source = {}, target = {};
  std::uint32_t pattern = 0;
  std::vector<std::byte> data = {};  // of a write
  bool is_refused = false;           // by the driver
};
ToyEvent* give(capture::CallRecording& recording, ToyApi& api, ToyQueue& queue,
               const std::vector<ToyEvent*>& waits, const ToyWork& work);
// The host waits for it, as the program does.
void host_waits(capture::CallRecording& recording, ToyApi& api, ToyEvent* event);

}  // namespace reel::test
