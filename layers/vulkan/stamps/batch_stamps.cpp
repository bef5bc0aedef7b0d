#include "layers/vulkan/stamps/batch_stamps.hpp"

#include <algorithm>
#include <string_view>

#include "layers/session/quietly.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {

namespace {

// The stage that a command runs in; 0: it takes no time.
std::uint64_t stage_of(OpKind kind) {
  switch (kind) {
    case OpKind::dispatch:
    case OpKind::dispatch_indirect:
      return VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    case OpKind::copy_buffer:
    case OpKind::copy_image:
    case OpKind::copy_buffer_to_image:
    case OpKind::copy_image_to_buffer:
    case OpKind::query_copy:
      return VK_PIPELINE_STAGE_2_COPY_BIT;
    case OpKind::fill_buffer:
    case OpKind::update_buffer:
    case OpKind::clear_image:
      return VK_PIPELINE_STAGE_2_CLEAR_BIT;
    case OpKind::image_to_image:
      return VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT;
    case OpKind::render:
      return VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
    default:
      return 0;
  }
}

}  // namespace

void BatchStamps::begin_buffer(std::size_t number) {
  if (number == 0) return;  // the batch's own first
  sources_.push_back({no_index, static_cast<std::uint32_t>(number)});
  last_weights_ = weights_.size();
  plan_.add_stamp(static_cast<std::uint32_t>(sources_.size() - 1));
}

std::uint32_t BatchStamps::add_set(const std::shared_ptr<StampSet>& set) {
  const auto first = static_cast<std::uint32_t>(sources_.size());
  const auto number = static_cast<std::uint32_t>(sets_.size());
  sets_.push_back({set, set->take(&done_)});
  for (std::uint32_t i = 0; i < set->count(); ++i) sources_.push_back({number, i});
  return first;
}

void BatchStamps::add_op(const OpHeader& header, const void* op, std::uint32_t first_stamp,
                         std::uint32_t first_command, std::uint32_t end_command) {
  if (header.kind == OpKind::stamp) {
    const auto& stamp = *static_cast<const StampOp*>(op);
    const std::uint32_t number = first_stamp + stamp.number;
    last_weights_ = weights_.size();
    switch (stamp.place) {
      case StampPlace::barrier:
        plan_.add_stamp(number);
        break;
      case StampPlace::before:
        own_begin_ = number;
        own_command_ = first_command;
        break;
      case StampPlace::after:
        // What a document has no command for is passed over.
        if (own_begin_ != no_index && first_command == own_command_ + 1)
          plan_.add_own(own_command_, own_begin_, number);
        own_begin_ = no_index;
        break;
    }
  } else if (header.kind == OpKind::barrier) {
    const auto& barrier = *static_cast<const BarrierOp*>(op);
    // Events order what came before they were set, which may be long before.
    if (!std::string_view(barrier.function).starts_with("vkCmdPipelineBarrier")) return;
    parts_.clear();
    for (const BarrierPart& part : list_behind<BarrierPart>(&barrier, barrier.count))
      parts_.push_back({part.source_stages, part.target_stages});
    plan_.add_barrier(parts_);
  } else if (const std::uint64_t stage = stage_of(header.kind)) {
    for (std::uint32_t c = first_command; c < end_command; ++c) plan_.add_work(c, stage);
    if (learns_ && end_command == first_command + 1) weigh(header, op, first_command);
  } else if (learns_ && header.kind == OpKind::bind_pipeline) {
    const auto& bind = *static_cast<const BindPipelineOp*>(op);
    if (bind.point == VK_PIPELINE_BIND_POINT_COMPUTE)
      bound_cost_ = &device_->costs.of(bind.pipeline);
  }
}

void BatchStamps::weigh(const OpHeader& header, const void* op, std::uint32_t command) {
  Weight weight{command, &device_->costs.others(), 1, 1};
  if (header.kind == OpKind::dispatch && bound_cost_) {
    const auto& groups = static_cast<const DispatchOp*>(op)->groups;
    weight.size = OwnStamps::group_count(groups[0], groups[1], groups[2]);
    weight.cost = bound_cost_;
  }
  constexpr std::size_t looked_at = 16;
  const std::size_t end = weights_.size();
  for (std::size_t i = std::max(last_weights_, end - std::min(end, looked_at)); i < end; ++i)
    if (weights_[i].cost == weight.cost) {
      weights_[i].size += weight.size;
      ++weights_[i].count;
      return;
    }
  weights_.push_back(weight);
}

// Commands that were timed together share the time as they were guessed to, and one of which
// nothing is known has the mean of all.
void BatchStamps::learn() const {
  for (const capture::TimedCommands& one : times_) {
    const auto first = std::ranges::lower_bound(weights_, one.first, {}, &Weight::command);
    auto stop = first;
    float guessed_ns = 0, count = 0;
    for (; stop != weights_.end() && stop->command - one.first < one.count; ++stop) {
      guessed_ns += stop->cost->known_ns(stop->size);
      count += stop->count;
    }
    const auto ns = static_cast<float>(one.end_ns - one.begin_ns);
    for (auto at = first; at != stop; ++at) {
      const float known_ns = at->cost->known_ns(at->size);
      at->cost->learn(at->size, known_ns > 0 ? ns * known_ns / guessed_ns : ns * at->count / count);
    }
  }
}

bool BatchStamps::close(std::uint32_t first_command) {
  first_command_ = first_command;
  if (!plan_.has_works()) return false;
  run_count_ = 1;
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    if (source.set != no_index || !plan_.uses(i)) continue;
    between_.emplace_back(source.query, static_cast<std::uint32_t>(run_count_));
    source.query = static_cast<std::uint32_t>(run_count_++);
  }
  ++run_count_;
  run_ = take_run(*device_, family_, run_count_);
  return run_ != nullptr;
}

VkCommandBuffer BatchStamps::before_buffer(std::size_t number) const noexcept {
  for (const auto& [buffer, query] : between_)
    if (buffer == number) return run_->command(query);
  return VK_NULL_HANDLE;
}

void BatchStamps::read() noexcept {
  quietly([&] { find_times(); });
  sets_.clear();
  if (run_) give_back_run(*device_, std::move(run_));
  run_.reset();
}

void BatchStamps::find_times() {
  if (!run_) return;
  const auto own = run_->read(run_count_);
  std::vector<std::vector<std::optional<std::uint64_t>>> of_sets;
  for (const Use& use : sets_) of_sets.push_back(use.set->read(use.submission));
  if (!own.front() || !own.back()) return;
  const std::uint32_t bits = device_->families[family_].timestampValidBits;
  const auto ns = [&](std::uint64_t tick) { return nanoseconds_of(*device_, bits, tick); };
  times_ = plan_.times(ns(*own.front()), ns(*own.back()),
                       [&](std::uint32_t stamp) -> std::optional<std::uint64_t> {
                         if (stamp >= sources_.size()) return std::nullopt;
                         const Source& source = sources_[stamp];
                         const auto& ticks = source.set == no_index ? own : of_sets[source.set];
                         if (source.query >= ticks.size() || !ticks[source.query])
                           return std::nullopt;
                         return ns(*ticks[source.query]);
                       });
  learn();
}

}  // namespace reel::layer::vk
