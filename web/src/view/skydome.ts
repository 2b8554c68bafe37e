// The sky behind everything: by the direction in which each pixel looks.

import type { Vector } from '../data/vector';
import type { Sky } from '../maps/format';
import { stretched } from '../maps/sky';
import { type Camera, axes } from './camera';
import type { SkinUnit } from './skinunit';

const VERTEX = `#version 300 es
uniform vec3 forward;
uniform vec3 right;
uniform vec3 up;
out vec3 way;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 1.0, 1.0);
  way = forward + right * corner.x + up * corner.y;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform mediump sampler2DArray pictures;
uniform int kind;
uniform int layers;
uniform float height;
uniform vec4 moves[2];
uniform vec3 dyes[2];
uniform bool adds;
uniform vec3 top;
uniform vec3 edge;
in vec3 way;
out vec4 pixel;
const float BALL = 4096.0;
vec3 side(vec3 d) {
  vec3 a = abs(d);
  if (a.x >= a.y && a.x >= a.z) return vec3(d.x > 0.0 ? -d.y : d.y, d.z, d.x > 0.0 ? 0.0 : 2.0) / vec3(a.x, a.x, 1.0);
  if (a.y >= a.z) return vec3(d.y > 0.0 ? d.x : -d.x, d.z, d.y > 0.0 ? 1.0 : 3.0) / vec3(a.y, a.y, 1.0);
  return vec3(-d.y, d.z > 0.0 ? -d.x : d.x, d.z > 0.0 ? 4.0 : 5.0) / vec3(a.z, a.z, 1.0);
}
vec2 cloud(vec3 d) {
  if (height == 0.0) {
    // a flat dome, three times as wide as it is high
    vec3 flat_way = normalize(vec3(d.xy, d.z * 3.0));
    return flat_way.xy * 378.0 / 128.0;
  }
  float z = max(d.z, 0.0);
  float far = -BALL * z + sqrt(BALL * BALL * z * z + 2.0 * BALL * height + height * height);
  return acos(clamp(normalize(d * far + vec3(0.0, 0.0, BALL)).xy, -1.0, 1.0));
}
void main() {
  vec3 d = normalize(way);
  if (kind == 1) {
    vec3 at = side(d);
    pixel = vec4(texture(pictures, vec3((at.x + 1.0) / 2.0, (1.0 - at.y) / 2.0, at.z)).rgb, 1.0);
    return;
  }
  vec3 color = mix(edge, top, clamp(d.z, 0.0, 1.0));
  if (d.z < 0.0) color = mix(edge, edge * 0.45, clamp(-d.z * 3.0, 0.0, 1.0));
  if (kind == 2) {
    vec2 at = cloud(d);
    vec3 seen = texture(pictures, vec3(at * moves[0].xy + moves[0].zw, 0.0)).rgb * dyes[0];
    if (layers > 1) {
      vec4 front = texture(pictures, vec3(at * moves[1].xy + moves[1].zw, 1.0)) * vec4(dyes[1], 1.0);
      seen = adds ? seen + front.rgb : mix(seen, front.rgb, front.a);
    }
    // below the edge of a ball there are none
    color = height == 0.0 ? seen : mix(color * 0.15, seen, smoothstep(-0.02, 0.06, d.z));
  }
  pixel = vec4(color, 1.0);
}`;

const UNIFORMS = [
  'forward',
  'right',
  'up',
  'pictures',
  'kind',
  'layers',
  'height',
  'moves',
  'dyes',
  'adds',
  'top',
  'edge',
] as const;
const RADIANS = Math.PI / 180;

export class Skydome {
  private readonly program: WebGLProgram;
  private readonly uniforms: Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private sky: Sky | null = null;
  private texture: WebGLTexture | null = null;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly unit: SkinUnit,
    program: (vertex: string, fragment: string) => WebGLProgram,
  ) {
    this.program = program(VERTEX, FRAGMENT);
    this.uniforms = Object.fromEntries(
      UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)]),
    ) as typeof this.uniforms;
    this.array = gl.createVertexArray()!;
  }

  /** Draws behind everything that was drawn before, in the program of its own; where it is only seen in parts of the picture, in those. */
  draw(
    sky: Sky | null,
    camera: Camera,
    time: number,
    dark: boolean,
    parts: [number, number, number, number][] | null,
  ): void {
    const { gl, uniforms } = this;
    if (sky !== this.sky) this.take(sky);
    gl.useProgram(this.program);
    const seconds = time / 1000;
    const [forward, left, up] = axes(camera.angles).map((way) =>
      turned(way, sky?.turns ?? null, -seconds),
    ) as ReturnType<typeof axes>;
    const tall = Math.tan((camera.fov * RADIANS) / 2) * 0.75;
    const wide = (tall * camera.width) / camera.height;
    gl.uniform3fv(uniforms.forward, forward);
    gl.uniform3fv(
      uniforms.right,
      left.map((value) => -value * wide),
    );
    gl.uniform3fv(
      uniforms.up,
      up.map((value) => value * tall),
    );
    gl.uniform1i(uniforms.kind, this.texture ? (sky?.box ? 1 : 2) : 0);
    gl.uniform3fv(uniforms.top, dark ? [0.13, 0.2, 0.34] : [0.22, 0.34, 0.54]);
    gl.uniform3fv(uniforms.edge, dark ? [0.28, 0.33, 0.4] : [0.5, 0.56, 0.62]);
    if (sky && !sky.box && this.texture) {
      gl.uniform1i(uniforms.layers, sky.layers.length);
      gl.uniform1f(uniforms.height, sky.height);
      const part = (way: number) => (way * seconds) % 1;
      gl.uniform4fv(
        uniforms.moves,
        [0, 1].flatMap((at) => {
          const { scale, scroll } = sky.layers[at] ?? sky.layers[0];
          return [...scale, part(scroll[0]), part(scroll[1])];
        }),
      );
      gl.uniform3fv(
        uniforms.dyes,
        [0, 1].flatMap((at) => sky.layers[at]?.dye ?? [1, 1, 1]),
      );
      gl.uniform1i(uniforms.adds, Number(sky.layers[1]?.adds ?? false));
    }
    gl.uniform1i(uniforms.pictures, 1);
    this.unit.show(this.texture);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(false);
    gl.bindVertexArray(this.array);
    if (parts) gl.enable(gl.SCISSOR_TEST);
    for (const part of parts ?? [null]) {
      if (part) gl.scissor(...part);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.disable(gl.SCISSOR_TEST);
    gl.bindVertexArray(null);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);
  }

  private take(sky: Sky | null): void {
    const { gl } = this;
    this.sky = sky;
    gl.deleteTexture(this.texture);
    this.texture = null;
    const pictures = sky?.box ?? sky?.layers ?? [];
    if (!pictures.length) return;
    const [width, height] = [
      Math.max(...pictures.map((one) => one.width)),
      Math.max(...pictures.map((one) => one.height)),
    ];
    const texture = gl.createTexture()!;
    this.texture = texture;
    this.unit.fill(texture, () => {
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
      gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGBA8, width, height, pictures.length);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      pictures.forEach((one, layer) => {
        const { pixels } = stretched(one, width, height);
        gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      });
      for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D_ARRAY, size, gl.LINEAR);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
        gl.texParameteri(gl.TEXTURE_2D_ARRAY, side, sky?.box ? gl.CLAMP_TO_EDGE : gl.REPEAT);
    });
  }
}

/** A direction that turns around an axis, which is as long as the degrees in a second. */
function turned([x, y, z]: Vector, axis: Vector | null, seconds: number): Vector {
  const speed = axis ? Math.hypot(...axis) : 0;
  if (!axis || !speed) return [x, y, z];
  const [a, b, c] = axis.map((value) => value / speed) as Vector;
  const turn = ((speed * seconds) % 360) * RADIANS;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const along = (a * x + b * y + c * z) * (1 - cos);
  return [
    x * cos + (b * z - c * y) * sin + a * along,
    y * cos + (c * x - a * z) * sin + b * along,
    z * cos + (a * y - b * x) * sin + c * along,
  ];
}
