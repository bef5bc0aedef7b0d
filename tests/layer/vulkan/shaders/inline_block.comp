#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform Block { uvec4 numbers[2]; };
layout(set = 0, binding = 1) buffer Values { uint values[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  values[i] = values[i] * numbers[0][i % 4] + numbers[1][i % 4];
}
