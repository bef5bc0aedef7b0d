#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { float y[]; };
void main() {
  if (gl_GlobalInvocationID.x == 0) y[0] = 1.0;
}
