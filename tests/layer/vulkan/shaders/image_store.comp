#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D from;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D to;
layout(push_constant) uniform Push { uint salt; };
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
  if (at.x >= size.x || at.y >= size.y) return;
  const uvec4 bytes = uvec4(imageLoad(from, at) * 255.0 + 0.5);
  imageStore(to, at, uvec4((bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24) ^ salt));
}
