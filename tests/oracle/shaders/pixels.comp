#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D a;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D b;
layout(push_constant) uniform Push { uint s; };
void main() {
  const int i = int(gl_GlobalInvocationID.x), w = imageSize(a).x;
  const ivec2 at = ivec2(i % w, i / w);
  imageStore(b, at, imageLoad(a, at) + s + C);
}
