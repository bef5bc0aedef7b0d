#version 450
// y = x / sqrt(mean(x^2) + epsilon) * weight, one group a row.
//
// Sums go 64 -> 8 -> 1: two barriers where a binary tree needs six.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Weight { float weight[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint size; float epsilon; };

shared float partial[64], part[8];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * size;

  precise float sum = 0.0;
  for (uint i = lane; i < size; i += 64) sum += x[row + i] * x[row + i];
  partial[lane] = sum;
  barrier();
  if (lane < 8) {
    precise float eight = 0.0;
    for (uint i = 0; i < 8; ++i) eight += partial[lane * 8 + i];
    part[lane] = eight;
  }
  barrier();
  precise float total = 0.0;
  for (uint i = 0; i < 8; ++i) total += part[i];

  precise const float mean = total * (1.0 / float(size));
  precise const float scale = 1.0 / sqrt(mean + epsilon);
  for (uint i = lane; i < size; i += 64) {
    precise const float normed = x[row + i] * scale * weight[i];
    y[row + i] = normed;
  }
}
