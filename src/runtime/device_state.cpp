#include "runtime/device_state.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "runtime/callback.hpp"
#include "runtime/graphs/capture_session.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

namespace {

std::uint32_t next_device_number() {
  static std::atomic<std::uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::atomic<std::uint64_t> DeviceState::all_live_bytes{0};

DeviceState::DeviceState(std::shared_ptr<DeviceDriver> driver)
    : limits(driver->info()),
      number(next_device_number()),
      driver_(std::move(driver)),
      info_(driver_->info()) {}

DeviceState::~DeviceState() {
  if (is_inherited()) static_cast<void>(new std::shared_ptr<DeviceDriver>(std::move(driver_)));
}

void DeviceState::fail_inherited() const {
  fail(Code::unsupported,
       "Device {} was opened before fork(), in the parent process, and can't be used in the child; "
       "open devices after the fork.",
       driver_->info().id);
}

std::shared_ptr<StreamState> DeviceState::open_stream(const StreamOptions& options) {
  auto stream = std::make_shared<StreamState>(shared_from_this(), options);
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
  streams_.push_back(stream);
  return stream;
}

void DeviceState::wait_for_streams() {
  std::vector<std::shared_ptr<StreamState>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : streams_)
      if (auto stream = weak.lock()) streams.push_back(std::move(stream));
  }
  // Streams under capture have nothing of the capture in flight, but may have work from before.
  // All are waited for; an error after the first is for whoever waits for its stream next.
  std::exception_ptr first;
  for (const auto& stream : streams) {
    const std::exception_ptr error = stream->wait_for_error();
    if (!error) continue;
    if (!first) {
      first = error;
      continue;
    }
    const auto lock = stream->lock();
    stream->throw_later(error);
  }
  if (first) std::rethrow_exception(first);
}

void DeviceState::synchronize(std::string_view operation) {
  refuse_inherited();
  refuse_wait_in_callback(info(), operation);
  const RecordedCall call(operation);
  refuse_during_capture(operation);
  wait_for_streams();
}

void DeviceState::write(const BufferRange& target, std::span<const std::byte> data) {
  refuse_inherited();
  refuse_wait_in_callback(info(), "Buffer::write()");
  refuse_during_capture("Buffer::write()");
  wait_for_streams();
  transfer({Write{target, data}});
}

void DeviceState::read(const BufferRange& source, std::span<std::byte> target) {
  refuse_inherited();
  refuse_wait_in_callback(info(), "Buffer::read()");
  refuse_during_capture("Buffer::read()");
  wait_for_streams();
  transfer({Read{source, target}});
}

void DeviceState::transfer(Command&& command) {
  const std::lock_guard lock(transfer_mutex_);
  if (!transfers_)
    transfers_ =
        std::make_shared<StreamState>(std::shared_ptr<DeviceState>(std::shared_ptr<void>(), this),
                                      StreamOptions{.label = "transfers"});
  transfers_->enqueue(std::move(command));
  transfers_->wait_for_queue();
}

void DeviceState::capture_begins(const std::shared_ptr<CaptureSession>& session) {
  const std::lock_guard lock(mutex_);
  captures_.push_back(session);
}

void DeviceState::capture_ends(const CaptureSession* session) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(captures_, [&](const auto& weak) {
    const auto live = weak.lock();
    return !live || live.get() == session;
  });
}

void DeviceState::refuse_during_capture(std::string_view operation) {
  std::vector<std::shared_ptr<CaptureSession>> active;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : captures_)
      if (auto session = weak.lock()) active.push_back(std::move(session));
  }
  for (const auto& session : active)
    if (session->forbids_device_wide_calls())
      session->invalidate(Error(
          Code::capture_implicit,
          fmt::format(
              "{} waits for every stream of {}, but stream '{}' is being captured in mode {}; "
              "call it before or after the capture, or capture in a looser mode.",
              operation, info().id, session->origin_label(), to_string(session->mode()))));
}

}  // namespace reel
