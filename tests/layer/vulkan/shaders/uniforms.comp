#version 450
layout(local_size_x = 32) in;
struct Line { uvec4 weights; uint add; };
layout(std140, set = 0, binding = 0) uniform Settings { uvec4 scale; Line lines[3]; };
layout(std430, set = 1, binding = 2) readonly buffer From { uint from[]; };
layout(std430, set = 2, binding = 1) buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= from.length() || i >= to.length()) return;
  to[i] = to[i] * scale[i % 4] + from[i] * lines[i % 3].weights[i % 4] + lines[i % 3].add;
}
