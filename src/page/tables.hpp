// tables.hpp - the tables of columns that the page draws from.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "page/page_state.hpp"

namespace reel::page {

using MakeTable = std::string (*)(const PageState&);

// By name; docs/page.md has their columns.
const std::map<std::string_view, MakeTable>& tables();

}  // namespace reel::page
