// exp.glsl - e to the x, made of additions and multiplications only: see exp.cl.
float portable_exp(float x) {
  precise const float clamped = x < -87.0 ? -87.0 : (x > 88.0 ? 88.0 : x);
  precise const float scaled = clamped * 1.44269504 + 128.5;
  const int n = int(scaled) - 128;  // nearest; truncation is exact here
  const float whole = float(n);
  precise const float r = (clamped - whole * 0.693359375) + whole * 2.12194440e-4;
  precise float series = 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  precise const float result = series * intBitsToFloat((n + 127) << 23);
  return result;
}
