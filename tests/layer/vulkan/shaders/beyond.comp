#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to[i] = from[4 * i] + 1;  // most of these are past the end
}
