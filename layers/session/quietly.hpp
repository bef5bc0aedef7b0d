// quietly.hpp - bookkeeping must never stop a program.
#pragma once

namespace reel::layer {

template <class F>
void quietly(F&& function) noexcept {
  try {
    function();
  } catch (...) {
  }
}

}  // namespace reel::layer
