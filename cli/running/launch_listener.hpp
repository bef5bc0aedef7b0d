// launch_listener.hpp - hears from the layer in the processes of a run: loaded, called, documents.
//
// An abstract datagram socket, so there is no file and no descriptor that the program inherits; its
// name goes to the program in REEL_LAYER_LAUNCHER. layers/control/launcher.hpp has the messages.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace reel::cli {

struct LaunchMessage {
  std::string kind;
  pid_t process = 0;
  std::vector<std::string> fields;

  std::string field(std::size_t i) const { return i < fields.size() ? fields[i] : std::string(); }
};

class LaunchListener {
 public:
  LaunchListener();
  ~LaunchListener();
  LaunchListener(const LaunchListener&) = delete;
  LaunchListener& operator=(const LaunchListener&) = delete;

  const std::string& name() const { return name_; }
  int descriptor() const { return socket_; }
  // The next message of a process of this user; none: there is none now.
  std::optional<LaunchMessage> next();

 private:
  std::string name_;
  int socket_ = -1;
};

}  // namespace reel::cli
