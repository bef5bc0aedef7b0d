#version 450
// softmax(q K^T * scale) V over the slots up to the row's own, a group a head and row.
//
// Slots come in tiles of 64, an item a score; the softmax runs along (its maximum and sum are
// corrected from tile to tile), so the length is not limited by shared memory. Every item adds up
// the 64 weights by itself: less than the six barriers of a tree. Query heads share key heads.
#include "exp.glsl"
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Query { vec4 query[]; };
layout(set = 0, binding = 1) readonly buffer Keys { vec4 keys[]; };
layout(set = 0, binding = 2) readonly buffer CachedValues { float values[]; };
layout(set = 0, binding = 3) buffer Y { float y[]; };
layout(push_constant) uniform Values {
  uint heads, heads_per_key, head_size, slot_floats, position;
  float scale;
};

shared float scores[64], weights[64], result[256];  // 256: the largest head_size

void main() {
  const uint lane = gl_LocalInvocationID.x, head = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
  const uint length = position + row + 1, quads = head_size / 4;
  const uint key_offset = head / heads_per_key * head_size;
  const uint y_offset = (row * heads + head) * head_size;

  float maximum = -3.0e38;
  precise float sum = 0.0;
  for (uint d = lane; d < head_size; d += 64) result[d] = 0.0;
  for (uint first = 0; first < length; first += 64) {
    const uint count = min(64u, length - first);
    precise float score = 0.0;
    if (lane < count) {
      const uint key = ((first + lane) * slot_floats + key_offset) / 4;
      precise vec4 dots = vec4(0.0);
      for (uint i = 0; i < quads; ++i) dots += query[y_offset / 4 + i] * keys[key + i];
      score = ((dots.x + dots.y) + (dots.z + dots.w)) * scale;
    }
    scores[lane] = score;
    barrier();

    const float before = maximum;
    for (uint i = 0; i < count; ++i) maximum = scores[i] > maximum ? scores[i] : maximum;
    precise const float below = score - maximum;
    weights[lane] = lane < count ? portable_exp(below) : 0.0;
    barrier();

    precise const float step = before - maximum;
    const float correction = first == 0 ? 0.0 : portable_exp(step);
    sum *= correction;
    for (uint i = 0; i < count; ++i) sum += weights[i];
    for (uint d = lane; d < head_size; d += 64) {
      precise float mixed = result[d] * correction;
      for (uint i = 0; i < count; ++i)
        mixed += weights[i] * values[(first + i) * slot_floats + key_offset + d];
      result[d] = mixed;
    }
  }
  precise const float inverse = 1.0 / sum;
  for (uint d = lane; d < head_size; d += 64) {
    precise const float scaled = result[d] * inverse;
    y[y_offset + d] = scaled;
  }
}
