// quietly.hpp - bookkeeping must never stop a program.
#pragma once

namespace reel::layer {

// False: it was not done, or not all of it.
template <class F>
bool quietly(F&& function) noexcept {
  try {
    function();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace reel::layer
