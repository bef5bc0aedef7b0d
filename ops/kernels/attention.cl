// softmax(q K^T * scale) V over the slots up to the row's own, a group a head and row.
//
// Slots come in tiles of 64, an item a score; the softmax runs along (its maximum and sum are
// corrected from tile to tile), so the length is not limited by shared memory. Every item adds up
// the 64 weights by itself: less than the six barriers of a tree. Query heads share key heads.
#pragma OPENCL FP_CONTRACT OFF
#include "exp.cl"

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void attention(
    __global const float4* query, __global const float4* keys, __global const float* values,
    __global float* y, uint heads, uint heads_per_key, uint head_size, uint slot_floats,
    uint position, float scale) {
  __local float scores[64], weights[64], result[256];  // 256: the largest head_size
  const uint lane = get_local_id(0), head = get_group_id(0), row = get_group_id(1);
  const uint length = position + row + 1, quads = head_size / 4;
  const uint key_offset = head / heads_per_key * head_size;
  const uint y_offset = (row * heads + head) * head_size;
  __global const float4* q = query + y_offset / 4;

  float maximum = -3.0e38f, sum = 0.0f;
  for (uint d = lane; d < head_size; d += 64) result[d] = 0.0f;
  for (uint first = 0; first < length; first += 64) {
    const uint count = min(64u, length - first);
    float score = 0.0f;
    if (lane < count) {
      __global const float4* k = keys + ((first + lane) * slot_floats + key_offset) / 4;
      float4 dots = 0.0f;
      for (uint i = 0; i < quads; ++i) dots += q[i] * k[i];
      score = ((dots.x + dots.y) + (dots.z + dots.w)) * scale;
    }
    scores[lane] = score;
    barrier(CLK_LOCAL_MEM_FENCE);

    const float before = maximum;
    for (uint i = 0; i < count; ++i) maximum = scores[i] > maximum ? scores[i] : maximum;
    weights[lane] = lane < count ? portable_exp(score - maximum) : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    const float correction = first == 0 ? 0.0f : portable_exp(before - maximum);
    sum *= correction;
    for (uint i = 0; i < count; ++i) sum += weights[i];
    for (uint d = lane; d < head_size; d += 64) {
      float mixed = result[d] * correction;
      for (uint i = 0; i < count; ++i)
        mixed += weights[i] * values[(first + i) * slot_floats + key_offset + d];
      result[d] = mixed;
    }
  }
  const float inverse = 1.0f / sum;
  for (uint d = lane; d < head_size; d += 64) y[y_offset + d] = result[d] * inverse;
}
