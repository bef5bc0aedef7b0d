// capture_session.hpp - a stream capture under way: the graph so far and the streams in it.
//
// Shared by the StreamCapture, the streams that joined and the events recorded in it. Any
// thread. A stream's lock may be held when calling; this class takes no stream's lock, except
// when it ends.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "reel/error.hpp"
#include "reel/graph.hpp"
#include "reel/stream_capture.hpp"

namespace reel {

class StreamState;

class CaptureSession {
 public:
  CaptureSession(const std::shared_ptr<StreamState>& origin, CaptureMode mode);

  // --- from the streams ------------------------------------------------------------------------
  NodeId record(StreamState& stream, const Command& command);
  NodeId record_child(StreamState& stream, const Graph& child, Scope scope);
  // What the next command of the stream waits for.
  std::vector<NodeId> frontier(StreamState& stream);
  // The next command of the stream waits for these nodes too. A new stream becomes part of the
  // capture.
  void join(StreamState& stream, const std::vector<NodeId>& nodes);

  // Keeps the first cause, and throws this one.
  [[noreturn]] void invalidate(const Error& cause);
  void invalidate_quietly(const Error& cause) noexcept;

  // --- from the StreamCapture -------------------------------------------------------------------
  // Leaves every stream. Throws the first cause, or capture_unjoined.
  Graph end();
  void discard() noexcept;

  bool is_active() const;
  bool has_ended() const;
  CaptureStatus status() const;
  CaptureMode mode() const noexcept { return mode_; }
  std::size_t recorded_count() const;
  bool began_on_this_thread() const { return std::this_thread::get_id() == owner_; }
  bool forbids_device_wide_calls() const;
  const std::string& origin_label() const noexcept { return origin_label_; }

 private:
  // The last nodes of a stream, and the stream, kept alive until the capture is over.
  struct Line {
    std::shared_ptr<StreamState> stream;
    std::vector<NodeId> frontier;
  };

  [[noreturn]] static void throw_ended(const StreamState& stream);
  void throw_if_invalid(const StreamState& stream) const;  // with mutex_ held
  Line& line_of(StreamState& stream);                      // with mutex_ held
  std::optional<Error> unjoined() const;                   // with mutex_ held
  // Sets the streams free, which lines_ keeps alive.
  void leave() noexcept;

  mutable std::mutex mutex_;
  const CaptureMode mode_;
  const std::thread::id owner_;
  StreamState* const origin_;
  const std::string origin_label_;
  Graph graph_;
  std::unordered_map<StreamState*, Line> lines_;
  std::vector<StreamState*> order_;  // in which streams joined, for errors
  std::optional<Error> cause_;
  bool is_ending_ = false, ended_ = false;
};

}  // namespace reel
