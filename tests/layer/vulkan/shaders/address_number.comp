#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// Numbers that are made addresses: no type says so.
layout(push_constant) uniform Push { uint64_t from; uint64_t to; uint factor; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  Values(to + 256).values[i] = Values(from).values[i] * factor + i;
}
