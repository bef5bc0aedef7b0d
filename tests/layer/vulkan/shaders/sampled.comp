#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D joined;
layout(set = 0, binding = 1) uniform texture2D plain;
layout(set = 0, binding = 2) uniform sampler near;
layout(set = 0, binding = 3) buffer To { uint to[]; };
layout(push_constant) uniform Push { uint width, height; };
uint packed(vec4 value) {
  const uvec4 bytes = uvec4(value * 255.0 + 0.5);
  return bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
}
void main() {
  const uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= width || at.y >= height) return;
  // Outside of the image on some sides, so that the kind of sampler matters.
  const vec2 place = (vec2(at) + 0.5) / vec2(width, height) * 1.5 - 0.25;
  to[at.y * width + at.x] =
      packed(textureLod(joined, place, 0.0)) * 3 + packed(textureLod(sampler2D(plain, near), place, 0.0));
}
