#version 450
// y[v] = W x[v] for up to 16 vectors a group, with 8-bit weights (see matmul_q8.comp).
//
// A weight is read and converted once for eight vectors. Every sum is that of matmul_q8, in its order.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Weights { int weights[]; };
layout(set = 0, binding = 1) readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 2) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 3) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint rows, columns, vectors; };

vec4 four_columns(int word) {
  return vec4(ivec4(word << 24, word << 16, word << 8, word) >> 24);
}

void store(uint vector, uint row, vec4 sum) {
  precise const float total = (sum.x + sum.y) + (sum.z + sum.w);
  if (row < rows) y[vector * rows + row] = total;
}

void main() {
  const uint row = gl_GlobalInvocationID.x;
  uint first = gl_WorkGroupID.y * 16;
  const uint end = min(first + 16, vectors);
  const uint blocks = columns / 32;
  const uint panel = gl_WorkGroupID.x * blocks * 8 * 64 + gl_LocalInvocationID.x;
  const uint scale = gl_WorkGroupID.x * blocks * 64 + gl_LocalInvocationID.x;

  for (; first + 8 <= end; first += 8) {
    precise vec4 sum[8];
    for (uint v = 0; v < 8; ++v) sum[v] = vec4(0.0);
    for (uint b = 0; b < blocks; ++b) {
      precise vec4 block[8];
      for (uint v = 0; v < 8; ++v) block[v] = vec4(0.0);
      for (uint q = b * 8; q < b * 8 + 8; ++q) {
        const vec4 weight = four_columns(weights[panel + q * 64]);
        for (uint v = 0; v < 8; ++v) block[v] += weight * x[(first + v) * blocks * 8 + q];
      }
      for (uint v = 0; v < 8; ++v) sum[v] += block[v] * scales[scale + b * 64];
    }
    for (uint v = 0; v < 8; ++v) store(first + v, row, sum[v]);
  }
  for (uint v = first; v < end; ++v) {
    precise vec4 sum = vec4(0.0);
    for (uint b = 0; b < blocks; ++b) {
      precise vec4 block = vec4(0.0);
      for (uint q = b * 8; q < b * 8 + 8; ++q)
        block += four_columns(weights[panel + q * 64]) * x[v * blocks * 8 + q];
      sum += block * scales[scale + b * 64];
    }
    store(v, row, sum);
  }
}
