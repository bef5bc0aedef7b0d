#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) writeonly buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to[i] = a[i] + b[i] * C;
}
