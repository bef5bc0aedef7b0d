#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
// An array of addresses in a storage block; some of them lead nowhere.
layout(set = 0, binding = 0) readonly buffer Parts { uint count; Values parts[4]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = i;
  for (uint k = 0; k < count; ++k)
    if (uint64_t(parts[k]) != 0) sum = sum * 31 + parts[k].values[i];
  to[i] = sum;
}
