// y[v] = W x[v] with 8-bit weights and a scale for each 32 columns of a row.
//
// A word holds four columns of a lane's row, lowest byte first; the order is that of matmul_f32.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void matmul_q8(
    __global const char4* weights, __global const float* scales, __global const float4* x,
    __global float* y, uint rows, uint columns) {
  const uint lane = get_local_id(0), row = get_global_id(0), vector = get_group_id(1);
  const uint blocks = columns / 32;
  __global const char4* panel = weights + get_group_id(0) * blocks * 8 * 64 + lane;
  __global const float* scale = scales + get_group_id(0) * blocks * 64 + lane;
  __global const float4* input = x + vector * blocks * 8;

  float4 sum = 0.0f;
  for (uint b = 0; b < blocks; ++b) {
    float4 block = 0.0f;
    for (uint q = 0; q < 8; ++q)
      block += convert_float4(panel[(b * 8 + q) * 64]) * input[b * 8 + q];
    sum += block * scale[b * 64];
  }
  if (row < rows) y[vector * rows + row] = (sum.x + sum.y) + (sum.z + sum.w);
}
