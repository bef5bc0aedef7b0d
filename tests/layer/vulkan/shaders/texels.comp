#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform usamplerBuffer from;
layout(set = 0, binding = 1, r32ui) uniform uimageBuffer to;
void main() {
  const int i = int(gl_GlobalInvocationID.x);
  imageStore(to, i, imageLoad(to, i) + texelFetch(from, i) * 7);
}
