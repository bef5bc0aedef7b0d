#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
// Arithmetic on addresses: each leads to the neighbours of what it is of.
layout(buffer_reference, std430, buffer_reference_align = 4) buffer One { uint value; };
layout(push_constant) uniform Push { One from; One to; uint factor; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to[i].value = from[i].value * factor + i;
}
