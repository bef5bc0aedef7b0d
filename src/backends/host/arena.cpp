#include "backends/host/arena.hpp"

#include <algorithm>
#include <cstring>

#include "backends/host/buffer.hpp"
#include "backends/host/work.hpp"
#include "graph/commands/access.hpp"
#include "runtime/callback.hpp"

namespace reel::host {

namespace {

void do_nothing(const HostGroup&) {}

void move_bytes(const HostGroup& g) {
  if (g.arguments[0].size_bytes)
    std::memcpy(g.arguments[0].data, g.arguments[1].data, g.arguments[0].size_bytes);
}

void fill_bytes(const HostGroup& g) {
  fill_pattern(static_cast<std::byte*>(g.arguments[0].data), g.arguments[0].size_bytes,
               g.value<std::uint32_t>(1), static_cast<std::uint32_t>(g.arguments[1].size_bytes));
}

std::size_t argument_count(const Work& work) {
  if (const auto* dispatch = std::get_if<Dispatch>(&work)) return dispatch->arguments.size();
  return 2;  // target and source
}

}  // namespace

Arena::Arena(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), records_(plan_->steps.size()), steps_(plan_->steps.size()) {
  std::size_t total = 0;
  for (const Step& step : plan_->steps) total += argument_count(step.command.work);
  arguments_.resize(total);
  values_.resize(total);
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    StepState& state = steps_[i];
    state.work = plan_->steps[i].command.work;
    state.first_argument = first;
    if (auto* dispatch = std::get_if<Dispatch>(&state.work)) {
      std::copy(dispatch->arguments.begin(), dispatch->arguments.end(), values_.begin() + first);
      dispatch->arguments = std::span(values_).subspan(first, dispatch->arguments.size());
      state.kernel = static_cast<Kernel*>(dispatch->kernel);
    }
    has_host_calls_ |= std::holds_alternative<HostCall>(state.work);
    first += static_cast<std::uint32_t>(argument_count(state.work));
    resolve(i);
  }
}

Arena::Arena(const Arena& other)
    : plan_(other.plan_),
      records_(other.records_),
      arguments_(other.arguments_),
      values_(other.values_),
      steps_(other.steps_),
      bound_(other.bound_),
      has_host_calls_(other.has_host_calls_) {
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    StepState& state = steps_[i];
    records_[i].group.arguments = arguments_.data() + state.first_argument;
    auto* dispatch = std::get_if<Dispatch>(&state.work);
    if (!dispatch) continue;
    const std::size_t count = dispatch->arguments.size();
    dispatch->arguments = std::span(values_).subspan(state.first_argument, count);
    // Larger values are pointed to, where they were.
    for (std::size_t k = state.first_argument; k < state.first_argument + count; ++k)
      if (values_[k].kind == ArgumentKind::value && values_[k].value_bytes > sizeof(void*))
        arguments_[k].data = const_cast<std::byte*>(values_[k].value().data());
  }
}

// Turns a step's work into pointers.
void Arena::resolve(std::uint32_t step) {
  StepState& state = steps_[step];
  Record& record = records_[step];
  HostArgument* arguments = arguments_.data() + state.first_argument;
  record.group = {arguments, nullptr, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 2};
  std::visit(overloaded{
                 [&](const Dispatch& d) {
                   record.group.count = d.groups;
                   record.group.size = d.group_size;
                   record.group.argument_count = static_cast<std::uint32_t>(d.arguments.size());
                   state.shared_bytes = 0;
                   for (std::size_t i = 0; i < d.arguments.size(); ++i)
                     arguments[i] = host_argument(d.arguments[i], state.shared_bytes);
                 },
                 [&](const Copy& c) {
                   arguments[0] = {data_of(c.target), c.target.size_bytes};
                   arguments[1] = {data_of(c.source), c.source.size_bytes};
                 },
                 [&](const Fill& f) {
                   arguments[0] = {data_of(f.target), f.target.size_bytes};
                   arguments[1] = {nullptr, f.pattern_bytes};
                   std::memcpy(&arguments[1].data, &f.pattern, sizeof(f.pattern));
                 },
                 [&](const Write& w) {
                   arguments[0] = {data_of(w.target), w.data.size()};
                   arguments[1] = {const_cast<std::byte*>(w.data.data()), w.data.size()};
                 },
                 [&](const Read& r) {
                   arguments[0] = {r.target.data(), r.target.size()};
                   arguments[1] = {data_of(r.source), r.target.size()};
                 },
                 [](const HostCall&) {},
                 [](const Barrier&) {},
             },
             state.work);
  choose_function(step);
}

void Arena::choose_function(std::uint32_t step) {
  const StepState& state = steps_[step];
  HostFunction& function = records_[step].function;
  if (!state.enabled) {
    function = do_nothing;
    return;
  }
  function = std::visit(overloaded{
                            [&](const Dispatch& d) -> HostFunction {
                              if (d.indirect.buffer || d.predicate) return nullptr;
                              if (d.is_free_grid()) return nullptr;
                              if (d.groups.count() == 0) return do_nothing;
                              const bool plain = d.groups.count() == 1 && state.shared_bytes == 0;
                              return plain ? state.kernel->function : nullptr;
                            },
                            [](const Fill&) -> HostFunction { return fill_bytes; },
                            [](const HostCall&) -> HostFunction { return nullptr; },
                            [](const Barrier&) -> HostFunction { return do_nothing; },
                            [](const auto&) -> HostFunction { return move_bytes; },
                        },
                        state.work);
}

// --- running ------------------------------------------------------------------------------------

void Arena::run_slowly(std::uint32_t step, const Place& place) const {
  const StepState& state = steps_[step];
  if (const auto* call = std::get_if<HostCall>(&state.work)) {
    try {
      run_host_call(*call->function, plan_->steps[step].command.label, place.device);
    } catch (...) {
      place.line.keep_error(std::current_exception());  // as on a stream, what follows goes on
    }
    return;
  }
  HostGroup group = records_[step].group;
  const auto& dispatch = std::get<Dispatch>(state.work);
  if (dispatch.predicate && !is_met(dispatch.predicate)) return;
  if (dispatch.indirect.buffer)
    group.count = indirect_groups(dispatch.indirect, dispatch.kernel->source.name);
  HostGrid grid;
  std::vector<HostArgument> arguments;
  if (dispatch.is_free_grid()) {
    grid = free_grid(dispatch);
    arguments = with_grid({group.arguments, dispatch.arguments.size()}, grid);
    group.arguments = arguments.data();
    group.count = groups_of(grid);
    group.size = grid.group_size;
    group.is_free = true;
  }
  const bool timed = state.kernel->wants_timing();
  state.kernel->count_run();
  run_launch(*state.kernel, group, state.shared_bytes, place.pool, timed);
}

// Eight instructions a step: the pointer stays in a register, whatever the kernels write.
void Arena::run_steps(std::uint32_t begin, std::uint32_t end, const Place& place) const {
  const Record* const first = records_.data();
  const Record* record = first + begin;
  try {
    for (const Record* const last = first + end; record != last; ++record) {
      if (record->function) [[likely]]
        record->function(record->group);
      else
        run_slowly(static_cast<std::uint32_t>(record - first), place);
    }
  } catch (...) {
    const Kernel* kernel = steps_[static_cast<std::size_t>(record - first)].kernel;
    rethrow_of_kernel(kernel ? std::string_view(kernel->source.name) : "a transfer");
  }
}

void Arena::run(const Place& place) const {
  run_steps(0, static_cast<std::uint32_t>(records_.size()), place);
}

void Arena::run_wide(const Place& place) const {
  const auto count = static_cast<std::uint32_t>(records_.size());
  for (std::uint32_t begin = 0; begin < count;) {
    // Steps up to the next barrier don't depend on each other.
    std::uint32_t end = begin + 1;
    double estimated = host::estimate_ns(steps_[begin].work);
    while (end < count && !plan_->steps[end].barrier_before)
      estimated += host::estimate_ns(steps_[end++].work);
    if (end - begin == 1 || estimated < inline_below_ns) {
      run_steps(begin, end, place);
    } else {
      const std::uint64_t pieces = std::uint64_t{place.pool.threads()} * 4;
      const std::uint64_t piece = std::max<std::uint64_t>(1, (end - begin) / pieces);
      place.pool.run(end - begin, piece, [&](std::uint64_t first, std::uint64_t last) {
        run_steps(begin + static_cast<std::uint32_t>(first),
                  begin + static_cast<std::uint32_t>(last), place);
      });
    }
    begin = end;
  }
}

void Arena::run_timed(const Place& place, std::vector<StepTime>& times) const {
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    if (!steps_[i].enabled) continue;
    const std::uint64_t begin = now_ns();
    run_steps(i, i + 1, place);
    times.push_back({i, begin, now_ns()});
  }
}

double Arena::estimate_ns() const {
  double total = 0;
  for (const StepState& state : steps_)
    if (state.enabled) total += host::estimate_ns(state.work);
  return total;
}

// --- changing -----------------------------------------------------------------------------------

void Arena::hold(std::uint32_t step, std::uint32_t slot, const BufferRange& range) {
  bound_[(std::uint64_t{step} << 32) | slot] = range.buffer->shared_from_this();
}

void Arena::set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) {
  StepState& state = steps_[step];
  const std::uint32_t k = state.first_argument + index;
  values_[k] = value;
  if (value.kind == ArgumentKind::shared) return resolve(step);
  if (value.kind == ArgumentKind::buffer) hold(step, index, value.range);
  std::uint64_t unused = 0;
  arguments_[k] = host_argument(values_[k], unused);
}

void Arena::set_groups(std::uint32_t step, Dim3 groups) {
  std::get<Dispatch>(steps_[step].work).groups = groups;
  records_[step].group.count = groups;
  choose_function(step);
}

void Arena::set_enabled(std::uint32_t step, bool enabled) {
  steps_[step].enabled = enabled;
  choose_function(step);
}

void Arena::replace(std::uint32_t step, const Command& command) {
  StepState& state = steps_[step];
  state.work = command.work;
  state.data = keep_data(state.work);
  std::uint32_t slot = 0;
  for_each_access(state.work, [&](const BufferRange& range, Access) { hold(step, slot++, range); });
  resolve(step);
}

std::uint64_t Arena::size_bytes() const noexcept {
  return records_.size() * sizeof(Record) + arguments_.size() * sizeof(HostArgument) +
         values_.size() * sizeof(Argument) + steps_.size() * sizeof(StepState);
}

}  // namespace reel::host
