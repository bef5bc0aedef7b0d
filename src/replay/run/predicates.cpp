#include "replay/run/predicates.hpp"

#include <cstdint>
#include <span>
#include <variant>

namespace reel::rerun {

bool is_decided_here(const Command& command, const DeviceInfo& info) {
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  return dispatch && dispatch->predicate && !info.can_dispatch_conditionally;
}

bool is_decided_here(const Command& command, const Stream& stream) {
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  return dispatch && dispatch->predicate && is_decided_here(command, stream.device().info());
}

Command without_predicate(Command command) {
  std::get<Dispatch>(command.work).predicate = {};
  return command;
}

std::optional<Command> decided(const Command& command, const Stream& stream) {
  const DispatchPredicate& predicate = std::get<Dispatch>(command.work).predicate;
  std::uint32_t value = 0;
  stream.read_now(predicate.word, std::as_writable_bytes(std::span(&value, 1)));
  if (!predicate.is_met_by(value)) return std::nullopt;
  return without_predicate(command);
}

}  // namespace reel::rerun
