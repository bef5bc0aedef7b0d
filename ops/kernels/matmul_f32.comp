#version 450
// y[v] = W x[v], an item a row of W, 64 rows a panel (see ../matrix.hpp for the layout).
//
// A lane reads four columns at once and its neighbours the next 16 bytes, so a group streams
// through memory in order. Four running sums a row, added up as (0+1) + (2+3).
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Weights { vec4 weights[]; };
layout(set = 0, binding = 1) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint rows, columns; };

void main() {
  const uint row = gl_GlobalInvocationID.x, vector = gl_WorkGroupID.y;
  const uint quads = columns / 4;
  const uint panel = gl_WorkGroupID.x * quads * 64 + gl_LocalInvocationID.x;

  precise vec4 sum = vec4(0.0);
  for (uint q = 0; q < quads; ++q) sum += weights[panel + q * 64] * x[vector * quads + q];
  precise const float total = (sum.x + sum.y) + (sum.z + sum.w);
  if (row < rows) y[vector * rows + row] = total;
}
