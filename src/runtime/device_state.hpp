// device_state.hpp - an open device, shared by every handle to it.
//
// Owned by Device handles and by everything made from the device. Knows its streams, so that a
// device-wide call can wait for them, and its active captures, so that it can be refused.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/process/forks.hpp"
#include "runtime/driver.hpp"
#include "runtime/quick_check.hpp"

namespace reel {

class CaptureSession;
class StreamState;

class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  explicit DeviceState(std::shared_ptr<DeviceDriver> driver);
  ~DeviceState();

  // Made before a fork(), in the parent: its threads are gone and its driver may hang. What belongs
  // to it is let go without touching the driver: leaked, on purpose.
  bool is_inherited() const noexcept { return birth_.is_inherited(); }
  void refuse_inherited() const {
    if (is_inherited()) [[unlikely]]
      fail_inherited();
  }

  DeviceDriver& driver() noexcept { return *driver_; }
  const DeviceInfo& info() const noexcept { return info_; }

  std::shared_ptr<StreamState> open_stream(const StreamOptions& options);

  // Blocking, after everything given to any stream so far. `operation` is for errors.
  void synchronize(std::string_view operation);
  void write(const BufferRange& target, std::span<const std::byte> data);
  void read(const BufferRange& source, std::span<std::byte> target);

  void capture_begins(const std::shared_ptr<CaptureSession>& session);
  void capture_ends(const CaptureSession* session) noexcept;

  const DispatchLimits limits;
  const std::uint32_t number;                        // through the life of the process
  std::atomic<std::uint64_t> live_bytes{0};          // of its buffers
  static std::atomic<std::uint64_t> all_live_bytes;  // of the buffers of all devices

 private:
  // Throws capture_implicit where the mode of an active capture forbids a device-wide call.
  void refuse_during_capture(std::string_view operation);
  void wait_for_streams();
  void transfer(Command&& command);

  [[noreturn]] void fail_inherited() const;

  const Birth birth_;
  std::shared_ptr<DeviceDriver> driver_;
  const DeviceInfo& info_;  // the driver's: asked for with every wait
  std::mutex mutex_;
  std::vector<std::weak_ptr<StreamState>> streams_;
  std::vector<std::weak_ptr<CaptureSession>> captures_;
  // For Buffer::read and write. Made by the first of them; doesn't own the device.
  std::mutex transfer_mutex_;
  std::shared_ptr<StreamState> transfers_;
};

// The state of a handle, or an Error that says which handle is empty.
DeviceState& state_of(const Device& device, std::string_view operation);

}  // namespace reel
