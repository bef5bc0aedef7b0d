// image_elements.hpp - the numbers that an image's channels are.
#pragma once

#include <optional>

#include "reel/elements.hpp"
#include "reel/image.hpp"

namespace reel {

// None where several channels share one number.
std::optional<ElementType> element_of(const ImageShape& shape);

}  // namespace reel
