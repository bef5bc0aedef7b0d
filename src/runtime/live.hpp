// live.hpp - the state of a handle that owns it alone, or an error that says why it has none.
#pragma once

#include <memory>
#include <string_view>

#include "base/fail.hpp"

namespace reel {

// State::handle names the public class, State::gone when it has no state.
template <class State>
State& live(const std::unique_ptr<State>& state, std::string_view operation) {
  if (state) return *state;
  fail(Code::invalid_argument, "{}::{} is called {}.", State::handle, operation, State::gone);
}

}  // namespace reel
