#include "layers/control/name_pattern.hpp"

#include "base/glob.hpp"

namespace reel::layer {

bool name_matches(std::string_view pattern, std::string_view name) {
  if (pattern.find_first_of("*?") == std::string_view::npos)
    return name.find(pattern) != std::string_view::npos;
  return glob_matches(pattern, name);
}

}  // namespace reel::layer
