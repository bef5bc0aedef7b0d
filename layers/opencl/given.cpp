#include "layers/opencl/given.hpp"

#include "base/clock.hpp"
#include "layers/control/scope_stack.hpp"
#include "layers/session/exit_watch.hpp"

namespace reel::layer {

Given::Given(cl_command_queue queue, cl_uint wait_count, const cl_event* waits,
             cl_event* event) noexcept {
  const std::uint32_t mode = session::mode();
  if (mode & session::recording) meter_.begin();
  ticket_.set(wait_count, waits, event);
  if (mode & session::attention) control::before_command();
  use_.emplace();
  if (!*use_) {
    // Who finds no recording although there was one finds that it is ending.
    if (session::mode() & session::ending) session::stray_command();
    return;
  }
  watch_exit();
  quietly([&] {
    auto* known = find<Queue>(queue);
    if (!known) {
      queue_ = queue_of(queue);
      known = queue_.get();
    }
    if (!known || known->on_device) return;
    lock_ = std::unique_lock(known->mutex);
    (*use_)->start(ticket_, *known);
  });
}

Given::~Given() { leave(); }

void Given::leave() noexcept {
  lock_ = {};
  if (!use_) return;
  if (const std::uint64_t ns = meter_.end(); ns && *use_) (*use_)->add_command_time(ns);
  use_.reset();
}

void Given::ready() noexcept {
  if (!ticket_.record) return;
  const capture::TrackedKernel* kernel = ticket_.work->kernel;
  (*use_)->before(ticket_, control::selects(kernel ? std::string_view(kernel->name) : ""));
}

void Given::launch(CommandBuffer& buffer) noexcept {
  if (ticket_.record) (*use_)->launch(ticket_, buffer, "clEnqueueCommandBufferKHR");
}

void Given::ask_for_event() noexcept {
  if (!ticket_.own_waits.empty()) quietly([&] { ticket_.add_own_waits(); });
  if (!ticket_.program_event && (ticket_.record || ticket_.is_followed))
    ticket_.event = &ticket_.taken;
}

void Given::called(cl_int status) noexcept {
  ticket_.own_waits.clear();
  if (!ticket_.record && !ticket_.is_followed) return;
  capture_ = (*use_)->number;
  if (ticket_.record) stream_ = ticket_.record->lanes[ticket_.lane].stream;
  if (will_wait_ && status == CL_SUCCESS) {
    waited_ = capture::Completion::of(opencl_api(), ticket_.done_event());
    if (!waited_)
      without_event_ =
          static_cast<cl_command_queue>(ticket_.place->handle.get());  // a driver that gives none
  }
  capture::RecordedEvent recorded;
  if (ticket_.record) {
    capture::Completion done(opencl_api(), std::exchange(ticket_.taken, nullptr));
    if (ticket_.program_event && status == CL_SUCCESS)
      done = capture::Completion::of(opencl_api(), *ticket_.program_event);
    recorded = (*use_)->finish(ticket_, status, std::move(done), current_scope().key());
  } else {
    recorded = (*use_)->followed(ticket_, status);
    if (ticket_.taken) next().clReleaseEvent(std::exchange(ticket_.taken, nullptr));
  }
  if (recorded.capture && ticket_.program_event && *ticket_.program_event)
    quietly([&] {
      auto known = std::make_shared<Event>();
      static_cast<capture::RecordedEvent&>(*known) = std::move(recorded);
      add(*ticket_.program_event, std::move(known));
    });
}

cl_int Given::wait(cl_int status) noexcept {
  if (!waited_ && !without_event_) return status;
  leave();
  const std::uint64_t begin_ns = monotonic_ns();
  if (!waited_) return next().clFinish(without_event_);
  const auto event = static_cast<cl_event>(waited_.get());
  status = next().clWaitForEvents(1, &event);
  waited_ = {};
  const RecordingUse use(or_ending);
  if (use && use->number == capture_) {
    // The command has the time in which it was given; the host was held up for as long as this.
    use->called("wait of a blocking call", begin_ns);
    use->settle_reads();
    if (!ticket_.is_followed) use->host_waited(stream_, ticket_.id);
    for (const Point& point : ticket_.after) use->host_waited(point.stream, point.command);
  }
  return status;
}

Call::Call(const char* name) noexcept : name_(name) {
  if (!(session::mode() & session::recording)) return;
  meter_.begin();
  begin_ns_ = monotonic_ns();
}

Call::~Call() {
  if (!begin_ns_) return;
  const RecordingUse use;
  if (!use) return;
  use->called(name_, begin_ns_);
  if (const std::uint64_t ns = meter_.end(); ns && knows_driver_) use->add_command_time(ns);
}

}  // namespace reel::layer
