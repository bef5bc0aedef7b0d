// scope_stack.hpp - the scope that a thread of the program is in.
#pragma once

#include <string_view>

#include "reel/scope.hpp"

namespace reel::layer {

Scope current_scope() noexcept;
void push_scope(std::string_view name);
void pop_scope() noexcept;

}  // namespace reel::layer
