// verbs.hpp - the verbs of `reel`; each lives in the file of its name.
//
// A verb adds itself to the command line. When the user chose it, its callback puts what is to be
// done into `chosen`; main runs that, so that errors are handled in one place.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace reel::cli {

using Action = std::function<void()>;

void add_devices(CLI::App& app, Action& chosen);

}  // namespace reel::cli
