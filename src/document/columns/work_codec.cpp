#include "document/columns/work_codec.hpp"

#include "base/fail.hpp"

namespace reel::document {

namespace {

Argument load_argument(const Trace& trace, const TraceArgument& argument, std::size_t place,
                       std::uint32_t command, Resolver& resolver) {
  switch (argument.kind) {
    case ArgumentKind::buffer:
      return resolver.memory(argument);
    case ArgumentKind::shared:
      return Shared{argument.size_bytes};
    case ArgumentKind::null:
      return Argument::null_pointer();
    case ArgumentKind::sampler: {
      const auto bytes = trace.value_bytes(argument);
      if (bytes.size() != sizeof(SamplerShape) && bytes.size() != sizeof(SamplerState))
        fail(Code::damaged_document, "Argument {} of {} is a sampler of {} bytes; it has {} or {}.",
             place, describe_command(trace, command), bytes.size(), sizeof(SamplerShape),
             sizeof(SamplerState));
      Argument sampler = Argument::of_bytes(bytes);
      sampler.kind = ArgumentKind::sampler;
      return sampler;
    }
    case ArgumentKind::value:
      if (argument.size_bytes > max_outside_value_bytes)
        fail(Code::unsupported, "Argument {} of {} has {} bytes; values have at most {}.", place,
             describe_command(trace, command), argument.size_bytes, max_outside_value_bytes);
      return Argument::of_bytes(trace.value_bytes(argument));
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::image:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
  fail(Code::unsupported, "Argument {} of {} can't be given again.", place,
       describe_command(trace, command));
}

void load_dispatch(const Trace& trace, std::uint32_t command, const TraceWork& work,
                   Resolver& resolver, KeptCommand& result) {
  Dispatch dispatch;
  dispatch.kernel = resolver.kernel(work.kernel);
  for_each_column<columns::works>([&](auto c) {
    if constexpr (columns::works[c].load != nullptr) columns::works[c].load(dispatch, work);
  });
  if (!work.has_own_groups()) {
    const bool is_empty = work.items.count() == 0;  // OpenCL 2.1 allows that, and does nothing
    dispatch.groups = is_empty ? Dim3(0, 1, 1) : Dim3(1, 1, 1);
    if (is_empty) {
      dispatch.group_size = {1, 1, 1};
      dispatch.items = unset_dim;
    }
  }
  std::vector<Argument> arguments;
  const auto list = trace.arguments(work);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind == ArgumentKind::indirect)
      dispatch.indirect = resolver.range(list[i]);
    else if (is_predicate(list[i].kind) && dispatch.predicate)
      fail(Code::damaged_document, "{} has two predicates; at most 1 is allowed.",
           describe_command(trace, command));
    else if (is_predicate(list[i].kind))
      dispatch.predicate = {resolver.range(list[i]), list[i].kind == ArgumentKind::run_unless};
    else
      arguments.push_back(load_argument(trace, list[i], i, command, resolver));
  }
  result.command.work = dispatch;
  result.keep_arguments(std::move(arguments));
}

}  // namespace

Command load_texts(const Trace& trace, const TraceWork& work) {
  return {Barrier{}, trace.text(work.label), Scope().child(trace.text(work.scope))};
}

std::vector<KeptCommand> load(const Trace& trace, std::uint32_t command, Resolver& resolver) {
  const TraceWork& work = trace.work_of(trace.commands()[command]);
  const auto ranges = trace.arguments(work);
  std::vector<KeptCommand> commands;
  const Command empty = load_texts(trace, work);
  const auto add = [&](const Work& one) { commands.emplace_back(empty).command.work = one; };
  switch (work.kind) {
    case WorkKind::dispatch:
      load_dispatch(trace, command, work, resolver, commands.emplace_back(empty));
      break;
    case WorkKind::copy:
      for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
        add(Copy{.target = resolver.range(ranges[i + 1]), .source = resolver.range(ranges[i])});
      break;
    case WorkKind::fill:
      for (const TraceArgument& target : ranges)
        add(Fill{resolver.range(target), work.pattern, work.pattern_bytes});
      break;
    case WorkKind::barrier:
      add(Barrier{});
      break;
    case WorkKind::write:
    case WorkKind::read:
    case WorkKind::host_call:
    case WorkKind::launch:
    case WorkKind::opaque:
    case WorkKind::unknown:
      break;
  }
  return commands;
}

}  // namespace reel::document
