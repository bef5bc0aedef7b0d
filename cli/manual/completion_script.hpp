// completion_script.hpp - what shells load to complete command lines of `reel`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reel::cli {

const std::vector<std::string>& completion_shells();
std::string_view completion_script(const std::string& shell);  // of one of these

}  // namespace reel::cli
