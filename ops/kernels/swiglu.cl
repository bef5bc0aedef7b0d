// y = silu(gate) * up, where silu(g) = g / (1 + e^-g).
#pragma OPENCL FP_CONTRACT OFF
#include "exp.cl"

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void swiglu(
    __global const float* gate, __global const float* up, __global float* y, uint size) {
  const uint i = get_global_id(0);
  if (i >= size) return;
  const float sigmoid = 1.0f / (1.0f + portable_exp(-gate[i]));
  y[i] = gate[i] * sigmoid * up[i];
}
