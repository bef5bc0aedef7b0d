#version 450
// Puts the key and the value of each row into its slot of the caches.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Key { float key[]; };
layout(set = 0, binding = 1) readonly buffer Value { float value[]; };
layout(set = 0, binding = 2) buffer Keys { float keys[]; };
layout(set = 0, binding = 3) buffer CachedValues { float values[]; };
layout(push_constant) uniform Values { uint size, slot_floats, slot; };

void main() {
  const uint i = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (i >= size) return;
  keys[(slot + row) * slot_floats + i] = key[row * size + i];
  values[(slot + row) * slot_floats + i] = value[row * size + i];
}
