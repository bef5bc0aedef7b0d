#include "document/trace/image_elements.hpp"

namespace reel {

std::optional<ElementType> element_of(const ImageShape& shape) {
  switch (shape.channel_type) {  // the numbers of CL/cl.h
    case 0x10D0:                 // snorm
    case 0x10D7:
      return ElementType::i8;
    case 0x10D1:
    case 0x10D8:
      return ElementType::i16;
    case 0x10D2:  // unorm
    case 0x10DA:
      return ElementType::u8;
    case 0x10D3:
    case 0x10DB:
      return ElementType::u16;
    case 0x10D9:
      return ElementType::i32;
    case 0x10DC:
      return ElementType::u32;
    case 0x10DD:
      return ElementType::f16;
    case 0x10DE:
      return ElementType::f32;
    default:
      return std::nullopt;
  }
}

}  // namespace reel
