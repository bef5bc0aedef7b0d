// exp.cl - e to the x, made of additions and multiplications only.
//
// Drivers round their own exp() differently; these steps, the same in exp.glsl and host/exp.hpp,
// give the same bits everywhere. x = n ln 2 + r; the series of e^r to r^7 is off by 5e-9.
// Clamped to [-87, 88], where the result is a normal float. NaN stays NaN.
float portable_exp(float x) {
  const float clamped = x < -87.0f ? -87.0f : (x > 88.0f ? 88.0f : x);
  const int n = (int)(clamped * 1.44269504f + 128.5f) - 128;  // nearest; truncation is exact here
  const float whole = (float)n;
  const float r = (clamped - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float series = 1.0f / 5040.0f;
  series = series * r + 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  return series * as_float((n + 127) << 23);
}
