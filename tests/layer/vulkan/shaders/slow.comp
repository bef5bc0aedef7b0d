#version 450
// Takes long enough for others to come too early.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint rounds, add; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint x = values[i];
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + add;
  values[i] = x;
}
