// What the graphics card computes for the level and what moves in it. Conditions are constants of the programs that are made of this.

export const VERTEX = `#version 300 es
uniform mat4 matrix;
uniform vec3 offset;
uniform mat3 turned;
uniform bool textured;
uniform bool moved;
uniform bool shifts;
uniform bool plain;
uniform vec4 bend;
uniform vec2 shift;
uniform float sheet;
uniform vec2 turb;
uniform vec2 stretch;
uniform float part;
uniform vec3 slope;
uniform vec3 bright;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 2) in vec2 luxel;
layout(location = 3) in vec3 texel;
layout(location = 4) in vec4 tint;
layout(location = 5) in vec4 here;
layout(location = 6) in vec4 there;
layout(location = 7) in vec4 normal;
out vec4 shown;
out vec2 at;
out vec3 on;
out vec3 spot;
void main() {
  // a model is between two of its poses, and lit by where its faces look
  vec3 own = moved ? mix(here.xyz, there.xyz, part) : position;
  vec3 place = turned * own + offset;
  gl_Position = matrix * vec4(place, 1.0);
  // the half of a tint is a picture as it is
  shown = moved ? vec4(clamp(bright * (0.76 + dot(normal.xyz, slope)), 0.0, 2.0), 1.0) : plain ? vec4(1.0) : textured ? vec4(tint.rgb * 2.0, tint.a) : color;
  at = luxel;
  on = moved ? vec3(texel.xy * stretch, 0.0) : texel;
  if (shifts) {
    on.xy = mat2(bend) * on.xy + shift;
    if (turb.x != 0.0) on.xy += turb.x * sin(6.2832 * (vec2(place.x + place.z, place.y) / 1024.0 + turb.y));
    if (sheet >= 0.0) on.z = sheet;
  }
  spot = place;
}`;
export const FRAGMENT = `#version 300 es
precision mediump float;
uniform bool limited;
uniform float ceiling;
uniform sampler2D light;
uniform bool lit;
uniform float lift;
uniform mediump sampler2DArray skin;
uniform bool textured;
uniform bool clear;
uniform bool cuts;
uniform float cut;
uniform bool sways;
uniform float sway;
uniform bool dyed;
uniform vec4 dye;
uniform bool mirror;
uniform highp vec3 eye;
uniform highp vec4 bend;
uniform highp vec2 shift;
in vec4 shown;
in highp vec2 at;
in highp vec3 on;
in highp vec3 spot;
uniform bool shining;
uniform int lamps;
uniform bool soaked;
uniform highp vec4 lampPlaces[4];
uniform vec3 lampColors[4];
out vec4 pixel;
void main() {
  vec4 color = shown;
  float alpha = 1.0;
  if (textured) {
    // liquids move to and fro by an eighth of their picture
    highp vec3 spotted = on;
    if (mirror) {
      // by the way on which the face reflects what one looks along
      highp vec3 back = normalize(eye - spot);
      highp vec3 front = normalize(cross(dFdx(spot), dFdy(spot)));
      spotted.xy = mat2(bend) * (vec2(0.5) + (front * 2.0 * dot(front, back) - back).yz * vec2(0.5, -0.5)) + shift;
    }
    vec4 found = texture(skin, !sways ? spotted : vec3(on.xy + sin(on.yx * 6.2832 + sway) * 0.06, on.z));
    if (dyed) found *= dye;
    alpha = found.a;
    color = vec4(shown.rgb * found.rgb, clear ? shown.a * alpha : shown.a);
  }
  if (limited && spot.z > ceiling) discard;
  if (cuts && alpha < cut) discard;
  vec3 own = color.rgb;
  if (lit) {
    // half of the full value is a surface's own color, as in the games; the plan shows what no light reaches, too
    vec3 bright = texture(light, at).rgb;
    color.rgb *= textured ? lift + (2.0 - lift) * bright : 0.3 + 2.3 * bright;
  }
  // what flashes and explodes lights what is near; in Quake III what is dark stays dark
  if (shining) {
    if (soaked) own = color.rgb;
    for (int lamp = 0; lamp < 4; lamp++) {
      if (lamp >= lamps) break;
      color.rgb += own * lampColors[lamp] * max(0.0, 1.0 - distance(spot, lampPlaces[lamp].xyz) / lampPlaces[lamp].w);
    }
  }
  pixel = color;
}`;
