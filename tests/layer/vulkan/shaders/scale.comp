#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push { uint factor, add; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < from.length() && i < to.length()) to[i] = from[i] * factor + add;
}
