#version 450
// y[v] = W x[v] with 8-bit weights and a scale for each 32 columns of a row.
//
// A word holds four columns of a lane's row, lowest byte first; the order is that of matmul_f32.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Weights { int weights[]; };
layout(set = 0, binding = 1) readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 2) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 3) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint rows, columns; };

vec4 four_columns(int word) {
  return vec4(ivec4(word << 24, word << 16, word << 8, word) >> 24);
}

void main() {
  const uint row = gl_GlobalInvocationID.x, vector = gl_WorkGroupID.y;
  const uint blocks = columns / 32;
  const uint panel = gl_WorkGroupID.x * blocks * 8 * 64 + gl_LocalInvocationID.x;
  const uint scale = gl_WorkGroupID.x * blocks * 64 + gl_LocalInvocationID.x;

  precise vec4 sum = vec4(0.0);
  for (uint b = 0; b < blocks; ++b) {
    precise vec4 block = vec4(0.0);
    for (uint q = 0; q < 8; ++q)
      block += four_columns(weights[panel + (b * 8 + q) * 64]) * x[(vector * blocks + b) * 8 + q];
    sum += block * scales[scale + b * 64];
  }
  precise const float total = (sum.x + sum.y) + (sum.z + sum.w);
  if (row < rows) y[vector * rows + row] = total;
}
