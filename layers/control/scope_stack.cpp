#include "layers/control/scope_stack.hpp"

#include <array>
#include <cstddef>

namespace reel::layer {

namespace {

// Without destructors: a thread may call OpenCL while it is torn down.
constexpr std::size_t most_depth = 64;
thread_local std::array<Scope, most_depth> scopes;
thread_local std::size_t depth = 0;  // counts on where the array ends

}  // namespace

Scope current_scope() noexcept {
  return depth == 0 ? Scope() : scopes[(depth < most_depth ? depth : most_depth) - 1];
}

void push_scope(std::string_view name) {
  if (depth < most_depth) scopes[depth] = current_scope().child(name);
  ++depth;
}

void pop_scope() noexcept {
  if (depth > 0) --depth;
}

}  // namespace reel::layer
