#version 450
// Memory by its address: one in the push block, and one that is stored in memory.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table { Values from; Values to; };
layout(push_constant) uniform Push { Table table; uint factor; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  table.to.values[i] = table.from.values[i] * factor + i;
}
