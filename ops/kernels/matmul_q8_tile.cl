// y[v] = W x[v] for up to 16 vectors a group, with 8-bit weights (see matmul_q8.cl).
//
// A weight is read and converted once for eight vectors. Every sum is that of matmul_q8, in its order.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void matmul_q8_tile(
    __global const char4* weights, __global const float* scales, __global const float4* x,
    __global float* y, uint rows, uint columns, uint vectors) {
  const uint lane = get_local_id(0), row = get_global_id(0);
  uint first = get_group_id(1) * 16;
  const uint end = min(first + 16, vectors);
  const uint blocks = columns / 32;
  __global const char4* panel = weights + get_group_id(0) * blocks * 8 * 64 + lane;
  __global const float* scale = scales + get_group_id(0) * blocks * 64 + lane;

  for (; first + 8 <= end; first += 8) {
    __global const float4* input = x + first * blocks * 8;
    float4 sum[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (uint b = 0; b < blocks; ++b) {
      float4 block[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
      for (uint q = b * 8; q < b * 8 + 8; ++q) {
        const float4 weight = convert_float4(panel[q * 64]);
        for (uint v = 0; v < 8; ++v) block[v] += weight * input[v * blocks * 8 + q];
      }
      for (uint v = 0; v < 8; ++v) sum[v] += block[v] * scale[b * 64];
    }
    if (row < rows)
      for (uint v = 0; v < 8; ++v)
        y[(first + v) * rows + row] = (sum[v].x + sum[v].y) + (sum[v].z + sum[v].w);
  }
  for (uint v = first; v < end; ++v) {
    float4 sum = 0.0f;
    for (uint b = 0; b < blocks; ++b) {
      float4 block = 0.0f;
      for (uint q = b * 8; q < b * 8 + 8; ++q)
        block += convert_float4(panel[q * 64]) * x[v * blocks * 8 + q];
      sum += block * scale[b * 64];
    }
    if (row < rows) y[v * rows + row] = (sum.x + sum.y) + (sum.z + sum.w);
  }
}
