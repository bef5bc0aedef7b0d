#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 1) readonly buffer Y { vec4 y[]; };
layout(set = 0, binding = 2) buffer Z { vec4 z[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  z[i] = x[i] * 2.0 + y[i];
}
