#version 450
// Where a dispatch of three dimensions is, as its own invocations see it.
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint width, height; };
void main() {
  const uvec3 at = gl_GlobalInvocationID;
  const uint i = (at.z * height + at.y) * width + at.x;
  values[i] += 1 + i * 3 + gl_WorkGroupID.x * 1000 + gl_WorkGroupID.y * 100000 + gl_WorkGroupID.z * 10000000 +
               gl_NumWorkGroups.x;
}
