#version 450
// Makes the sizes of dispatches that follow.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Sizes { uvec4 sizes[]; };
void main() {
  sizes[0] = uvec4(3, 1, 1, 0);
  sizes[1] = uvec4(2, 2, 1, 0);
  sizes[2] = uvec4(0, 1, 1, 0);
}
