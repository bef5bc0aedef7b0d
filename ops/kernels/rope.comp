#version 450
// Turns each pair (x[2i], x[2i+1]) of every head by the angle of its position, in place.
//
// The table holds (cos, sin) for [position][i], made on the host: one rounding for all devices.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { vec2 x[]; };
layout(set = 0, binding = 1) readonly buffer Table { vec2 table[]; };
layout(push_constant) uniform Values { uint pairs, head_pairs, position; };

void main() {
  const uint pair = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (pair >= pairs) return;
  const vec2 turn = table[(position + row) * head_pairs + pair % head_pairs];
  const vec2 v = x[row * pairs + pair];
  precise const vec2 turned = vec2(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x);
  x[row * pairs + pair] = turned;
}
