// Markers, barriers, and what the host waits for.
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

namespace {

cl_int CL_API_CALL marker_with_list(cl_command_queue queue, cl_uint wait_count,
                                    const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::barrier, "clEnqueueMarkerWithWaitList",
       [&](Work& work) { work.waits_for_all = wait_count == 0; });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueMarkerWithWaitList(queue, n, w, e);
  });
}

cl_int CL_API_CALL barrier_with_list(cl_command_queue queue, cl_uint wait_count,
                                     const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::barrier, "clEnqueueBarrierWithWaitList", [&](Work& work) {
    work.waits_for_all = wait_count == 0;
    work.holds_back_later = true;
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueBarrierWithWaitList(queue, n, w, e);
  });
}

cl_int CL_API_CALL marker(cl_command_queue queue, cl_event* event) {
  Given given(queue, 0, nullptr, event);
  fill(given, WorkKind::barrier, "clEnqueueMarker", [](Work& work) { work.waits_for_all = true; });
  return given.call(
      [&](cl_uint, const cl_event*, cl_event* e) { return next().clEnqueueMarker(queue, e); });
}

// These have no event, so nobody learns when they were done.
cl_int CL_API_CALL barrier(cl_command_queue queue) {
  Given given(queue, 0, nullptr, nullptr);
  fill(given, WorkKind::barrier, "clEnqueueBarrier", [](Work& work) {
    work.waits_for_all = true;
    work.holds_back_later = true;
  });
  return given.call(
      [&](cl_uint, const cl_event*, cl_event*) { return next().clEnqueueBarrier(queue); });
}

cl_int CL_API_CALL wait_in_queue(cl_command_queue queue, cl_uint wait_count,
                                 const cl_event* waits) {
  Given given(queue, wait_count, waits, nullptr);
  fill(given, WorkKind::barrier, "clEnqueueWaitForEvents",
       [](Work& work) { work.holds_back_later = true; });
  return given.call([&](cl_uint n, const cl_event* w, cl_event*) {
    return next().clEnqueueWaitForEvents(queue, n, w);
  });
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  if (!session::mode()) [[likely]]
    return next().clFinish(queue);
  Call call("clFinish");
  std::vector<Point> given;
  std::uint32_t capture = 0;
  {
    const RecordingUse use;
    Queue* known = use ? find<Queue>(queue) : nullptr;
    if (known) given = use->given_to(*known);
    if (known) capture = use->number;
  }
  const cl_int status = call.driver([&] { return next().clFinish(queue); });
  if (status == CL_SUCCESS) {
    const RecordingUse use(or_ending);
    if (use && use->number != capture) given.clear();
    Queue* known = use ? find<Queue>(queue) : nullptr;
    if (known) {
      use->settle_reads();
      use->finished(*known, given);
    }
  }
  return status;
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  if (!session::mode()) [[likely]]
    return next().clFlush(queue);
  Call call("clFlush");
  return call.driver([&] { return next().clFlush(queue); });
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  if (!session::mode()) [[likely]]
    return next().clWaitForEvents(count, events);
  Call call("clWaitForEvents");
  const cl_int status = call.driver([&] { return next().clWaitForEvents(count, events); });
  if (status != CL_SUCCESS || !events) return status;
  const RecordingUse use(or_ending);
  if (!use) return status;
  use->settle_reads();
  for (cl_uint i = 0; i < count; ++i)
    if (const auto* event = find<Event>(events[i])) use->host_waited(*event);
  return status;
}

}  // namespace

void add_order_hooks(cl_icd_dispatch& table) {
  table.clEnqueueMarkerWithWaitList = marker_with_list;
  table.clEnqueueBarrierWithWaitList = barrier_with_list;
  table.clEnqueueMarker = marker;
  table.clEnqueueBarrier = barrier;
  table.clEnqueueWaitForEvents = wait_in_queue;
  table.clFinish = finish;
  table.clFlush = flush;
  table.clWaitForEvents = wait_for_events;
}

}  // namespace reel::layer
