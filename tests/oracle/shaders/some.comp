#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) writeonly buffer A { uint a[]; };
layout(push_constant) uniform Push { uint s; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i % 3 == 0) a[i] = s * C + i;
}
