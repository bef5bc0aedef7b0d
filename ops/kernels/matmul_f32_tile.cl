// y[v] = W x[v] for up to 16 vectors a group, an item a row of W (see matmul_f32.cl).
//
// A weight is read once for eight vectors. Every sum is that of matmul_f32, in its order.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void matmul_f32_tile(
    __global const float4* weights, __global const float4* x, __global float* y, uint rows,
    uint columns, uint vectors) {
  const uint lane = get_local_id(0), row = get_global_id(0);
  uint first = get_group_id(1) * 16;
  const uint end = min(first + 16, vectors);
  const uint quads = columns / 4;
  __global const float4* panel = weights + get_group_id(0) * quads * 64 + lane;

  for (; first + 8 <= end; first += 8) {
    __global const float4* input = x + first * quads;
    float4 sum[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (uint q = 0; q < quads; ++q) {
      const float4 weight = panel[q * 64];
      for (uint v = 0; v < 8; ++v) sum[v] += weight * input[v * quads + q];
    }
    if (row < rows)
      for (uint v = 0; v < 8; ++v)
        y[(first + v) * rows + row] = (sum[v].x + sum[v].y) + (sum[v].z + sum[v].w);
  }
  for (uint v = first; v < end; ++v) {
    float4 sum = 0.0f;
    for (uint q = 0; q < quads; ++q) sum += panel[q * 64] * x[v * quads + q];
    if (row < rows) y[v * rows + row] = (sum.x + sum.y) + (sum.z + sum.w);
  }
}
