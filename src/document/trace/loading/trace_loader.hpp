// trace_loader.hpp - a document from its path to its rows: what Trace::load and TraceTotals::load
// share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "document/trace/loading/command_totals.hpp"
#include "document/trace/trace_state.hpp"

namespace reel::document {

// Throws as Trace::load() does.
std::shared_ptr<TraceState> load_state(const std::string& path);

// Of a document with more than `max_commands_kept` commands, commands and stamps are counted and
// are not among the rows; where totals->is_plain() is false then, only joining them tells the
// truth.
struct CountedState {
  std::shared_ptr<TraceState> state;
  std::optional<CommandTotals> totals;  // none: they are among the rows
};
CountedState count_or_load_state(const std::string& path, std::uint64_t max_commands_kept);

}  // namespace reel::document
