#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform Push { uint s; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint x = a[i];
  for (uint k = 0; k < 30000; ++k) x = x * C + s;
  a[i] = x;
}
