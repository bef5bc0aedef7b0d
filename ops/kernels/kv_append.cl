// Puts the key and the value of each row into its slot of the caches.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void kv_append(
    __global const float* key, __global const float* value, __global float* keys,
    __global float* values, uint size, uint slot_floats, uint slot) {
  const uint i = get_global_id(0), row = get_group_id(1);
  if (i >= size) return;
  keys[(slot + row) * slot_floats + i] = key[row * size + i];
  values[(slot + row) * slot_floats + i] = value[row * size + i];
}
