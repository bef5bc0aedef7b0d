// x += y.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void residual_add(
    __global float* x, __global const float* y, uint size) {
  const uint i = get_global_id(0);
  if (i < size) x[i] += y[i];
}
