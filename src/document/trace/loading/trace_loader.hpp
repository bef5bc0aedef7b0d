// trace_loader.hpp - a document from its path to its rows: what Trace::load and TraceTotals::load
// share.
#pragma once

#include <memory>
#include <string>

#include "document/trace/loading/command_totals.hpp"
#include "document/trace/trace_state.hpp"

namespace reel::document {

// Throws as Trace::load() does. With `totals`, commands and stamps are counted there and are not
// among the rows; where totals->is_plain() is false afterwards, only joining them tells the truth.
std::shared_ptr<TraceState> load_state(const std::string& path, CommandTotals* totals);

}  // namespace reel::document
