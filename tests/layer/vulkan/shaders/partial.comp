#version 450
// Writes a third of what it is given: the rest must stay as it was.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push { uint add; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i % 3 == 0 && i < to.length()) to[i] = i * 11 + add;
}
