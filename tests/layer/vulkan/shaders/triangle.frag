#version 450
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { vec4 tint; };
void main() { color = vec4(floor(gl_FragCoord.xy) / 64.0, 0.25, 1) * tint; }
