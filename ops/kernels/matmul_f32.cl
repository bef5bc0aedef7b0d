// y[v] = W x[v], an item a row of W, 64 rows a panel (see ../matrix.hpp for the layout).
//
// A lane reads four columns at once and its neighbours the next 16 bytes, so a group streams
// through memory in order. Four running sums a row, added up as (0+1) + (2+3).
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void matmul_f32(
    __global const float4* weights, __global const float4* x, __global float* y, uint rows,
    uint columns) {
  const uint lane = get_local_id(0), row = get_global_id(0), vector = get_group_id(1);
  const uint quads = columns / 4;
  __global const float4* panel = weights + get_group_id(0) * quads * 64 + lane;
  __global const float4* input = x + vector * quads;

  float4 sum = 0.0f;
  for (uint q = 0; q < quads; ++q) sum += panel[q * 64] * input[q];
  if (row < rows) y[vector * rows + row] = (sum.x + sum.y) + (sum.z + sum.w);
}
