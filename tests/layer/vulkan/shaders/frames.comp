#version 450
// The way of video filters: planes as arrays of images.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D planes_in[3];
layout(set = 0, binding = 1, r8) uniform writeonly image2D planes_out[3];
layout(push_constant) uniform Push { vec2 shift; };

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
#define PLANE(i)                                                                                  \
  if (all(lessThan(at, imageSize(planes_out[i]))))                                                \
    imageStore(planes_out[i], at, texelFetch(planes_in[i], (at + ivec2(shift)) % textureSize(planes_in[i], 0), 0));
  PLANE(0)
  PLANE(1)
  PLANE(2)
}
