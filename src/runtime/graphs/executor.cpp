#include "reel/executor.hpp"

#include "graph/commands/dispatch_command.hpp"
#include "runtime/callback.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/session_state.hpp"
#include "runtime/live.hpp"

namespace reel {

bool PendingPass::done() const { return state_->done(); }
PassReport PendingPass::wait() const {
  refuse_wait_in_callback(state_->executor->device.info(), "PendingPass::wait()");
  return state_->wait();
}

GraphSession::GraphSession(std::unique_ptr<SessionState> state) : state_(std::move(state)) {}
GraphSession::~GraphSession() = default;
GraphSession::GraphSession(GraphSession&&) noexcept = default;
GraphSession& GraphSession::operator=(GraphSession&&) noexcept = default;

void GraphSession::dispatch(const Kernel& kernel, const Launch& launch,
                            std::span<const Argument> arguments) {
  live(state_, "dispatch()").dispatch(kernel, launch, arguments);
}

void GraphSession::dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                                     std::span<const Argument> arguments) {
  live(state_, "dispatch_indirect()")
      .give(indirect_dispatch_command(kernel, groups, launch, arguments));
}

void GraphSession::copy(BufferRange target, BufferRange source, std::string_view label) {
  live(state_, "copy()").give({Copy{target, source}, label});
}

void GraphSession::copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
                           std::uint64_t rows, std::string_view label) {
  SessionState& state = live(state_, "copy_2d()");
  for (const Copy& row : row_copies(target, source, width_bytes, rows)) state.give({row, label});
}

void GraphSession::fill(const Fill& fill, std::string_view label) {
  live(state_, "fill()").give({fill, label});
}

void GraphSession::write(BufferRange target, std::span<const std::byte> data,
                         std::string_view label) {
  live(state_, "write()").give({Write{target, data}, label});
}

void GraphSession::read(BufferRange source, std::span<std::byte> target, std::string_view label) {
  live(state_, "read()").give({Read{source, target}, label});
}

void GraphSession::host_call(std::function<void()> function, std::string_view label) {
  live(state_, "host_call()")
      .give({HostCall{std::make_shared<const std::function<void()>>(std::move(function))}, label});
}

void GraphSession::enqueue(const Command& command) {
  SessionState& state = live(state_, "enqueue()");
  if (std::holds_alternative<Barrier>(command.work))
    state.barrier();
  else
    state.give(with_group_size(command));
}

void GraphSession::barrier() { live(state_, "barrier()").barrier(); }

bool GraphSession::barrier_between(std::span<const BufferRange> reads,
                                   std::span<const BufferRange> writes) {
  return live(state_, "barrier_between()").barrier_between(reads, writes);
}

ScopeGuard GraphSession::scope(std::string_view name) {
  SessionState& state = live(state_, "scope()");
  const Scope before = state.enter(name);
  return ScopeGuard([scope = state.shared_scope(), before] { *scope = before; });
}

bool GraphSession::is_recording() const { return live(state_, "is_recording()").recording(); }
std::size_t GraphSession::barrier_count() const {
  return live(state_, "barrier_count()").barriers();
}
const Graph& GraphSession::graph() const { return live(state_, "graph()").graph(); }

PendingPass GraphSession::commit(const FinishOptions& options) {
  SessionState& state = live(state_, "commit()");
  PendingPass pending(state.commit(options));
  state_.reset();
  return pending;
}

PassReport GraphSession::finish(const FinishOptions& options) {
  SessionState& state = live(state_, "finish()");
  if (Callback::current()) [[unlikely]]
    refuse_wait_in_callback(state.executor().device.info(), "GraphSession::finish()");
  if (state.is_plain()) {
    const std::unique_ptr<SessionState> session = std::move(state_);  // gone, also by an error
    return session->finish_plainly(options);
  }
  PendingPassState pass;
  const std::uint64_t now_ns = state.finish(options, pass);
  state_.reset();
  return pass.finish(now_ns);
}

GraphExecutor::GraphExecutor(const Device& device, const ExecutorOptions& options) {
  state_of(device, "GraphExecutor()");
  state_ = std::make_shared<ExecutorState>(device, options);
}

const Device& GraphExecutor::device() const { return state_->device; }
const Stream& GraphExecutor::stream() const { return state_->stream; }

GraphSession GraphExecutor::begin(const SessionOptions& options) const {
  return GraphSession(std::make_unique<SessionState>(state_, false, options));
}

GraphSession GraphExecutor::begin_recorded(const SessionOptions& options) const {
  return GraphSession(std::make_unique<SessionState>(state_, true, options));
}

}  // namespace reel
