#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage3D volume;
layout(set = 0, binding = 1, r32ui) uniform uimage2DArray layers;
void main() {
  const ivec3 at = ivec3(gl_GlobalInvocationID);
  imageStore(layers, at, imageLoad(layers, at) * 3 + imageLoad(volume, at));
}
