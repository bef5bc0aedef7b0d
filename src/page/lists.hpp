// lists.hpp - what the page gets as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "page/page_state.hpp"

namespace reel::page {

// `left_out`: what a file doesn't hold, a sentence each.
std::string summary_json(const PageState& state, const std::vector<std::string>& left_out);
std::string kernels_json(const PageState& state);
std::string buffers_json(const PageState& state);
std::string texts_json(const PageState& state);
std::string values_json(const PageState& state);

}  // namespace reel::page
