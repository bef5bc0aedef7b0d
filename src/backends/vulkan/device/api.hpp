// api.hpp - the Vulkan declarations, with every function a pointer that is loaded at run time.
#pragma once

#include <volk.h>  // IWYU pragma: export
