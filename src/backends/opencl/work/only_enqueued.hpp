// only_enqueued.hpp - work that goes to the driver as an enqueue, and in no faster way.
#pragma once

#include "graph/commands/access.hpp"
#include "reel/command.hpp"

namespace reel::opencl {

// Null: it may go another way. Else what stands in the way, in a few words.
inline const char* why_only_enqueued(const Work& work) {
  if (const auto* dispatch = std::get_if<Dispatch>(&work)) {
    if (dispatch->is_free_grid()) return "a step has an offset, or groups that are not full";
    for (const Argument& a : dispatch->arguments) {
      if (a.kind == ArgumentKind::image || a.kind == ArgumentKind::sampler)
        return "a step uses an image or a sampler";
      if (a.kind == ArgumentKind::null) return "a step has a pointer to nothing";
      if (a.is_outside()) return "a step has a value of more than 64 bytes";
    }
  }
  const char* why = nullptr;
  for_each_range(work, [&](const BufferRange& range, Access) {
    if (range.buffer->image) why = "a step uses an image or a sampler";
    if (range.buffer->is_shared_virtual) why = "a step uses shared virtual memory";
  });
  return why;
}

}  // namespace reel::opencl
