// submission.hpp - from what a program recorded to what a document says of it.
//
// Walks the lists of command buffers in the order in which they run, knows what is bound at each
// moment, and makes a piece of work of each command. Only while a capture is under way.
// One use a batch, with the queue's lock held.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/range_set.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/descriptors.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "layers/vulkan/objects/pipeline.hpp"
#include "layers/vulkan/vulkan_api.hpp"
#include "recording/calls/call_queue.hpp"
#include "reel/scope.hpp"

namespace reel::capture {
class CallRecording;
}

namespace reel::layer::vk {

class BatchStamps;
struct Queue;

// When a submission is read: what is in memory then, and what may still change it.
struct Moment {
  Queue* queue = nullptr;
  capture::CallRecording* use = nullptr;
  bool may_start_late = false, is_behind_others = false;  // as in a Ticket
};

// The first reason counts.
inline void give_up(capture::CallWork& work, const char* why) {
  if (!work.why_not_again) work.why_not_again = why;
}

class SubmissionReader {
 public:
  // With `stamps`, tells them what there is to time.
  SubmissionReader(Device& device, capture::Submission& list, Scope scope, BatchStamps* stamps,
                   const Moment& moment)
      : device_(device), list_(list), outer_(scope), stamps_(stamps), moment_(moment) {}

  // `part`: its number in the submission.
  void read(const CommandBuffer& commands, std::uint32_t part);
  // What the layouts of images are once it ran, in order.
  std::vector<LayoutChange> take_layouts() { return std::move(layouts_); }
  // What is kept of results, by commands of the submission.
  std::vector<Ticket::Kept> take_kept();
  bool has_broken_list() const { return is_broken_; }

 private:
  struct BoundSet {
    const DescriptorSet* set = nullptr;
    std::shared_ptr<SetLayout> pushed_layout;  // of pushed descriptors
    std::vector<Descriptor> pushed;
    std::vector<std::uint32_t> offsets;  // dynamic, in the order of bindings

    const SetLayout* layout() const { return set ? set->layout.get() : pushed_layout.get(); }
    const std::vector<Descriptor>& elements() const { return set ? set->elements : pushed; }
  };
  // What dispatches are skipped by, from its beginning on.
  struct Section {
    capture::Range word;  // no storage: nobody knows where it is
    bool is_inverted = false;
    std::size_t looked_at = 0;  // commands of the list, whether they write the word
    bool may_have_changed = false;
  };
  // What one command buffer has bound; another one begins anew, but for a section, which is handed
  // down to those that it executes.
  struct State {
    Pipeline* pipeline = nullptr;
    std::array<BoundSet, 32> sets;
    std::vector<std::byte> push;
    std::vector<Scope> scopes;
    std::optional<Section> section;
  };

  void read(const CommandBuffer& commands);
  void read_op(State& state, const OpHeader& header, const void* op);
  void bind_sets(State& state, const BindSetsOp& op);
  void push_set(State& state, const PushSetOp& op);
  void dispatch(State& state, const DispatchOp* op, const DispatchIndirectOp* indirect);
  void add_dispatch(State& state, const DispatchOp* op, const DispatchIndirectOp* indirect);
  void begin_condition(State& state, const BeginConditionOp& op);
  // The word that the last command of the list, which it skips or doesn't, reads.
  void add_condition(Section& section, capture::CallWork& work);
  void add_arguments(State& state, capture::CallWork& work);
  void add_everything(State& state, capture::CallWork& work);
  void add_parameter(State& state, capture::CallWork& work, const Parameter& parameter);
  void add_buffer(capture::CallWork& work, const BoundSet& bound, const SetLayout::Binding& binding,
                  std::uint32_t element, const Descriptor& value, Access access);
  void add_image(capture::CallWork& work, const Descriptor& value, Access access);
  void add_sampler(capture::CallWork& work, const SetLayout::Binding& binding,
                   std::uint32_t element, const Descriptor& value);
  // `view`: the image on it that is bound, where there is one.
  void add_range(capture::CallWork& work, const capture::Range& range, Access access,
                 Storage* view = nullptr);
  // Memory that it reaches by addresses.
  class AddressHost;
  void add_addressed(const Pipeline& pipeline, capture::CallWork& work);
  bool word_at(Storage& storage, std::uint64_t offset, std::size_t before, std::uint64_t& value,
               const char*& why, int depth);
  bool word_now(Storage& storage, std::uint64_t offset, std::uint64_t& value, const char*& why);
  const char* read_now(Storage& storage, std::uint64_t offset, std::span<std::byte> target);
  void copy_buffer(const CopyBufferOp& op);
  void copy_image(std::string_view function, VkImage source, VkImage target,
                  std::span<const VkImageCopy> regions);
  void copy_pixels(const CopyBufferImageOp& op, bool to_image);
  void fill(const FillBufferOp& op);
  void update(const UpdateBufferOp& op);
  void clear(const ClearImageOp& op);
  void blit(const ImageToImageOp& op);
  void barrier(const BarrierOp& op);
  void render(const RenderOp& op);
  void copy_queries(const QueryCopyOp& op);
  void keep(const CommandBuffer& commands, const KeptOp& op);
  // What nobody replays. Of images that it writes some bytes may stay.
  capture::CallWork& opaque(std::string_view function, const char* why);
  void add_whole(capture::CallWork& work, VkImage image, Access access);
  void add_layers(capture::CallWork& work, VkImage image, const VkImageSubresourceLayers& layers,
                  Access access);
  capture::Submission::Given& add(State* state, WorkKind kind, std::string_view label);

  Device& device_;
  capture::Submission& list_;
  const Scope outer_;
  BatchStamps* const stamps_;
  State* now_ = nullptr;
  std::vector<LayoutChange> layouts_;
  const Moment moment_;
  std::map<const capture::TrackedBuffer*, RangeSet> written_;  // by the first `noted_` commands
  std::size_t noted_ = 0;
  using Slots = std::map<const Storage*, RangeSet>;
  std::map<std::size_t, Slots> kept_slots_;  // by command: addresses that it doesn't change
  std::map<std::pair<const Storage*, std::uint64_t>, std::vector<std::byte>> chunks_;  // as read
  std::vector<Ticket::Kept> kept_;
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t last_opaque_ = none;  // the command whose results a KeptOp behind it has
  bool is_broken_ = false;
  std::uint32_t part_ = 0;
  int depth_ = 0;
};

// What the colour is in the pixels of the image is known without asking the device.
bool is_known_clear(const Device& device, VkImage image, const VkClearColorValue& color);

// Only what images go through, of a submission that nobody records.
void follow_layouts(Device& device, const CommandBuffer& commands);
// A submission may have done anything to the images of the device, until a barrier says otherwise.
void forget_layouts(Device& device) noexcept;

}  // namespace reel::layer::vk
