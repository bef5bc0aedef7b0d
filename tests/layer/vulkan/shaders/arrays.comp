#version 450
// Arrays of descriptors, of which one is never used.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; } inputs[4];
layout(set = 0, binding = 3) buffer To { uint to[]; } outputs[2];
layout(set = 0, binding = 5) uniform Weight { uvec4 weight; } weights[3];
void main() {
  const uint i = gl_GlobalInvocationID.x;
  outputs[0].to[i] = inputs[0].from[i] * weights[0].weight.x + inputs[3].from[i] * weights[2].weight.y;
  outputs[1].to[i] += inputs[1].from[i];
}
