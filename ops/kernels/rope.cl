// Turns each pair (x[2i], x[2i+1]) of every head by the angle of its position, in place.
//
// The table holds (cos, sin) for [position][i], made on the host: one rounding for all devices.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void rope(
    __global float2* x, __global const float2* table, uint pairs, uint head_pairs,
    uint position) {
  const uint pair = get_global_id(0), row = get_group_id(1);
  if (pair >= pairs) return;
  const float2 turn = table[(position + row) * head_pairs + pair % head_pairs];
  const float2 v = x[row * pairs + pair];
  x[row * pairs + pair] = (float2)(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x);
}
