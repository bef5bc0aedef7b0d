#include "base/process/descriptor_number.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace reel {

int number_out_of_the_way() noexcept {
  constexpr rlim_t high = 1024, room = 24;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 3;
  const rlim_t end = std::min(high, limit.rlim_cur);
  return end > room + 3 ? static_cast<int>(end - room) : 3;
}

int moved_to(int descriptor, int wanted) noexcept {
  if (descriptor >= wanted) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, wanted);
  if (moved < 0) return descriptor;
  ::close(descriptor);
  return moved;
}

}  // namespace reel
