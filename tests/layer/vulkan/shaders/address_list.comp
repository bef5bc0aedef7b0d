#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// A list: memory found by an address has the next one.
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint factor; uint sum; Values values; };
layout(push_constant) uniform Push { Node first; Values to; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = i;
  for (Node at = first; uint64_t(at) != 0; at = at.next) {
    sum += at.values.values[i] * at.factor;
    if (i == 0) at.sum = sum;
  }
  to.values[i] = sum;
}
