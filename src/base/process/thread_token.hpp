// thread_token.hpp - a number for each thread of the process, never given twice (the system gives
// the numbers of its own again). The thread of a forked child has another one than it had.
#pragma once

#include <cstdint>

namespace reel {

namespace detail {
// 0: not given yet. One load where it is asked for with every command.
extern constinit thread_local std::uint64_t own_thread_token
    __attribute__((tls_model("initial-exec")));
std::uint64_t give_thread_token() noexcept;
}  // namespace detail

inline std::uint64_t thread_token() noexcept {
  const std::uint64_t number = detail::own_thread_token;
  return number ? number : detail::give_thread_token();
}

}  // namespace reel
