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

// From here to the end of the block, this thread runs a function of the program for `device`.
// A device is known by the address of its DeviceInfo.
class Callback {
 public:
  enum class Kind { host_call, host_kernel };

  Callback(const DeviceInfo& device, Kind kind, std::string_view label) noexcept
      : device_(device), kind_(kind), label_(label), outer_(current_) {
    current_ = this;
  }
  ~Callback() { current_ = outer_; }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  static const Callback* current() noexcept { return current_; }

  // For a thread that helps another one with what that one was in.
  class Continued {
   public:
    explicit Continued(const Callback* other) noexcept : outer_(current_) { current_ = other; }
    ~Continued() { current_ = outer_; }
    Continued(const Continued&) = delete;
    Continued& operator=(const Continued&) = delete;

   private:
    const Callback* outer_;
  };

  // The one for this device that the thread is in, however deep; null where there is none.
  static const Callback* of(const DeviceInfo& device) noexcept;
  bool is_kernel() const noexcept { return kind_ == Kind::host_kernel; }
  std::string_view label() const noexcept { return label_; }

 private:
  const DeviceInfo& device_;
  const Kind kind_;
  const std::string_view label_;
  const Callback* const outer_;
  // One load where it is asked for with every command.
  static constinit thread_local const Callback* current_ __attribute__((tls_model("initial-exec")));
};

// Throws inside a host call or a host kernel of the device: `operation` waits for it.
void refuse_wait_in_callback(const DeviceInfo& device, std::string_view operation);
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
