#version 450
// tokens[position] = where x is largest; the first of equals. One group; 64 -> 8 -> 1.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Tokens { uint tokens[]; };
layout(push_constant) uniform Values { uint size, position; };

shared float values[64];
shared uint places[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;

  float best = uintBitsToFloat(0xff800000u);  // -infinity
  uint place = lane < size ? lane : 0;
  for (uint i = lane; i < size; i += 64)
    if (x[i] > best) {
      best = x[i];
      place = i;
    }
  values[lane] = best;
  places[lane] = place;
  for (uint width = 8; width > 0; width /= 8) {
    barrier();
    if (lane < width) {
      best = values[lane];
      place = places[lane];
      for (uint i = lane + width; i < width * 8; i += width)
        if (values[i] > best || (values[i] == best && places[i] < place)) {
          best = values[i];
          place = places[i];
        }
      values[lane] = best;
      places[lane] = place;
    }
  }
  if (lane == 0) tokens[position] = place;
}
