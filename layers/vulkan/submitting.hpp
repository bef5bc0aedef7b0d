// submitting.hpp - one call that submits, while a capture is under way.
//
// Each batch of it is read, command by command; what the recording wants to know of memory before
// it is copied by commands of ours that go ahead, in the same batch, so that what the program waits
// for orders them as well. With the queue's lock held, from before the driver is told until after.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layers/control/control.hpp"
#include "layers/session/recording_use.hpp"
#include "layers/vulkan/batch_view.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/submission.hpp"
#include "layers/vulkan/vulkan_api.hpp"

namespace reel::layer::vk {

// Nobody knows what a submission does: whatever lies in memory of the device may be its own.
void lose_track(const RecordingUse& use, Device& device) noexcept;

class Submitting {
 public:
  Submitting(Queue& queue, const char* function) : queue_(queue), function_(function) {}

  // Before the driver is told; the queue's lock is held.
  void prepare(const RecordingUse& use, BatchView view);

  // The same of a call that shows images, with what it waits for: results in them are read before
  // it.
  void prepare_present(const RecordingUse& use, BatchView view, std::span<Storage* const> images);

  // The commands of ours that are to go with batch `i`.
  Ours ours(std::size_t i);
  Extended& lists(std::size_t i) { return batches_[i]->lists; }
  // The batches go as the program gave them: queries of ours hold what was there before.
  void forget_stamps() noexcept;

  // `are_given`: commands of ours are under way, whatever the result is.
  void finish(const RecordingUse& use, VkResult result, VkFence fence, bool are_given = false);
  bool has_batches() const noexcept { return !batches_.empty(); }
  const capture::RecordedEvent& event(std::size_t i) const { return batches_[i]->event; }

 private:
  struct Batch {
    Ticket ticket;
    BatchView view;
    capture::Submission list;
    Extended lists;
    std::unique_ptr<BatchStamps> stamps;  // null: it is not timed
    std::optional<SubmissionReader> reader;
    capture::RecordedEvent event;
  };
  // A signal of a batch on its way, which batches behind it may wait for.
  struct EarlierSignal : SemaphoreUse {
    capture::RecordedEvent event;
  };
  Batch& begin(const RecordingUse& use, BatchView view);
  static capture::RecordedEvent will_stand_for(const RecordingUse& use, const Batch& batch);

  void find_waits(const RecordingUse& use, Batch& batch);

  // The host may have written to an image that it sees as rows with others between: what is there
  // is read again.
  static void forget_rows(const RecordingUse& use, const capture::CallWork& work);

  // None of its kernels is wanted: what it writes is not known.
  static void leave_out(const RecordingUse& use, Batch& batch);

  void stand_behind(VkResult result, bool are_given);

  // Of the last batch: what stands behind all of them waits for what others may wait for.
  capture::Completion behind(const Batch& batch) const;

  void set_fence(const RecordingUse& use, VkFence handle);

  // Between its buffers a timestamp may stand, unless one goes on with what the last one draws.
  bool cuts(const BatchView& view) const;
  // Work that is worth a timestamp behind it.
  bool is_enough(float since_stamp_ns) const noexcept;

  Queue& queue_;
  const char* const function_;
  const StampDetail stamps_ = control::stamps();
  const bool is_timed_ = queue_.can_stamp && stamps_ != StampDetail::none;
  std::vector<std::unique_ptr<Batch>> batches_;
  Done* done_ = nullptr;
  std::vector<EarlierSignal> signals_;  // of batches before
  bool waits_for_host_ = false;         // or for something else that nobody has submitted yet
};

}  // namespace reel::layer::vk
