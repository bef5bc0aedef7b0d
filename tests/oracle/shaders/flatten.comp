#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D a;
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() {
  const int i = int(gl_GlobalInvocationID.x), w = imageSize(a).x;
  b[i] = imageLoad(a, ivec2(i % w, i / w)).x * C;
}
