#include "layers/control/launcher.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "layers/control/abstract_address.hpp"

namespace reel::layer {

bool tell_launcher(const std::string& name, std::string_view kind,
                   std::initializer_list<std::string_view> fields) noexcept {
  const AbstractAddress address(name);
  if (!address.is_good()) return false;
  const int saved_errno = errno;
  bool sent = false;
  try {
    std::string message(kind);
    message += '\0' + std::to_string(getpid());
    for (const std::string_view field : fields) (message += '\0') += field;
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket >= 0) {
      // The launcher reads at once; should it hang, the program must not.
      const timeval patience{0, 200'000};
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
      sent = ::sendto(socket, message.data(), message.size(), MSG_NOSIGNAL, address.get(),
                      address.size()) >= 0;
      close(socket);
    }
  } catch (...) {
  }
  errno = saved_errno;
  return sent;
}

}  // namespace reel::layer
