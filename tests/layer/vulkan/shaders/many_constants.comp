#version 450
// The way of inference engines: shapes as constants, where 0 means "take it from the push block".
layout(local_size_x_id = 233, local_size_y_id = 234, local_size_z_id = 235) in;
layout(constant_id = 0) const int w = 0;
layout(constant_id = 1) const int h = 0;
layout(constant_id = 2) const int c = 0;
layout(constant_id = 3) const int stride_h = 1;
layout(constant_id = 4) const int stride_w = 1;
layout(constant_id = 5) const int pad = 0;
layout(constant_id = 6) const float leak = 0.0;
layout(constant_id = 7) const int activation = 0;
layout(constant_id = 8) const int k8 = 0;
layout(constant_id = 9) const int k9 = 0;
layout(constant_id = 10) const int k10 = 0;
layout(constant_id = 11) const int k11 = 0;
layout(constant_id = 12) const int k12 = 0;
layout(constant_id = 13) const int k13 = 0;
layout(constant_id = 14) const int k14 = 0;
layout(constant_id = 15) const int k15 = 0;
layout(constant_id = 16) const int k16 = 0;
layout(set = 0, binding = 0) readonly buffer Bottom { float bottom[]; };
layout(set = 0, binding = 1) writeonly buffer Top { float top[]; };
layout(set = 0, binding = 2) readonly buffer Weights { float weights[]; };
layout(push_constant) uniform Push { int dims[18]; };
int choose(int constant, int pushed) { return constant == 0 ? pushed : constant; }
void main() {
  const ivec3 at = ivec3(gl_GlobalInvocationID);
  const int width = choose(w, dims[0]), height = choose(h, dims[1]), channels = choose(c, dims[2]);
  if (at.x >= width || at.y >= height || at.z >= channels) return;
  const int here = (at.z * height + at.y) * width + at.x;
  const int beside = (at.z * height + at.y) * width + (at.x * stride_w + pad) % width;
  float sum = bottom[here] * weights[at.z % weights.length()] + bottom[beside] * float(k8 + k16);
  if (activation == 1) sum = sum < 0.0 ? sum * leak : sum;
  top[here] = sum + float(dims[17] + stride_h + k9 + k10 + k11 + k12 + k13 + k14 + k15);
}
