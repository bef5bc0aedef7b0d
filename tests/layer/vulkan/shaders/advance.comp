#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint factor, add; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) values[i] = values[i] * factor + (add ^ i);
}
