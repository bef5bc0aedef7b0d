#version 450
// Which buffer of an array it uses, only its push block says.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; } all[8];
layout(push_constant) uniform Push { uint from, to, add; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  all[to].values[i] = all[from].values[i] * 5 + add;
}
