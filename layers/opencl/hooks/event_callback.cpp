#include "layers/opencl/hooks/event_callback.hpp"

#include <memory>
#include <vector>

#include "layers/opencl/given.hpp"
#include "layers/session/exit_watch.hpp"

namespace reel::layer {
namespace {

// Where the program's callback was set: by then the program may have released the event. Given to
// the driver, which calls once.
struct Watched {
  EventCallback function;
  void* data;
  std::uint32_t capture;
  std::vector<Point> done;  // once it is called
};

void CL_CALLBACK command_ended(cl_event event, cl_int status, void* data) {
  const std::unique_ptr<Watched> watched(static_cast<Watched*>(data));
  if (status <= CL_COMPLETE) {
    const RecordingUse use(or_ending);
    if (use && use->number == watched->capture) {
      use->call_off_reads();
      for (const Point& point : watched->done) use->host_saw(point.stream, point.command);
    }
  }
  const InCallback inside;
  watched->function(event, status, watched->data);
}

}  // namespace

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int when, EventCallback function,
                                      void* data) {
  std::unique_ptr<Watched> watched;
  if (function && when == CL_COMPLETE && session::mode())
    quietly([&] {
      const auto* known = find<Event>(event);
      if (!known || known->capture == 0) return;
      watched.reset(new Watched{function, data, known->capture, {}});
      known->for_each_done([&](const Point& point) { watched->done.push_back(point); });
    });
  if (!watched) return next().clSetEventCallback(event, when, function, data);
  // It may be called, and gone, before the driver returns.
  Watched* given = watched.release();
  const cl_int status = next().clSetEventCallback(event, when, command_ended, given);
  if (status != CL_SUCCESS) watched.reset(given);
  return status;
}

}  // namespace reel::layer
