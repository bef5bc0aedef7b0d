#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D from;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D to;
layout(push_constant) uniform Push { uint salt; };
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
  if (at.x >= size.x || at.y >= size.y) return;
  const vec4 one = imageLoad(from, 2 * at), other = imageLoad(from, 2 * at + ivec2(1, 0));
  imageStore(to, at, vec4(one.xy, other.zw) + float(salt) / 255.0);
}
