#version 450
// y[row] = table[tokens[position + row]]. A token past the vocabulary gives NaN, not a wild read.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Table { float table[]; };
layout(set = 0, binding = 1) readonly buffer Tokens { uint tokens[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint size, vocabulary, position; };

void main() {
  const uint i = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (i >= size) return;
  const uint token = tokens[position + row];
  y[row * size + i] = token < vocabulary ? table[token * size + i] : uintBitsToFloat(0x7fc00000u);
}
