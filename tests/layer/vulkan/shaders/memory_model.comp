#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(set = 0, binding = 1) buffer Total { uint total; };
shared uint part;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0) part = 0;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  atomicAdd(part, values[i], gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  values[i] = values[i] * 3 + part;
  if (gl_LocalInvocationIndex == 0)
    atomicAdd(total, part, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
