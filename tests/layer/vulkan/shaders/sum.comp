#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) writeonly buffer C { uint c[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < c.length()) c[i] = a[i] + 3 * b[i];
}
