#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) buffer Z { float z[]; };
layout(push_constant) uniform Values { uint n; };
void main() {
  const uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint k = 0; k < n; ++k) sum += x[row * n + k] * y[k * n + column];
  z[row * n + column] = sum;
}
