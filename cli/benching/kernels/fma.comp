#version 450
// As bench_fma of bench.cl.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint rounds; };
void main() {
  const float start = float(gl_GlobalInvocationID.x & 7u);
  vec4 a = vec4(start), b = vec4(start + 1.0), c = vec4(start + 2.0), d = vec4(start + 3.0);
  vec4 e = vec4(start + 4.0), f = vec4(start + 5.0), g = vec4(start + 6.0), h = vec4(start + 7.0);
  const vec4 half4 = vec4(0.5), one = vec4(1.0);
  for (uint i = 0; i < rounds; ++i) {
    a = fma(a, half4, one);
    b = fma(b, half4, one);
    c = fma(c, half4, one);
    d = fma(d, half4, one);
    e = fma(e, half4, one);
    f = fma(f, half4, one);
    g = fma(g, half4, one);
    h = fma(h, half4, one);
  }
  const vec4 sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
  y[gl_GlobalInvocationID.x] = (sum.x + sum.y) + (sum.z + sum.w);
}
