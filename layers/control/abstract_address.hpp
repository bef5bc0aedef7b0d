// abstract_address.hpp - the address of a socket that has a name and no file.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace reel::layer {

class AbstractAddress {
 public:
  explicit AbstractAddress(std::string_view name) noexcept {
    if (name.empty() || name.size() >= sizeof address_.sun_path) return;
    address_.sun_family = AF_UNIX;
    std::memcpy(address_.sun_path + 1, name.data(), name.size());  // a zero byte first: no file
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  bool is_good() const noexcept { return size_ > 0; }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const noexcept { return size_; }

 private:
  sockaddr_un address_{};
  socklen_t size_ = 0;
};

}  // namespace reel::layer
