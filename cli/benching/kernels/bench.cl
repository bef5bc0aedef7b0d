// What `reel bench` runs on OpenCL devices; bench_kernels.cpp has the same for the host.
kernel void bench_empty(global float* y) {
  if (get_global_id(0) == 0) y[0] = 1.0f;
}

// Eight chains of four numbers that don't wait for each other: 64 operations a round.
kernel void bench_fma(global float* y, uint rounds) {
  const float start = (float)(get_global_id(0) & 7u);
  float4 a = start, b = start + 1.0f, c = start + 2.0f, d = start + 3.0f;
  float4 e = start + 4.0f, f = start + 5.0f, g = start + 6.0f, h = start + 7.0f;
  for (uint i = 0; i < rounds; ++i) {
    a = mad(a, 0.5f, 1.0f);
    b = mad(b, 0.5f, 1.0f);
    c = mad(c, 0.5f, 1.0f);
    d = mad(d, 0.5f, 1.0f);
    e = mad(e, 0.5f, 1.0f);
    f = mad(f, 0.5f, 1.0f);
    g = mad(g, 0.5f, 1.0f);
    h = mad(h, 0.5f, 1.0f);
  }
  const float4 sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
  y[get_global_id(0)] = (sum.x + sum.y) + (sum.z + sum.w);
}

kernel void bench_triad(global const float4* x, global const float4* y, global float4* z) {
  const size_t i = get_global_id(0);
  z[i] = x[i] * 2.0f + y[i];
}

// n x n, an item an element: what one would write first.
kernel void bench_matmul(global const float* x, global const float* y, global float* z, uint n) {
  const uint row = get_global_id(1), column = get_global_id(0);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum += x[row * n + k] * y[k * n + column];
  z[row * n + column] = sum;
}
