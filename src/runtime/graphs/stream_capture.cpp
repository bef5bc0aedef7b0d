#include "reel/stream_capture.hpp"

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/capture_session.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

const char* to_string(CaptureMode mode) noexcept {
  switch (mode) {
    case CaptureMode::global:
      return "global";
    case CaptureMode::thread_local_:
      return "thread_local";
    case CaptureMode::relaxed:
      return "relaxed";
  }
  return "unknown";
}

const char* to_string(CaptureStatus status) noexcept {
  switch (status) {
    case CaptureStatus::none:
      return "none";
    case CaptureStatus::active:
      return "active";
    case CaptureStatus::invalidated:
      return "invalidated";
  }
  return "unknown";
}

StreamCapture StreamCapture::begin(const Stream& stream, CaptureMode mode) {
  StreamState& state = state_of(stream, "StreamCapture::begin()");
  const auto session = std::make_shared<CaptureSession>(state_of(stream), mode);
  if (const auto other = state.begin_capture(session))
    fail(Code::capture_unsupported,
         "StreamCapture::begin() on stream '{}', which is part of the capture of stream '{}' "
         "already; end that one first.",
         state.label, other->origin_label());
  StreamCapture capture;
  capture.stream_ = stream;
  capture.session_ = session;
  state.device->capture_begins(session);
  return capture;
}

StreamCapture::~StreamCapture() { discard(); }

StreamCapture::StreamCapture(StreamCapture&& other) noexcept
    : session_(std::move(other.session_)), stream_(std::move(other.stream_)) {}

StreamCapture& StreamCapture::operator=(StreamCapture&& other) noexcept {
  if (this == &other) return *this;
  discard();
  session_ = std::move(other.session_);
  stream_ = std::move(other.stream_);
  return *this;
}

void StreamCapture::discard() noexcept {
  if (session_) session_->discard();
  session_.reset();
}

namespace {

// The session, or capture_unmatched naming what was asked of an ended capture.
CaptureSession& live(const std::shared_ptr<CaptureSession>& session, const Stream& stream,
                     std::string_view operation) {
  if (session) return *session;
  fail(Code::capture_unmatched,
       "StreamCapture::{} has no capture to work on: that of stream '{}' has ended. Begin another.",
       operation, stream ? stream.label() : std::string("(moved from)"));
}

}  // namespace

NodeId StreamCapture::record_kernel(const Kernel& kernel, const Launch& launch,
                                    std::span<const Argument> arguments) {
  CaptureSession& session = live(session_, stream_, "record_kernel()");
  stream_.dispatch(kernel, launch, arguments);
  return session.frontier(*state_of(stream_)).front();
}

NodeId StreamCapture::record_memcpy(BufferRange target, BufferRange source) {
  CaptureSession& session = live(session_, stream_, "record_memcpy()");
  stream_.copy(target, source);
  return session.frontier(*state_of(stream_)).front();
}

NodeId StreamCapture::record_memcpy(BufferRange target, std::span<const std::byte> source) {
  CaptureSession& session = live(session_, stream_, "record_memcpy()");
  stream_.write(target, source);
  return session.frontier(*state_of(stream_)).front();
}

NodeId StreamCapture::record_memcpy(std::span<std::byte> target, BufferRange source) {
  CaptureSession& session = live(session_, stream_, "record_memcpy()");
  stream_.read(source, target);
  return session.frontier(*state_of(stream_)).front();
}

NodeId StreamCapture::record_memset(BufferRange target, std::uint8_t value) {
  CaptureSession& session = live(session_, stream_, "record_memset()");
  stream_.fill(target, value);
  return session.frontier(*state_of(stream_)).front();
}

std::size_t StreamCapture::recorded_count() const {
  return session_ ? session_->recorded_count() : 0;
}

bool StreamCapture::is_active() const { return session_ && session_->is_active(); }

CaptureStatus StreamCapture::status() const {
  return session_ ? session_->status() : CaptureStatus::none;
}

CaptureMode StreamCapture::mode() const { return live(session_, stream_, "mode()").mode(); }

Graph StreamCapture::end() {
  CaptureSession& session = live(session_, stream_, "end()");
  if (session.mode() != CaptureMode::relaxed && !session.began_on_this_thread())
    fail(Code::capture_wrong_thread,
         "end() of the capture of stream '{}' is called from another thread than begin(); end it "
         "there, or begin it in mode relaxed.",
         stream_.label());
  const std::shared_ptr<CaptureSession> ending = std::move(session_);
  session_.reset();
  return ending->end();
}

}  // namespace reel
