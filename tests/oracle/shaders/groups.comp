#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
shared uint tile[32];
void main() {
  const uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, n = gl_WorkGroupSize.x;
  tile[l] = a[i];
  barrier();
  a[i] = tile[n - 1 - l] + C;
}
