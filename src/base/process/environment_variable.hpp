// environment_variable.hpp - the one way in which Reel reads its environment.
//
// A program that runs with rights its caller doesn't have (set-user-id, set-group-id, file
// capabilities) finds every variable unset: the caller may not choose which library it loads, or
// where it writes. tests/security/environment.sh keeps other ways out.
#pragma once

#include <string_view>

#include "base/os/process.hpp"

namespace reel {

// Empty where it is unset. Valid until the environment is changed; it ends with a zero byte.
inline std::string_view environment_variable(const char* name) noexcept {
  const char* value = os::trusted_variable(name);
  return value ? std::string_view(value) : std::string_view();
}

}  // namespace reel
