#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// Two addresses in the push block, perhaps of the middle of a buffer.
layout(push_constant) uniform Push { Values from; Values to; uint factor; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to.values[i] = from.values[i] * factor + i;
}
