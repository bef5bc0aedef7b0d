// y = x / sqrt(mean(x^2) + epsilon) * weight, one group a row.
//
// Sums go 64 -> 8 -> 1: two barriers where a binary tree needs six.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void rms_norm(
    __global const float* x, __global const float* weight, __global float* y, uint size,
    float epsilon) {
  __local float partial[64], part[8];
  const uint lane = get_local_id(0), row = get_group_id(0) * size;

  float sum = 0.0f;
  for (uint i = lane; i < size; i += 64) sum += x[row + i] * x[row + i];
  partial[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 8) {
    float eight = 0.0f;
    for (uint i = 0; i < 8; ++i) eight += partial[lane * 8 + i];
    part[lane] = eight;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float total = 0.0f;
  for (uint i = 0; i < 8; ++i) total += part[i];

  const float scale = 1.0f / sqrt(total * (1.0f / (float)size) + epsilon);
  for (uint i = lane; i < size; i += 64) y[row + i] = x[row + i] * scale * weight[i];
}
