// held_handle.hpp - handles of a driver that we hold a reference of, whatever the API.
//
// A Completion is a point in the driver's work: done or not, and when it was. Copying takes one
// more reference. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace reel::capture {

enum class HandleKind : std::uint8_t { completion, queue };

// What a driver can be asked of handles: the part of an ApiAdapter that they need themselves.
class DriverHandles {
 public:
  virtual ~DriverHandles() = default;
  virtual void retain(HandleKind kind, void* handle) noexcept = 0;
  virtual void release(HandleKind kind, void* handle) noexcept = 0;
  // Above 0: under way; 0: done; below: failed, the driver's number for it.
  virtual int status(void* completion) noexcept = 0;
  virtual void wait(std::span<void* const> completions) noexcept = 0;
  virtual void flush(void* queue) noexcept = 0;
  virtual void finish(void* queue) noexcept = 0;  // waits
};

template <HandleKind kind>
class HeldHandle {
 public:
  HeldHandle() = default;
  // Takes over a reference.
  HeldHandle(DriverHandles& driver, void* handle) noexcept : driver_(&driver), handle_(handle) {}
  HeldHandle(const HeldHandle& other) noexcept : driver_(other.driver_), handle_(other.handle_) {
    if (handle_) driver_->retain(kind, handle_);
  }
  HeldHandle(HeldHandle&& other) noexcept
      : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}
  HeldHandle& operator=(HeldHandle other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~HeldHandle() {
    if (handle_) driver_->release(kind, handle_);
  }
  // With a reference of its own.
  static HeldHandle of(DriverHandles& driver, void* handle) noexcept {
    if (handle) driver.retain(kind, handle);
    return {driver, handle};
  }

  void* get() const noexcept { return handle_; }
  DriverHandles* driver() const noexcept { return driver_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  bool operator==(const HeldHandle& other) const noexcept { return handle_ == other.handle_; }
  // Or failed; also where there is nothing to ask for.
  bool is_done() const noexcept requires(kind == HandleKind::completion) {
    return !handle_ || driver_->status(handle_) <= 0;
  }

 private:
  DriverHandles* driver_ = nullptr;
  void* handle_ = nullptr;
};

using Completion = HeldHandle<HandleKind::completion>;
using HeldQueue = HeldHandle<HandleKind::queue>;

}  // namespace reel::capture
