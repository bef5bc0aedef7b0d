// stream_capture.hpp - turns what is enqueued on a stream into a Graph in place of running it.
//
//   auto capture = reel::StreamCapture::begin(stream);
//   stream.dispatch(...);                     // recorded, not run
//   reel::Graph graph = capture.end();
//
// Streams that wait for an event of the capture join it, and must be joined back (by an event
// that the first stream waits for) before end(). A call that can't be recorded throws there and
// then, naming call and stream, and invalidates the capture; end() repeats that first error.
// Destroying an active capture discards it and leaves every stream usable.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>

#include "reel/graph.hpp"
#include "reel/stream.hpp"

namespace reel {

class CaptureSession;

// Which device-wide calls (Device::synchronize, Buffer::read, Buffer::write) are refused while
// the capture is active: those of any thread, those of the thread that began it, or none.
enum class CaptureMode : std::uint8_t { global, thread_local_, relaxed };
enum class CaptureStatus : std::uint8_t { none, active, invalidated };  // of a capture

const char* to_string(CaptureMode mode) noexcept;
const char* to_string(CaptureStatus status) noexcept;

class StreamCapture {
 public:
  static StreamCapture begin(const Stream& stream, CaptureMode mode = CaptureMode::global);
  ~StreamCapture();
  StreamCapture(StreamCapture&&) noexcept;
  StreamCapture& operator=(StreamCapture&&) noexcept;

  // The same as calling the stream.
  template <ArgumentLike... A>
  NodeId record_kernel(const Kernel& kernel, const Launch& launch, const A&... arguments) {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    return record_kernel(kernel, launch, std::span<const Argument>(list));
  }
  NodeId record_kernel(const Kernel& kernel, const Launch& launch,
                       std::span<const Argument> arguments);
  NodeId record_memcpy(BufferRange target, BufferRange source);  // as Stream::copy
  NodeId record_memcpy(BufferRange target, std::span<const std::byte> source);
  NodeId record_memcpy(std::span<std::byte> target, BufferRange source);
  NodeId record_memset(BufferRange target, std::uint8_t value);
  template <std::floating_point T>
  NodeId record_memset(BufferRange target, T value) = delete;  // a byte; Stream::fill takes values

  std::size_t recorded_count() const;  // nodes so far
  bool is_active() const;              // not ended yet
  CaptureStatus status() const;        // none, active, invalidated
  CaptureMode mode() const;            // as begun

  // Throws capture_unmatched when already ended, capture_unjoined, capture_wrong_thread, or the
  // error that invalidated the capture.
  Graph end();

 private:
  StreamCapture() = default;
  void discard() noexcept;
  std::shared_ptr<CaptureSession> session_;
  Stream stream_;
};

}  // namespace reel
