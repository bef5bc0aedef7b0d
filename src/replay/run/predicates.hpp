// predicates.hpp - conditional dispatches on devices that read no predicates themselves: who gives
// them looks at the word.
#pragma once

#include <optional>

#include "reel/command.hpp"
#include "reel/device.hpp"
#include "reel/stream.hpp"

namespace reel::rerun {

// It has a predicate, and the device reads none.
bool is_decided_here(const Command& command, const DeviceInfo& info);
bool is_decided_here(const Command& command, const Stream& stream);
Command without_predicate(Command command);  // of a dispatch
// What is left to give where is_decided_here(): the command without its predicate, or none, since
// it is skipped. All that comes before it is done or was given to `stream`, which is waited for.
std::optional<Command> decided(const Command& command, const Stream& stream);

}  // namespace reel::rerun
