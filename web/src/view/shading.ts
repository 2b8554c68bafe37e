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
uniform bool shaded;
uniform vec3 directed;
uniform bool lacking;
uniform bool veiled;
uniform vec3 eye;
uniform bool swells;
uniform vec3 drift;
uniform vec4 swell;
uniform vec4 spread;
uniform float grain;
uniform bool facing;
uniform bool turning;
uniform vec3 aside;
uniform vec3 upward;
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
out vec3 curved;
float waveAt(float turn) {
  float part = fract(turn);
  if (swell.w == 1.0) return part < 0.5 ? 1.0 : -1.0;
  if (swell.w == 2.0) return part < 0.25 ? part * 4.0 : part < 0.75 ? 2.0 - part * 4.0 : part * 4.0 - 4.0;
  if (swell.w == 3.0) return part;
  if (swell.w == 4.0) return 1.0 - part;
  return sin(part * 6.2832);
}
void main() {
  // a model is between two of its poses, and lit by where its faces look
  vec3 own = moved ? mix(here.xyz, there.xyz, part) : position;
  if (facing) own = here.xyz + aside * here.w + upward * there.w;
  if (turning) own = here.xyz + normalize(cross(there.xyz, here.xyz - eye)) * here.w;
  if (swells) own += drift + normal.xyz * (swell.x + swell.y * waveAt(swell.z + dot(vec4(own * grain, texel.x), spread))) / grain;
  vec3 place = turned * own + offset;
  gl_Position = matrix * vec4(place, 1.0);
  // the half of a tint is a picture as it is
  shown = moved ? vec4(plain ? vec3(1.0) : clamp(shaded ? bright + directed * max(dot(normal.xyz, slope), 0.0) : bright * (0.76 + dot(normal.xyz, slope)), 0.0, 2.0), 1.0) : textured ? vec4(plain ? vec3(1.0) : tint.rgb * 2.0, plain && !veiled ? 1.0 : tint.a) : color;
  if (lacking) shown.rgb = max(vec3(1.0) - shown.rgb, 0.0);

  at = luxel;
  on = moved ? vec3(texel.xy * stretch, 0.0) : texel;
  if (shifts) {
    on.xy = mat2(bend) * on.xy + shift;
    if (turb.x != 0.0) on.xy += turb.x * sin(6.2832 * (vec2(place.x + place.z, place.y) / 1024.0 + turb.y));
    if (sheet >= 0.0) on.z = sheet;
  }
  spot = place;
  if (moved) curved = turned * normal.xyz;
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
uniform bool single;
uniform vec4 dye;
uniform bool mirror;
uniform bool gloss;
uniform bool once;
uniform highp vec3 eye;
uniform highp vec4 bend;
uniform highp vec2 shift;
uniform bool fades;
uniform highp float far;
uniform bool fogged;
uniform vec4 mist;
uniform highp vec3 fogLow;
uniform highp vec3 fogHigh;
in vec4 shown;
in highp vec2 at;
in highp vec3 on;
in highp vec3 spot;
in highp vec3 curved;
uniform bool moved;
uniform bool shining;
uniform int lamps;
uniform bool soaked;
uniform highp vec4 lampPlaces[4];
uniform vec3 lampColors[4];
out vec4 pixel;
void main() {
  vec4 color = shown;
  float alpha = 1.0;
  if (!textured && single) color = vec4(1.0);
  if (!textured && dyed) color *= dye;
  if (textured) {
    // liquids move to and fro by an eighth of their picture
    highp vec3 spotted = on;
    highp vec3 mirrored;
    // the way on which the face reflects what one looks along
    if (mirror || gloss) mirrored = -reflect(normalize(eye - spot), normalize(moved ? curved : cross(dFdx(spot), dFdy(spot))));
    if (mirror) {
      spotted.xy = mat2(bend) * (vec2(0.5) + mirrored.yz * vec2(0.5, -0.5)) + shift;
    }
    if (once) {
      highp vec2 edge = 0.5 / vec2(textureSize(skin, 0).xy);
      spotted.xy = clamp(spotted.xy, edge, 1.0 - edge);
    }
    vec4 found = texture(skin, !sways ? spotted : vec3(on.xy + sin(on.yx * 6.2832 + sway) * 0.06, on.z));
    if (single) found = vec4(1.0);
    if (dyed) found *= dye;
    alpha = found.a;
    // the light of all gloss is in one place, as in the game
    if (gloss) alpha *= pow(max(dot(mirrored, normalize(vec3(-960.0, 1980.0, 96.0) - spot)), 0.0), 4.0);
    if (fades) alpha *= min(1.0, distance(eye, spot) / far);
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
  if (fogged) {
    // the part of the way from the eye that is in its box
    highp vec3 way = spot - eye + vec3(0.001);
    highp vec3 one = (fogLow - eye) / way;
    highp vec3 two = (fogHigh - eye) / way;
    highp vec3 near = min(one, two);
    highp vec3 away = max(one, two);
    highp float inside = min(min(away.x, away.y), min(away.z, 1.0)) - max(max(near.x, near.y), max(near.z, 0.0));
    color.rgb = mix(color.rgb, mist.rgb, sqrt(clamp(inside * length(way) * mist.a, 0.0, 1.0)));
  }
  pixel = color;
}`;
