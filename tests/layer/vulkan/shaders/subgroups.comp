#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uvec4 odd = subgroupBallot((from[i] & 1) == 1);
  to[i] = subgroupBallotBitCount(odd) * 1000 + gl_SubgroupSize * 10 + (subgroupAny(from[i] > 0x80000000u) ? 1 : 0);
}
