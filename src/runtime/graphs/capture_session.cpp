#include "runtime/graphs/capture_session.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "runtime/device_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

CaptureSession::CaptureSession(const std::shared_ptr<StreamState>& origin, CaptureMode mode)
    : mode_(mode),
      owner_(std::this_thread::get_id()),
      origin_(origin.get()),
      origin_label_(origin->label) {
  lines_.emplace(origin_, Line{origin, {}});
  order_.push_back(origin_);
}

void CaptureSession::throw_ended(const StreamState& stream) {
  fail(Code::capture_unmatched, "The capture that stream '{}' was part of has ended.",
       stream.label);
}

void CaptureSession::throw_if_invalid(const StreamState& stream) const {
  if (ended_) throw_ended(stream);
  if (cause_)
    fail(Code::capture_invalidated,
         "The capture that stream '{}' is part of is invalid since an earlier call: {}",
         stream.label, cause_->what());
}

CaptureSession::Line& CaptureSession::line_of(StreamState& stream) {
  throw_if_invalid(stream);
  return lines_.at(&stream);
}

NodeId CaptureSession::record(StreamState& stream, const Command& command) {
  const std::lock_guard lock(mutex_);
  Line& line = line_of(stream);
  const NodeId node = graph_.add(command, line.frontier, EdgeKind::stream);
  line.frontier.assign(1, node);
  return node;
}

NodeId CaptureSession::record_child(StreamState& stream, const Graph& child, Scope scope) {
  const std::lock_guard lock(mutex_);
  Line& line = line_of(stream);
  const NodeId node =
      graph_.add_child(child, NodeOptions{.label = "graph", .scope = scope, .after = line.frontier},
                       EdgeKind::stream);
  line.frontier.assign(1, node);
  return node;
}

std::vector<NodeId> CaptureSession::frontier(StreamState& stream) {
  const std::lock_guard lock(mutex_);
  return line_of(stream).frontier;
}

void CaptureSession::join(StreamState& stream, const std::vector<NodeId>& nodes) {
  const std::lock_guard lock(mutex_);
  if (is_ending_) throw_ended(stream);
  throw_if_invalid(stream);
  auto [it, is_new] = lines_.try_emplace(&stream, Line{stream.shared_from_this(), {}});
  if (is_new) order_.push_back(&stream);
  std::vector<NodeId>& frontier = it->second.frontier;
  for (const NodeId node : nodes)
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end())
      frontier.push_back(node);
}

void CaptureSession::invalidate(const Error& cause) {
  {
    const std::lock_guard lock(mutex_);
    if (cause_)
      fail(Code::capture_invalidated, "{} (The capture was already invalid: {})", cause.what(),
           cause_->what());
    cause_ = cause;
  }
  throw Error(cause);
}

void CaptureSession::invalidate_quietly(const Error& cause) noexcept {
  const std::lock_guard lock(mutex_);
  if (!cause_) cause_ = cause;
}

std::optional<Error> CaptureSession::unjoined() const {
  // Joined: every last node of the stream comes before a last node of the origin.
  std::vector<bool> reached(graph_.node_count(), false);
  for (const NodeId node : lines_.at(origin_).frontier) reached[index_of(node)] = true;
  // Edges of a capture always lead from an earlier node to a later one, and are kept in the order
  // of their later ends.
  const auto edges = graph_.dependencies();
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
    if (reached[index_of(edge->to)]) reached[index_of(edge->from)] = true;

  std::string names;
  for (StreamState* stream : order_) {
    for (const NodeId node : lines_.at(stream).frontier) {
      if (reached[index_of(node)]) continue;
      names += fmt::format("{}stream '{}' (last: {})", names.empty() ? "" : ", ", stream->label,
                           graph_.describe(node));
      break;
    }
  }
  if (names.empty()) return std::nullopt;
  return Error(Code::capture_unjoined,
               fmt::format("end() of the capture of stream '{}' found work that was forked off and "
                           "never joined: {}. Record an event after it and let '{}' wait for that.",
                           origin_label_, names, origin_label_));
}

// Streams leave while commands can still be recorded: another thread's command is either in the
// graph or runs, and never meets a capture that has ended under its stream.
void CaptureSession::leave() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    is_ending_ = true;  // from now on no stream joins
  }
  for (StreamState* const stream : order_) stream->end_capture(this);
  origin_->device->capture_ends(this);
}

Graph CaptureSession::end() {
  leave();
  std::optional<Error> error;
  Graph graph;
  std::unordered_map<StreamState*, Line> lines;  // events keep the session, not the streams
  {
    const std::lock_guard lock(mutex_);
    error = cause_ ? cause_ : unjoined();
    ended_ = true;
    graph = std::exchange(graph_, Graph());
    lines = std::exchange(lines_, {});
  }
  if (error) throw Error(*error);
  return graph;
}

void CaptureSession::discard() noexcept {
  leave();
  std::unordered_map<StreamState*, Line> lines;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  lines.swap(lines_);
}

bool CaptureSession::is_active() const { return status() == CaptureStatus::active; }

bool CaptureSession::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

CaptureStatus CaptureSession::status() const {
  const std::lock_guard lock(mutex_);
  if (ended_) return CaptureStatus::none;
  return cause_ ? CaptureStatus::invalidated : CaptureStatus::active;
}

std::size_t CaptureSession::recorded_count() const {
  const std::lock_guard lock(mutex_);
  return graph_.node_count();
}

bool CaptureSession::forbids_device_wide_calls() const {
  if (mode_ == CaptureMode::relaxed || !is_active()) return false;
  return mode_ == CaptureMode::global || began_on_this_thread();
}

}  // namespace reel
