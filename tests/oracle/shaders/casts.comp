#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
// Nothing says which of them is only read, but what it does.
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
uint mixed(uint x) { return x ^ C; }
void main() {
  const uint i = gl_GlobalInvocationID.x;
  b[i] = mixed(a[i]);
}
