// callback.hpp - which function of the program the library is running on this thread.
//
// Host calls and host kernels run in the middle of a device's work. What waits for that device
// from in there waits for itself, so it is refused at the call: see "Threads and ownership" in
// docs/architecture.md.
#pragma once

#include <functional>
#include <string_view>

#include "reel/device.hpp"

namespace reel {

// A function of the program, for a device: known by the address of its DeviceInfo.
class CallbackFrame {
 public:
  enum class Kind { host_call, host_kernel };

  CallbackFrame(const DeviceInfo& device, Kind kind, std::string_view label,
                const CallbackFrame* outer) noexcept
      : device_(device), kind_(kind), label_(label), outer_(outer) {}
  CallbackFrame(const CallbackFrame&) = delete;
  CallbackFrame& operator=(const CallbackFrame&) = delete;

  static const CallbackFrame* current() noexcept { return current_; }
  // The one for this device that the thread is in, however deep; null where there is none.
  static const CallbackFrame* of(const DeviceInfo& device) noexcept;
  bool is_kernel() const noexcept { return kind_ == Kind::host_kernel; }
  std::string_view label() const noexcept { return label_; }

  // From here to the end of the block, this thread is in that one: because it helps another thread
  // with what that one was in, or calls one function again and again.
  class Entered {
   public:
    explicit Entered(const CallbackFrame* frame, const CallbackFrame* outer = current_) noexcept
        : outer_(outer) {
      current_ = frame;
    }
    ~Entered() { current_ = outer_; }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    const CallbackFrame* const outer_;
  };

 private:
  const DeviceInfo& device_;
  const Kind kind_;
  const std::string_view label_;
  const CallbackFrame* const outer_;
  // One load where it is asked for with every command.
  static constinit thread_local const CallbackFrame* current_
      __attribute__((tls_model("initial-exec")));
};

// From here to the end of the block, this thread runs a function of the program for `device`.
class Callback : public CallbackFrame {
 public:
  Callback(const DeviceInfo& device, Kind kind, std::string_view label) noexcept
      : CallbackFrame(device, kind, label, current()), entered_(this) {}

 private:
  const Entered entered_;
};

// Throws inside a host call or a host kernel of the device: `operation` waits for it.
void refuse_wait_in_callback_slowly(const DeviceInfo& device, std::string_view operation);
inline void refuse_wait_in_callback(const DeviceInfo& device, std::string_view operation) {
  if (Callback::current()) [[unlikely]]
    refuse_wait_in_callback_slowly(device, operation);
}
// Throws inside a host kernel of the device, whose streams are held while it runs.
void refuse_in_kernel_slowly(const DeviceInfo& device);
inline void refuse_in_kernel(const DeviceInfo& device) {
  if (Callback::current()) [[unlikely]]
    refuse_in_kernel_slowly(device);
}

// Runs a host call as one; what it throws comes out as host_call_failed with its words.
void run_host_call(const std::function<void()>& function, std::string_view label,
                   const DeviceInfo& device);
// In a catch block: what a host kernel threw, as an Error that names it.
[[noreturn]] void rethrow_of_kernel(std::string_view name);

}  // namespace reel
