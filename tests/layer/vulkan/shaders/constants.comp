#version 450
// Constants of every width that SPIR-V has, and a size of work groups that is one of them.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int8_t narrow = int8_t(1);
layout(constant_id = 2) const uint16_t half_word = uint16_t(2);
layout(constant_id = 3) const uint word = 3;
layout(constant_id = 4) const uint64_t wide = 4;
layout(constant_id = 5) const bool flag = false;
layout(constant_id = 6) const float real = 1.0;
layout(constant_id = 7) const double twofold = 1.0;
layout(constant_id = 8) const uint left_alone = 77;
layout(set = 0, binding = 0) writeonly buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint value = uint(int(narrow)) * 31u + uint(half_word) * 17u + word + uint(wide) + uint(wide >> 32) * 7u;
  value += flag ? 1000u : 0u;
  value += uint(real * 8.0) + uint(twofold * 16.0) + left_alone;
  to[i] = value * (i + 1u) + gl_LocalInvocationID.x;
}
