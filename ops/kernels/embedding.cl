// y[row] = table[tokens[position + row]]. A token past the vocabulary gives NaN, not a wild read.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void embedding(
    __global const float* table, __global const uint* tokens, __global float* y, uint size,
    uint vocabulary, uint position) {
  const uint i = get_global_id(0), row = get_group_id(1);
  if (i >= size) return;
  const uint token = tokens[position + row];
  y[row * size + i] = token < vocabulary ? table[token * size + i] : NAN;
}
