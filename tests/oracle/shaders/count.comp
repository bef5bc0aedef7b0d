#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  atomicAdd(b[a[i] % n], C);
}
