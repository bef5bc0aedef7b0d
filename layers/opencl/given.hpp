// given.hpp - one command of the program, from the hook's first line to its last.
//
//   Given given(queue, wait_count, waits, event);
//   if (given) { … given.work() … given.ready(); }
//   return given.call([&](cl_uint n, const cl_event* w, cl_event* e) { return next().clEnqueue…;
//   });
//
// Holds the queue's lock until the driver has it, so that the order of commands in the document is
// that in the queue. Where nothing is recorded it only calls. Nothing throws.
#pragma once

#include <mutex>
#include <string_view>
#include <utility>

#include "layers/control/control.hpp"
#include "layers/opencl/objects/command_buffer.hpp"
#include "layers/opencl/opencl_api.hpp"
#include "layers/session/quietly.hpp"
#include "layers/session/recording_use.hpp"
#include "recording/writing/call_meter.hpp"

namespace reel::layer {

class Given {
 public:
  Given(cl_command_queue queue, cl_uint wait_count, const cl_event* waits,
        cl_event* event) noexcept;
  ~Given();
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  // It is being recorded.
  explicit operator bool() const noexcept { return ticket_.record != nullptr; }
  Work& work() noexcept { return *ticket_.work; }
  // The work is filled. It may turn out not to be wanted.
  void ready() noexcept;
  // In place of filling it: a buffer of commands.
  void launch(CommandBuffer& buffer) noexcept;
  // Filling it failed: it goes on unrecorded.
  void give_up() noexcept { ticket_.give_up(); }

  void written(ByteSource& bytes) noexcept {
    if (ticket_.record) (*use_)->written(ticket_, bytes);
  }
  bool wants_contents() noexcept { return ticket_.record && (*use_)->contents != Contents::none; }
  bool is_device_written() noexcept {
    return ticket_.record && (*use_)->is_device_written(ticket_.work->arguments);
  }
  void check(ContentRole role = ContentRole::check) noexcept {
    if (ticket_.record) (*use_)->check(ticket_, ticket_.work->arguments, role);
  }
  std::uint32_t command() const noexcept { return ticket_.id; }
  std::uint32_t capture() const noexcept { return use_ && *use_ ? (*use_)->number : capture_; }

  // The driver's call, then what there is to note of it.
  template <class Call>
  cl_int call(Call&& driver) noexcept {
    ask_for_event();
    meter_.driver_begins();
    const cl_int status = driver(ticket_.wait_count, ticket_.waits, ticket_.event);
    meter_.driver_ends();
    called(status);
    return status;
  }
  void called(cl_int status) noexcept;
  Ticket& ticket() noexcept { return ticket_; }
  // Where it is being recorded, or the capture sees it at all (`ticket().place`).
  capture::CallRecording& recording() const noexcept { return *use_->operator->(); }

  // The program wants this call to block. The driver is told not to, since waiting with the
  // queue's lock would stop whoever is to end the wait; wait() then does, as the last thing, and
  // returns what the blocking call would. Returns what to tell the driver.
  cl_bool block(cl_bool blocking) noexcept {
    const bool is_ours = ticket_.record || ticket_.is_followed;
    will_wait_ = is_ours && blocking;
    return is_ours ? CL_FALSE : blocking;
  }
  cl_int wait(cl_int status) noexcept;

 private:
  // Adds to what the program gives the driver what the capture needs.
  void ask_for_event() noexcept;
  void leave() noexcept;

  capture::CallMeter meter_;
  std::optional<RecordingUse> use_;
  std::shared_ptr<Queue> queue_;
  std::unique_lock<std::recursive_mutex> lock_;
  Ticket ticket_;
  capture::Completion waited_;
  cl_command_queue without_event_ = nullptr;
  bool will_wait_ = false;
  std::uint32_t stream_ = 0, capture_ = 0;
};

// A call that makes no command: into the document where one is being made.
class Call {
 public:
  explicit Call(const char* name) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // What is not the driver's is then counted as the capture's.
  template <class Function>
  auto driver(Function&& function) noexcept {
    knows_driver_ = true;
    meter_.driver_begins();
    const auto result = function();
    meter_.driver_ends();
    return result;
  }

 private:
  const char* name_;
  std::uint64_t begin_ns_ = 0;
  bool knows_driver_ = false;
  capture::CallMeter meter_;
};

// The same of a call that is not in the document: from here on to the end of the block.
class Beside {
 public:
  Beside() noexcept {
    if (session::mode() & session::recording) meter_.begin();
  }
  ~Beside() {
    const std::uint64_t ns = meter_.end();
    if (!ns) return;
    const RecordingUse use;
    if (use) use->add_command_time(ns);
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

 private:
  capture::CallMeter meter_;
};

}  // namespace reel::layer
