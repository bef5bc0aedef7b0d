// launcher.hpp - tells `reel capture`, which started the program, what becomes of it.
//
// It listens at an abstract socket whose name is in REEL_LAYER_LAUNCHER, which every process of the
// run inherits. A message is one datagram: the kind, the process, then fields, with a zero byte
// between two:
//
//   loaded · call · refused why · begin path · end path commands bytes lost · exit commands
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace reel::layer {

// No descriptor stays open. False when nobody listens.
bool tell_launcher(const std::string& name, std::string_view kind,
                   std::initializer_list<std::string_view> fields = {}) noexcept;

}  // namespace reel::layer
