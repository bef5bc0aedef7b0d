#include "backends/host/work.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "backends/host/buffer.hpp"
#include "base/fail.hpp"
#include "runtime/callback.hpp"

namespace reel::host {

HostArgument host_argument(const Argument& argument, std::uint64_t& shared_bytes) {
  switch (argument.kind) {
    case ArgumentKind::buffer:
      return {data_of(argument.range), argument.range.size_bytes};
    case ArgumentKind::shared: {
      const std::uint64_t offset = (shared_bytes + 63) & ~std::uint64_t{63};
      shared_bytes = offset + argument.shared_bytes;
      return {reinterpret_cast<void*>(offset), argument.shared_bytes};
    }
    case ArgumentKind::null:
      return {nullptr, 0};
    case ArgumentKind::value:
    case ArgumentKind::image:  // refused before, as the others
    case ArgumentKind::sampler:
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
  return host_value(argument);
}

std::byte* shared_memory(std::uint64_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  struct Freed {
    void operator()(std::byte* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<std::byte, Freed> memory;
  thread_local std::uint64_t capacity = 0;
  if (capacity < size_bytes) {
    capacity = (size_bytes + 4095) & ~std::uint64_t{4095};
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(64, capacity)));
    if (!memory) throw std::bad_alloc();
  }
  return memory.get();
}

HostGrid free_grid(const Dispatch& dispatch) {
  const Dim3 &items = dispatch.items, &groups = dispatch.groups;
  Dim3 size = dispatch.group_size;
  if (size == unset_dim) size = {std::clamp(items.x, 1u, 64u), 1, 1};
  if (items != unset_dim) return {dispatch.offset, items, size};
  return {dispatch.offset, {groups.x * size.x, groups.y * size.y, groups.z * size.z}, size};
}

Dim3 groups_of(const HostGrid& grid) {
  const auto groups = [](std::uint32_t items, std::uint32_t size) {
    return items / size + (items % size != 0 ? 1 : 0);
  };
  const Dim3 &items = grid.items, &size = grid.group_size;
  return {groups(items.x, size.x), groups(items.y, size.y), groups(items.z, size.z)};
}

std::vector<HostArgument> with_grid(std::span<const HostArgument> arguments, HostGrid& grid) {
  std::vector<HostArgument> result(arguments.begin(), arguments.end());
  result.push_back({&grid, sizeof(HostGrid)});
  return result;
}

namespace {

// The last group of a dimension has what is left.
Dim3 size_of_group(const HostGrid& grid, const Dim3& id) {
  const Dim3 &items = grid.items, &size = grid.group_size;
  return {std::min(size.x, items.x - id.x * size.x), std::min(size.y, items.y - id.y * size.y),
          std::min(size.z, items.z - id.z * size.z)};
}

}  // namespace

void run_groups(HostFunction function, HostGroup group, std::uint64_t begin, std::uint64_t end) {
  group.id = {0, 0, 0};
  if (begin != 0) {  // three divisions take longer than a small group
    const std::uint64_t plane = std::uint64_t{group.count.x} * group.count.y;
    group.id.z = static_cast<std::uint32_t>(begin / plane);
    group.id.y = static_cast<std::uint32_t>(begin % plane / group.count.x);
    group.id.x = static_cast<std::uint32_t>(begin % group.count.x);
  }
  const HostGrid* grid =
      group.is_free ? static_cast<const HostGrid*>(group.arguments[group.argument_count].data)
                    : nullptr;
  for (std::uint64_t i = begin; i < end; ++i) {
    if (grid) group.size = size_of_group(*grid, group.id);
    function(group);
    if (++group.id.x < group.count.x) continue;
    group.id.x = 0;
    if (++group.id.y < group.count.y) continue;
    group.id.y = 0;
    ++group.id.z;
  }
}

namespace {

// Until others have woken up, and the last of them is done: launches of 50 µs took as long on two
// threads as on one, and 1.6 times the CPU time. What they would save must be more.
constexpr double sharing_takes_ns = 40'000;

void run_on_pool(Kernel& kernel, const HostGroup& group, std::uint64_t shared_bytes,
                 std::uint64_t groups, double estimated_ns, Pool& pool, bool timed) {
  // Pieces of some 10 µs: small enough to share out evenly, large enough to be worth taking.
  const double each = estimated_ns / static_cast<double>(groups);
  const auto by_time = static_cast<std::uint64_t>(10'000 / std::max(each, 0.01));
  const std::uint64_t piece =
      std::clamp<std::uint64_t>(by_time, 1, std::max<std::uint64_t>(1, groups / pool.threads()));
  std::atomic<std::uint64_t> spent_ns{0};
  pool.run(groups, piece, [&](std::uint64_t begin, std::uint64_t end) {
    HostGroup mine = group;
    mine.shared_memory = shared_memory(shared_bytes);
    const std::uint64_t before = timed ? thread_cpu_ns() : 0;
    run_groups(kernel.function, mine, begin, end);
    if (timed) spent_ns.fetch_add(thread_cpu_ns() - before, std::memory_order_relaxed);
  });
  if (timed) kernel.learn(groups, spent_ns.load(std::memory_order_relaxed));
}

}  // namespace

void run_launch(Kernel& kernel, const HostGroup& group, std::uint64_t shared_bytes, Pool& pool,
                bool timed) {
  const std::uint64_t groups = group.count.count();
  if (groups == 0) return;
  if (groups > 1 && pool.threads() > 1) {
    const double estimated = kernel.estimate_ns(group.count, group.size);
    if (estimated - estimated / pool.threads() > sharing_takes_ns)
      return run_on_pool(kernel, group, shared_bytes, groups, estimated, pool, timed);
  }
  HostGroup mine = group;
  mine.shared_memory = shared_memory(shared_bytes);
  if (!timed) return run_groups(kernel.function, mine, 0, groups);
  const std::uint64_t before = thread_cpu_ns();
  run_groups(kernel.function, mine, 0, groups);
  kernel.learn(groups, thread_cpu_ns() - before);
}

void fill_pattern(std::byte* target, std::uint64_t size_bytes, std::uint32_t pattern,
                  std::uint32_t pattern_bytes) {
  if (pattern_bytes == 1) {
    std::memset(target, static_cast<int>(pattern & 0xff), size_bytes);
    return;
  }
  for (std::uint64_t i = 0; i + pattern_bytes <= size_bytes; i += pattern_bytes)
    std::memcpy(target + i, &pattern, pattern_bytes);
}

bool is_met(const DispatchPredicate& predicate) {
  std::uint32_t value;
  std::memcpy(&value, data_of(predicate.word), sizeof value);
  return predicate.is_met_by(value);
}

Dim3 indirect_groups(const BufferRange& range, const std::string& kernel_name) {
  Dim3 groups;
  std::memcpy(&groups, data_of(range), sizeof(groups));
  if (std::max({groups.x, groups.y, groups.z}) > most_groups)
    fail(Code::invalid_argument,
         "Kernel '{}' finds {} x {} x {} groups in buffer '{}'; host allows {} in each direction.",
         kernel_name, groups.x, groups.y, groups.z, range.buffer->label, most_groups);
  return groups;
}

namespace {

void run_dispatch(const Dispatch& dispatch, Pool& pool) {
  if (dispatch.predicate && !is_met(dispatch.predicate)) [[unlikely]]
    return;
  constexpr std::size_t on_stack = 24;
  std::array<HostArgument, on_stack> few;
  std::vector<HostArgument> many;
  HostArgument* arguments = few.data();
  if (dispatch.arguments.size() > on_stack) {
    many.resize(dispatch.arguments.size());
    arguments = many.data();
  }
  std::uint64_t shared_bytes = 0;
  for (std::size_t i = 0; i < dispatch.arguments.size(); ++i)
    arguments[i] = host_argument(dispatch.arguments[i], shared_bytes);
  Dim3 groups = dispatch.groups;
  if (dispatch.indirect.buffer)
    groups = indirect_groups(dispatch.indirect, dispatch.kernel->source.name);
  HostGroup group{arguments,           nullptr,
                  {0, 0, 0},           groups,
                  dispatch.group_size, static_cast<std::uint32_t>(dispatch.arguments.size())};
  HostGrid grid;
  if (dispatch.is_free_grid()) [[unlikely]] {
    grid = free_grid(dispatch);
    many = with_grid({arguments, dispatch.arguments.size()}, grid);
    group.arguments = many.data();
    group.count = groups = groups_of(grid);
    group.size = grid.group_size;
    group.is_free = true;
  }
  Kernel& kernel = *static_cast<Kernel*>(dispatch.kernel);
  const bool timed = kernel.wants_timing();
  kernel.count_run();
  try {
    // The smallest launches are the ones whose overhead shows.
    if (groups == Dim3{1, 1, 1} && shared_bytes == 0 && !timed && !group.is_free)
      return kernel.function(group);
    run_launch(kernel, group, shared_bytes, pool, timed);
  } catch (...) {
    rethrow_of_kernel(kernel.source.name);
  }
}

}  // namespace

void run(const Work& work, Pool& pool) {
  if (const auto* dispatch = std::get_if<Dispatch>(&work)) [[likely]]
    return run_dispatch(*dispatch, pool);
  std::visit(overloaded{
                 [](const Dispatch&) {},  // above, without a jump through a table
                 [](const Copy& c) {
                   if (c.source.size_bytes)
                     std::memcpy(data_of(c.target), data_of(c.source), c.source.size_bytes);
                 },
                 [](const Fill& f) {
                   fill_pattern(data_of(f.target), f.target.size_bytes, f.pattern, f.pattern_bytes);
                 },
                 [](const Write& w) {
                   if (!w.data.empty() && w.data.data() != data_of(w.target))  // host_wrote()
                     std::memcpy(data_of(w.target), w.data.data(), w.data.size());
                 },
                 [](const Read& r) {
                   if (!r.target.empty())
                     std::memcpy(r.target.data(), data_of(r.source), r.target.size());
                 },
                 [](const HostCall&) {},
                 [](const Barrier&) {},
             },
             work);
}

double estimate_ns(const Work& work) {
  if (const auto* d = std::get_if<Dispatch>(&work)) [[likely]]  // no jump through a table
  {
    // The grid of an indirect dispatch, and whether a conditional one runs, is known only when it
    // is reached.
    if (d->indirect.buffer || d->predicate) return inline_below_ns;
    const auto* kernel = static_cast<const Kernel*>(d->kernel);
    if (d->items == unset_dim) return kernel->estimate_ns(d->groups, d->group_size);
    const HostGrid grid = free_grid(*d);
    return kernel->estimate_ns(groups_of(grid), grid.group_size);
  }
  constexpr double bytes_per_ns = 4;  // of a copy on one core, pages not yet touched included
  return std::visit(
      overloaded{
          [](const Dispatch&) { return 0.0; },  // above
          [&](const Copy& c) { return static_cast<double>(c.source.size_bytes) / bytes_per_ns; },
          [&](const Fill& f) { return static_cast<double>(f.target.size_bytes) / bytes_per_ns; },
          [&](const Write& w) { return static_cast<double>(w.data.size()) / bytes_per_ns; },
          [&](const Read& r) { return static_cast<double>(r.target.size()) / bytes_per_ns; },
          [](const HostCall&) { return inline_below_ns; },
          [](const Barrier&) { return 0.0; },
      },
      work);
}

bool is_empty(const Work& work) {
  if (const auto* d = std::get_if<Dispatch>(&work)) [[likely]]  // no jump through a table
    return !d->indirect.buffer && d->items == unset_dim && d->groups.count() == 0;
  return std::visit(overloaded{
                        [](const Dispatch&) { return false; },  // above
                        [](const Copy& c) { return c.target.size_bytes == 0; },
                        [](const Fill& c) { return c.target.size_bytes == 0; },
                        [](const Write& c) { return c.data.empty(); },
                        [](const Read& c) { return c.target.empty(); },
                        [](const HostCall&) { return false; },
                        [](const Barrier&) { return true; },
                    },
                    work);
}

}  // namespace reel::host
