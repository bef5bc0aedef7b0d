#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D pixels;
layout(push_constant) uniform Push { uint salt; };
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(pixels);
  if (at.x >= size.x || at.y >= size.y) return;
  imageStore(pixels, at, imageLoad(pixels, at) * 5 + salt + at.x + at.y * size.x);
}
