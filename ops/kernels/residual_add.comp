#version 450
// x += y.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(push_constant) uniform Values { uint size; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < size) x[i] += y[i];
}
