#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint by; };
void main() { values[gl_GlobalInvocationID.x] += by; }
