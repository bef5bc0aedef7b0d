#version 450
// y = silu(gate) * up, where silu(g) = g / (1 + e^-g).
#include "exp.glsl"
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Gate { float gate[]; };
layout(set = 0, binding = 1) readonly buffer Up { float up[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint size; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= size) return;
  precise const float sigmoid = 1.0 / (1.0 + portable_exp(-gate[i]));
  precise const float result = gate[i] * sigmoid * up[i];
  y[i] = result;
}
