#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2DArray pyramid;
layout(set = 0, binding = 1) buffer To { uint to[]; };
layout(push_constant) uniform Push { uint width, level; };
void main() {
  const uvec3 at = gl_GlobalInvocationID;
  const ivec3 size = textureSize(pyramid, int(level));
  if (at.x >= size.x || at.y >= size.y || at.z >= size.z) return;
  const uvec4 bytes = uvec4(texelFetch(pyramid, ivec3(at), int(level)) * 255.0 + 0.5);
  const uint place = (at.z * width + at.y) * width + at.x;
  to[place] = to[place] * 3 + (bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24);
}
