// tokens[position] = where x is largest; the first of equals. One group; 64 -> 8 -> 1.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void argmax(
    __global const float* x, __global uint* tokens, uint size, uint position) {
  __local float values[64];
  __local uint places[64];
  const uint lane = get_local_id(0);

  float best = -INFINITY;
  uint place = lane < size ? lane : 0;
  for (uint i = lane; i < size; i += 64)
    if (x[i] > best) {
      best = x[i];
      place = i;
    }
  values[lane] = best;
  places[lane] = place;
  for (uint width = 8; width > 0; width /= 8) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) {
      best = values[lane];
      place = places[lane];
      for (uint i = lane + width; i < width * 8; i += width)
        if (values[i] > best || (values[i] == best && places[i] < place)) {
          best = values[i];
          place = places[i];
        }
      values[lane] = best;
      places[lane] = place;
    }
  }
  if (lane == 0) tokens[position] = place;
}
