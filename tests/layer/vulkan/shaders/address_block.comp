#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// Addresses in a uniform block, one of them in a struct of an array.
struct Way { uint factor; Values from; };
layout(set = 0, binding = 0) uniform Block { Way ways[2]; Values to; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to.values[i] = ways[0].from.values[i] * ways[0].factor + ways[1].from.values[i] * ways[1].factor;
}
