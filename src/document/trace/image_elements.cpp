#include "document/trace/image_elements.hpp"

namespace reel {

std::optional<ElementType> element_of(const ImageShape& shape) {
  switch (shape.channel_type) {
    case ChannelType::snorm8:
    case ChannelType::int8:
      return ElementType::i8;
    case ChannelType::snorm16:
    case ChannelType::int16:
      return ElementType::i16;
    case ChannelType::unorm8:
    case ChannelType::uint8:
      return ElementType::u8;
    case ChannelType::unorm16:
    case ChannelType::uint16:
      return ElementType::u16;
    case ChannelType::int32:
      return ElementType::i32;
    case ChannelType::uint32:
      return ElementType::u32;
    case ChannelType::float16:
      return ElementType::f16;
    case ChannelType::float32:
      return ElementType::f32;
    default:
      return std::nullopt;
  }
}

}  // namespace reel
