#version 450
// y[v] = W x[v] for up to 16 vectors a group, an item a row of W (see matmul_f32.comp).
//
// A weight is read once for eight vectors. Every sum is that of matmul_f32, in its order.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Weights { vec4 weights[]; };
layout(set = 0, binding = 1) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint rows, columns, vectors; };

void store(uint vector, uint row, vec4 sum) {
  precise const float total = (sum.x + sum.y) + (sum.z + sum.w);
  if (row < rows) y[vector * rows + row] = total;
}

void main() {
  const uint row = gl_GlobalInvocationID.x;
  uint first = gl_WorkGroupID.y * 16;
  const uint end = min(first + 16, vectors);
  const uint quads = columns / 4;
  const uint panel = gl_WorkGroupID.x * quads * 64 + gl_LocalInvocationID.x;

  for (; first + 8 <= end; first += 8) {
    precise vec4 sum[8];
    for (uint v = 0; v < 8; ++v) sum[v] = vec4(0.0);
    for (uint q = 0; q < quads; ++q) {
      const vec4 weight = weights[panel + q * 64];
      for (uint v = 0; v < 8; ++v) sum[v] += weight * x[(first + v) * quads + q];
    }
    for (uint v = 0; v < 8; ++v) store(first + v, row, sum[v]);
  }
  for (uint v = first; v < end; ++v) {
    precise vec4 sum = vec4(0.0);
    for (uint q = 0; q < quads; ++q) sum += weights[panel + q * 64] * x[v * quads + q];
    store(v, row, sum);
  }
}
