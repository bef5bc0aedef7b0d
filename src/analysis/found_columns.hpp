// found_columns.hpp - the columns of what is found out of a trace, as reel/trace_columns.hpp has
// those of what was recorded.
#pragma once

#include "reel/analysis.hpp"
#include "reel/trace_columns.hpp"

namespace reel {

// clang-format off
template <> std::span<const RowColumn<analysis::Gap>> columns_of();
template <> std::span<const RowColumn<analysis::Dependency>> columns_of();
template <> std::span<const RowColumn<analysis::SetMember>> columns_of();
template <> std::span<const RowColumn<analysis::PathStep>> columns_of();
template <> std::span<const RowColumn<analysis::MemoryPoint>> columns_of();
template <> std::span<const RowColumn<analysis::Pass>> columns_of();
// clang-format on

}  // namespace reel
