#version 450
#extension GL_EXT_buffer_reference : require
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint x[]; };
layout(push_constant) uniform Push { uint s; Numbers a; Numbers b; Numbers to; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to.x[i] = a.x[i] + b.x[i] * C;
}
