#include "runtime/graphs/known_pass.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/handles.hpp"
#include "graph/commands/access.hpp"
#include "graph/order/plan.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {
namespace {

// What may be taken over where two commands are of one shape.
enum class Alike : std::uint8_t { no, but_for_values, but_for_ranges, entirely };

// Buffers were compared before.
Alike alike(const BufferRange& a, const BufferRange& b) {
  if (a.offset_bytes == b.offset_bytes && a.size_bytes == b.size_bytes) return Alike::entirely;
  // An empty range takes no part in hazards.
  return (a.size_bytes == 0) == (b.size_bytes == 0) ? Alike::but_for_ranges : Alike::no;
}

Alike alike(const Argument& a, const Argument& b) {
  if (a.kind != b.kind || a.access != b.access || a.value_bytes != b.value_bytes) return Alike::no;
  switch (a.kind) {
    case ArgumentKind::buffer:
      return alike(a.range, b.range);
    case ArgumentKind::value: {
      const bool same = std::memcmp(a.value().data(), b.value().data(), a.value_bytes) == 0;
      return same ? Alike::entirely : a.is_outside() ? Alike::no : Alike::but_for_values;
    }
    case ArgumentKind::shared:
      return a.shared_bytes == b.shared_bytes ? Alike::entirely : Alike::but_for_values;
    default:
      return a == b ? Alike::entirely : Alike::no;
  }
}

bool is_same(const Dim3& a, const Dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

Alike alike(const Dispatch& a, const Dispatch& b) {
  if (a.kernel != b.kernel || a.arguments.size() != b.arguments.size() ||
      !is_same(a.group_size, b.group_size) || !is_same(a.offset, b.offset) ||
      !is_same(a.items, b.items) || a.dimensions != b.dimensions ||
      a.indirect.buffer != b.indirect.buffer || alike(a.indirect, b.indirect) != Alike::entirely ||
      !(a.predicate == b.predicate))
    return Alike::no;
  Alike result = is_same(a.groups, b.groups) ? Alike::entirely : Alike::but_for_values;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const Alike one = alike(a.arguments[i], b.arguments[i]);
    if (one == Alike::no) return Alike::no;
    if (one == Alike::but_for_ranges || result == Alike::entirely) result = one;
  }
  return result;
}

// Of two that are no dispatches; `is_same` says whether all but their ranges is.
Alike alike_transfers(const Work& a, const Work& b, bool is_same) {
  std::array<BufferRange, 2> ranges;
  std::size_t count = 0;
  for_each_transfer_range(a, [&](const BufferRange& range, Access) { ranges[count++] = range; });
  Alike result = is_same ? Alike::entirely : Alike::but_for_values;
  count = 0;
  for_each_transfer_range(b, [&](const BufferRange& range, Access) {
    const Alike one = alike(ranges[count++], range);
    if (one == Alike::no || result == Alike::no)
      result = Alike::no;
    else if (one == Alike::but_for_ranges)
      result = one;
  });
  return result;
}

Alike alike(const Command& a, const Command& b) {
  if (a.work.index() != b.work.index() || !(a.scope == b.scope) || a.label != b.label)
    return Alike::no;
  return std::visit(
      overloaded{
          [&](const Dispatch& d) { return alike(d, *std::get_if<Dispatch>(&b.work)); },
          [&](const Copy&) { return alike_transfers(a.work, b.work, true); },
          [&](const Fill& f) {
            const auto& other = *std::get_if<Fill>(&b.work);
            return alike_transfers(
                a.work, b.work,
                f.pattern == other.pattern && f.pattern_bytes == other.pattern_bytes);
          },
          [&](const Write& w) {
            return alike_transfers(a.work, b.work,
                                   std::ranges::equal(w.data, std::get_if<Write>(&b.work)->data));
          },
          [&](const Read& r) {
            const auto& other = *std::get_if<Read>(&b.work);
            return alike_transfers(
                a.work, b.work,
                r.target.data() == other.target.data() && r.target.size() == other.target.size());
          },
          [](const HostCall&) { return Alike::but_for_values; },
          [](const Barrier&) { return Alike::entirely; },
      },
      a.work);
}

// In the order of the commands; as a plan sees them.
std::vector<BufferRange> ranges_of(std::span<const Command> commands) {
  std::vector<BufferRange> ranges;
  ranges.reserve(8 * commands.size());
  for (const Command& command : commands)
    for_each_access(command.work,
                    [&](const BufferRange& range, Access) { ranges.push_back(range); });
  return ranges;
}

std::vector<const BufferResource*> buffers_of(std::span<const Command> commands) {
  std::vector<const BufferResource*> buffers;
  const auto add = [&](const BufferRange& range, Access) { buffers.push_back(range.buffer); };
  for (const Command& command : commands) {
    for_each_range(command.work, add);
    if (const auto* dispatch = std::get_if<Dispatch>(&command.work))
      for (const Argument& a : dispatch->arguments)
        if (a.kind == ArgumentKind::image) add(a.range, a.access);
  }
  std::ranges::sort(buffers, std::less<>());
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  return buffers;
}

// Barriers of a plan may be fewer than were met in the order given; groups are what lies between
// them.
PlannedBarriers barriers_of(const Plan& plan) {
  PlannedBarriers found;
  found.barriers = plan.barriers;
  found.reordered = plan.reordered;
  std::size_t in_group = 0;
  const auto close = [&] {
    if (in_group == 0) return;
    found.avoided += in_group - 1;
    if (found.group_sizes.size() < in_group) found.group_sizes.resize(in_group);
    ++found.group_sizes[in_group - 1];
    in_group = 0;
  };
  for (const Step& step : plan.steps) {
    if (step.barrier_before) close();
    ++in_group;
  }
  close();
  return found;
}

}  // namespace

KnownPass::KnownPass(PassLine& line, const Graph& graph, const std::shared_ptr<DeviceState>& device,
                     bool reorder, const std::string& name)
    : reorder_(reorder),
      named_(line.named().begin(), line.named().end()),
      buffers_(buffers_of(line.commands())),
      order_(ranges_of(line.commands())),
      exec_(make_handle<GraphExec>(std::make_unique<GraphExecState>(
          graph, device, InstantiateOptions{.reorder = reorder, .name = name}))),
      barriers_(barriers_of(state_of(exec_, "a session").plan())) {
  std::swap(line_, line);
  line_.let_go_of_resources();  // the exec has them
}

bool KnownPass::is_like(const PassLine& line, bool reorder,
                        std::vector<std::uint32_t>& changed) const {
  changed.clear();
  const std::span<const Command> mine = line_.commands(), other = line.commands();
  if (reorder != reorder_ || mine.size() != other.size() ||
      !std::ranges::equal(line.named(), named_))
    return false;
  bool other_ranges = false;
  for (std::uint32_t i = 0; i < mine.size(); ++i) {
    const Alike how = alike(mine[i], other[i]);
    if (how == Alike::no) return false;
    if (how != Alike::entirely) changed.push_back(i);
    other_ranges = other_ranges || how == Alike::but_for_ranges;
  }
  // A buffer that was freed since it was named: making the pass anew says so.
  return std::ranges::none_of(buffers_, [](const auto* b) { return b->freed.load(); }) &&
         (!other_ranges || order_.holds_for(ranges_of(other)));
}

void KnownPass::take_over(PassLine& line, std::span<const std::uint32_t> changed,
                          const std::string& name) {
  GraphExecState& exec = state_of(exec_, "a session");
  for (const std::uint32_t i : changed) exec.refresh(NodeId{i}, line.commands()[i]);
  if (exec.launch_name != name) exec.launch_name = name;
  std::swap(line_, line);
  line_.let_go_of_resources();
}

std::shared_ptr<KnownPass> KnownPasses::take(const PassLine& line, bool reorder,
                                             std::vector<std::uint32_t>& changed) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      passes_, [&](const auto& pass) { return pass->is_like(line, reorder, changed); });
  if (found == passes_.end()) return nullptr;
  std::shared_ptr<KnownPass> pass = std::move(*found);
  passes_.erase(found);
  return pass;
}

// Those that go do so without the lock: it may take long, since they free buffers.
void KnownPasses::give_back(std::shared_ptr<KnownPass> pass) {
  std::shared_ptr<KnownPass> gone;
  const std::lock_guard lock(mutex_);
  misses_ = 0;
  gone = put_first(std::move(pass));
}

void KnownPasses::add(std::shared_ptr<KnownPass> pass) {
  std::vector<std::shared_ptr<KnownPass>> gone;
  const std::lock_guard lock(mutex_);
  const bool gives_up = ++misses_ > misses_to_give_up;
  if (gives_up) gone.swap(passes_);
  if (!gives_up || misses_ % passes_between_tries == 0) gone.push_back(put_first(std::move(pass)));
}

std::shared_ptr<KnownPass> KnownPasses::put_first(std::shared_ptr<KnownPass> pass) {
  passes_.insert(passes_.begin(), std::move(pass));
  if (passes_.size() <= most) return nullptr;
  std::shared_ptr<KnownPass> last = std::move(passes_.back());
  passes_.pop_back();
  return last;
}

std::shared_ptr<const KnownPass> KnownPasses::latest() const {
  const std::lock_guard lock(mutex_);
  return passes_.empty() ? nullptr : passes_.front();
}

}  // namespace reel
