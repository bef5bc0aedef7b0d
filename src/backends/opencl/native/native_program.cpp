#include "backends/opencl/native/native_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/kernels/kernel.hpp"
#include "base/clock.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace reel::opencl {
namespace {

// A kernel's __local arrays come as further arguments whose number PoCL doesn't tell. Each gets
// room for all of them together; no kernel has this many.
constexpr std::size_t most_body_locals = 64;
constexpr std::size_t alignment = 128;  // of the largest OpenCL type

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// What OpenCL promises a kernel: round to nearest, denormals kept. PoCL's threads may have been
// left otherwise by a kernel built otherwise, a caller's thread by anyone.
class FloatState {
#if defined(__x86_64__)
 public:
  FloatState() : before_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatState() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#endif
};

// Shared memory of the thread that runs.
std::byte* shared_memory(std::size_t bytes) {
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t(alignment));
    }
  };
  static thread_local std::unique_ptr<std::byte[], Free> memory;
  static thread_local std::size_t size = 0;
  if (bytes > size) {
    memory.reset(new (std::align_val_t(alignment)) std::byte[bytes]);
    size = bytes;
  }
  return memory.get();
}

void run_groups(const NativeStep& step, void** arguments) {
  const PoclContext& context = step.context;
  for (std::uint64_t z = 0; z < context.num_groups[2]; ++z)
    for (std::uint64_t y = 0; y < context.num_groups[1]; ++y)
      for (std::uint64_t x = 0; x < context.num_groups[0]; ++x)
        step.function(arguments, &context, x, y, z);
}

void run_with_shared(const NativeStep& step) {
  std::array<void*, most_native_arguments + most_body_locals> arguments;
  std::array<void*, most_native_arguments + most_body_locals> places;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < step.argument_count; ++i)
    if (!step.arguments[i]) bytes += aligned(step.addresses[i]);
  const std::size_t body = aligned(step.body_local_bytes);
  std::byte* memory = shared_memory(bytes + body * most_body_locals);
  for (std::size_t i = 0; i < step.argument_count; ++i) {
    arguments[i] = step.arguments[i];
    if (arguments[i]) continue;
    places[i] = memory;
    arguments[i] = &places[i];
    memory += aligned(step.addresses[i]);
  }
  if (body) {
    for (std::size_t i = step.argument_count; i < step.argument_count + most_body_locals; ++i) {
      places[i] = memory;
      arguments[i] = &places[i];
      memory += body;
    }
  }
  run_groups(step, arguments.data());
}

void run_fill(const NativeStep& step) {
  if (step.pattern_bytes == 1) {
    std::memset(step.target, static_cast<int>(step.pattern), step.size_bytes);
    return;
  }
  for (std::uint64_t at = 0; at < step.size_bytes; at += step.pattern_bytes)
    std::memcpy(step.target + at, &step.pattern, step.pattern_bytes);
}

void run_step(const NativeStep& step) {
  switch (step.kind) {
    case NativeStep::Kind::dispatch:
      step.has_shared ? run_with_shared(step) : run_groups(step, step.arguments);
      break;
    case NativeStep::Kind::move:
      if (step.size_bytes) std::memcpy(step.target, step.source, step.size_bytes);
      break;
    case NativeStep::Kind::fill:
      run_fill(step);
      break;
    case NativeStep::Kind::other:
      break;
  }
}

std::byte* address_of(const BufferRange& range) {
  return device_buffer(range).address() + range.offset_bytes;
}

// How much room a value needs: as much as it is aligned to. A struct may come in any size.
std::size_t value_room(const Dispatch& dispatch, std::size_t index) {
  if (dispatch.arguments[index].kind != ArgumentKind::value) return 0;
  const std::size_t known = dispatch.kernel->parameters[index].size_bytes;
  return known ? std::bit_ceil(std::max<std::size_t>(known, 8)) : max_value_bytes;
}

}  // namespace

NativeProgram::NativeProgram(std::shared_ptr<const Plan> plan,
                             std::shared_ptr<const Functions> functions)
    : plan_(std::move(plan)), functions_(std::move(functions)) {
  steps_.resize(plan_->steps.size());
  first_kept_.resize(steps_.size());
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    first_kept_[i] = places;
    const auto* dispatch = std::get_if<Dispatch>(&plan_->steps[i].command.work);
    places += dispatch ? static_cast<std::uint32_t>(dispatch->arguments.size()) : 1;
  }
  kept_.resize(places);
  lay_out();
  for (std::uint32_t i = 0; i < steps_.size(); ++i) set_work(i, plan_->steps[i].command.work);
}

NativeProgram::NativeProgram(const NativeProgram& other)
    : plan_(other.plan_),
      functions_(other.functions_),
      steps_(other.steps_),
      first_kept_(other.first_kept_),
      kept_(other.kept_) {
  lay_out();
  for (std::uint32_t i = 0; i < steps_.size(); ++i) copy_step(i, other);
}

void NativeProgram::lay_out() {
  block_bytes_ = alignment;
  for (const Step& step : plan_->steps) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command.work);
    if (!dispatch) continue;
    block_bytes_ += dispatch->arguments.size() * 16;
    for (std::size_t i = 0; i < dispatch->arguments.size(); ++i)
      block_bytes_ += 2 * value_room(*dispatch, i);
  }
  block_ = std::make_unique<std::byte[]>(block_bytes_);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) point_into_block(i, offset);
}

void NativeProgram::point_into_block(std::size_t step, std::size_t& offset) {
  const auto* dispatch = std::get_if<Dispatch>(&plan_->steps[step].command.work);
  if (!dispatch) return;
  const auto place = [&](std::size_t bytes, std::size_t to) {
    const auto base = reinterpret_cast<std::uintptr_t>(block_.get());
    offset = (base + offset + to - 1) / to * to - base;
    std::byte* at = block_.get() + offset;
    offset += bytes;
    return at;
  };
  NativeStep& s = steps_[step];
  const std::size_t count = dispatch->arguments.size();
  s.argument_count = static_cast<std::uint32_t>(count);
  s.arguments = reinterpret_cast<void**>(place(count * sizeof(void*), 8));
  s.addresses = reinterpret_cast<std::uint64_t*>(place(count * sizeof(std::uint64_t), 8));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t room = value_room(*dispatch, i);
    switch (dispatch->arguments[i].kind) {
      case ArgumentKind::buffer:
        s.arguments[i] = &s.addresses[i];
        break;
      case ArgumentKind::value:
        s.arguments[i] = place(room, room);
        break;
      case ArgumentKind::shared:
        s.arguments[i] = nullptr;
        break;
      default:  // left to the driver
        break;
    }
  }
}

void NativeProgram::set_work(std::uint32_t step, const Work& work) {
  NativeStep& s = steps_[step];
  const auto move = [&](std::byte* target, const std::byte* source, std::uint64_t bytes) {
    s.kind = NativeStep::Kind::move;
    s.target = target;
    s.source = source;
    s.size_bytes = bytes;
  };
  std::visit(
      overloaded{
          [&](const Dispatch& d) {
            const NativeFunction& function = *(*functions_)[step];
            s.kind = NativeStep::Kind::dispatch;
            s.function = function.get();
            s.body_local_bytes = function.body_local_bytes();
            s.has_shared = s.body_local_bytes != 0;
            s.context.local_size[0] = d.group_size.x;
            s.context.local_size[1] = d.group_size.y;
            s.context.local_size[2] = d.group_size.z;
            s.context.work_dim = make_grid(d).dimensions;
            set_groups(step, d.groups);
            for (std::uint32_t i = 0; i < d.arguments.size(); ++i)
              set_argument(step, i, d.arguments[i]);
            // The plan keeps what it came with alive.
            for (std::uint32_t i = 0; i < d.arguments.size(); ++i)
              kept_[first_kept_[step] + i].reset();
          },
          [&](const Copy& c) {
            move(address_of(c.target), address_of(c.source), c.target.size_bytes);
          },
          [&](const Fill& f) {
            s.kind = NativeStep::Kind::fill;
            s.target = address_of(f.target);
            s.size_bytes = f.target.size_bytes;
            s.pattern = f.pattern;
            s.pattern_bytes = f.pattern_bytes;
          },
          [&](const Write& w) { move(address_of(w.target), w.data.data(), w.data.size()); },
          [&](const Read& r) { move(r.target.data(), address_of(r.source), r.source.size_bytes); },
          [](const HostCall&) {},
          [](const Barrier&) {},
      },
      work);
}

void NativeProgram::set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) {
  NativeStep& s = steps_[step];
  switch (value.kind) {
    case ArgumentKind::buffer:
      s.addresses[index] = reinterpret_cast<std::uintptr_t>(address_of(value.range));
      kept_[first_kept_[step] + index] = value.range.buffer->shared_from_this();
      break;
    case ArgumentKind::value:
      std::memcpy(s.arguments[index], value.bytes, value.value_bytes);
      break;
    case ArgumentKind::shared:
      s.addresses[index] = value.shared_bytes;
      s.has_shared = true;
      break;
    default:
      break;
  }
}

void NativeProgram::set_groups(std::uint32_t step, Dim3 groups) {
  steps_[step].context.num_groups[0] = groups.x;
  steps_[step].context.num_groups[1] = groups.y;
  steps_[step].context.num_groups[2] = groups.z;
}

void NativeProgram::replace(std::uint32_t step, const Work& work,
                            std::shared_ptr<const void> data) {
  set_work(step, work);
  kept_[first_kept_[step]] = std::move(data);
}

void NativeProgram::copy_step(std::uint32_t step, const NativeProgram& from) {
  const NativeStep& other = from.steps_[step];
  NativeStep& s = steps_[step];
  void** const arguments = s.arguments;
  std::uint64_t* const addresses = s.addresses;
  s = other;
  s.arguments = arguments;
  s.addresses = addresses;
  std::size_t places = 1;
  if (const auto* dispatch = std::get_if<Dispatch>(&plan_->steps[step].command.work)) {
    places = s.argument_count;
    std::copy_n(other.addresses, places, addresses);
    for (std::size_t i = 0; i < places; ++i)
      if (const std::size_t room = value_room(*dispatch, i))
        std::memcpy(arguments[i], other.arguments[i], room);
  }
  for (std::size_t i = first_kept_[step]; i < first_kept_[step] + places; ++i)
    kept_[i] = from.kept_[i];
}

std::size_t NativeProgram::size_bytes() const noexcept {
  return block_bytes_ + steps_.size() * (sizeof(NativeStep) + sizeof(std::uint32_t)) +
         kept_.size() * sizeof kept_[0];
}

void NativeProgram::run(std::size_t begin, std::size_t end,
                        std::atomic<float>* times_ns) const noexcept {
  [[maybe_unused]] const FloatState state;
  if (!times_ns) {
    for (std::size_t i = begin; i < end; ++i)
      if (steps_[i].enabled) run_step(steps_[i]);
  } else {
    std::uint64_t before = monotonic_ns();
    for (std::size_t i = begin; i < end; ++i) {
      if (!steps_[i].enabled) continue;
      run_step(steps_[i]);
      const std::uint64_t after = monotonic_ns();
      times_ns[i].store(static_cast<float>(after - before), std::memory_order_relaxed);
      before = after;
    }
  }
}

}  // namespace reel::opencl
