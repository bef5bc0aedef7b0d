#version 450
layout(constant_id = 0) const uint C = 1;
layout(local_size_x_id = 1) in;
layout(set = 0, binding = 0) uniform usamplerBuffer a;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimageBuffer b;
layout(push_constant) uniform Push { uint s; };
void main() {
  const int i = int(gl_GlobalInvocationID.x);
  imageStore(b, i, uvec4(texelFetch(a, i).x * C + s));
}
