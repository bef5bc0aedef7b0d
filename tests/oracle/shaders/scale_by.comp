#version 450
#extension GL_EXT_buffer_reference : require
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint x[]; };
// The addresses lie in memory, one behind another.
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Target { Numbers to; };
layout(set = 0, binding = 0) readonly buffer Table { Numbers a; Target b; };
layout(push_constant) uniform Push { uint s; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  b.to.x[i] = a.x[i] * C + s;
}
