#include "base/process/own_descriptors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace reel {

bool take_own_descriptors() noexcept {
#ifdef SYS_close_range
  constexpr unsigned unshare = 2;  // CLOSE_RANGE_UNSHARE
  return ::syscall(SYS_close_range, 0u, ~0u, unshare) == 0;
#else
  return false;
#endif
}

}  // namespace reel
