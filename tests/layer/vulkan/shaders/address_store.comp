#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// Leaves an address in memory.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Table { Values from; Values to; };
layout(push_constant) uniform Push { Table table; Values to; };
void main() {
  if (gl_GlobalInvocationID.x == 0) table.to = to;
}
