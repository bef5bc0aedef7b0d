// process.hpp - where the APIs of a process come together: one controller and one document, however
// many loaders load the library.
#pragma once

#include "recording/calls/api_adapter.hpp"

namespace reel::layer {

// A loader has loaded the layer of this API; once for each API. The first of them prepares for
// forks and for the end of the process, reads the settings and begins what is to begin at once.
void api_loaded(capture::ApiAdapter& api) noexcept;

}  // namespace reel::layer
