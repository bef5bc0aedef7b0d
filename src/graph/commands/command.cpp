#include "reel/command.hpp"

#include <array>

#include "reel/graph.hpp"

namespace reel {

const char* to_string(Access access) noexcept {
  switch (access) {
    case Access::read:
      return "in";
    case Access::write:
      return "out";
    case Access::read_write:
      return "inout";
  }
  return "unknown";
}

const char* to_string(ArgumentKind kind) noexcept {
  switch (kind) {
    case ArgumentKind::buffer:
      return "buffer";
    case ArgumentKind::value:
      return "value";
    case ArgumentKind::shared:
      return "shared";
    case ArgumentKind::indirect:
      return "indirect";
    case ArgumentKind::sampler:
      return "sampler";
    case ArgumentKind::null:
      return "null";
    case ArgumentKind::opaque:
      return "opaque";
    case ArgumentKind::image:
      return "image";
    case ArgumentKind::run_if:
      return "run_if";
    case ArgumentKind::run_unless:
      return "run_unless";
  }
  return "unknown";
}

const char* to_string(DescriptorKind kind) noexcept {
  switch (kind) {
    case DescriptorKind::none:
      return "";
    case DescriptorKind::storage_buffer:
      return "storage buffer";
    case DescriptorKind::uniform_buffer:
      return "uniform buffer";
    case DescriptorKind::storage_image:
      return "storage image";
    case DescriptorKind::sampled_image:
      return "sampled image";
    case DescriptorKind::sampler:
      return "sampler";
    case DescriptorKind::combined_image_sampler:
      return "combined image sampler";
    case DescriptorKind::storage_texel_buffer:
      return "storage texel buffer";
    case DescriptorKind::uniform_texel_buffer:
      return "uniform texel buffer";
    case DescriptorKind::push_constants:
      return "push constants";
    case DescriptorKind::other:
      break;
  }
  return "other";
}

const char* to_string(EdgeKind kind) noexcept {
  switch (kind) {
    case EdgeKind::asked:
      return "asked";
    case EdgeKind::stream:
      return "stream";
    case EdgeKind::hazard:
      return "hazard";
  }
  return "unknown";
}

const char* kind_name(const Work& work) noexcept {
  static constexpr std::array names{"dispatch", "copy",      "fill",   "write",
                                    "read",     "host_call", "barrier"};
  static_assert(names.size() == std::variant_size_v<Work>);
  return names[work.index()];
}

}  // namespace reel
