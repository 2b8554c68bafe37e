// The level and what moves in it, drawn by WebGL2. Without a map the ground is what players stood on.

import type { Entity, Film, Player, Scene, Vector } from '../data/film';
import type { Level, Part } from '../maps/level';
import type { Light } from '../maps/light';
import { lightAt } from '../maps/probe';
import type { Rays } from '../maps/rays';
import type { ModelStore } from '../models/store';
import { type Camera, axes } from './camera';
import { itemColor, playerColor } from './colors';
import { GameModels } from './gamemodels';
import { Effects, type Lamp, isSprite, lampsOf } from './effects';
import { type Figure, type TriangleSink, drawThing, figureOf, normal } from './figure';
import { type Footprint, shade } from './footprint';
import type { Look } from './overlay';
import { ModelBatches } from './batches';
import { Billboards } from './billboards';
import { Bursts } from './bursts';
import { Flicker } from './flicker';
import { Glow } from './glow';
import { type Batch, type Skins, skinsOf } from './skins';
import { type Ball, viewOf } from './seen';
import { Skydome } from './skydome';
import { Marks } from './marks';
import { type Moved, UNMOVED, isMoved, layersAt } from './moved';
import { isSoftware } from './software';

const VERTEX = `#version 300 es
uniform mat4 matrix;
uniform vec3 offset;
uniform mat3 turned;
uniform bool textured;
uniform vec4 bend;
uniform vec2 shift;
uniform float sheet;
uniform bool plain;
uniform vec2 turb;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 2) in vec2 luxel;
layout(location = 3) in vec3 texel;
layout(location = 4) in vec4 tint;
out vec4 shown;
out vec2 at;
out vec3 on;
out vec3 spot;
void main() {
  vec3 place = turned * position + offset;
  gl_Position = matrix * vec4(place, 1.0);
  // the half of a tint is a picture as it is
  shown = plain ? vec4(1.0) : textured ? vec4(tint.rgb * 2.0, tint.a) : color;
  at = luxel;
  vec2 of = texel.xy;
  of = mat2(bend) * of + shift;
  if (turb.x != 0.0) of += turb.x * sin(6.2832 * (vec2(place.x + place.z, place.y) / 1024.0 + turb.y));
  on = vec3(of, sheet < 0.0 ? texel.z : sheet);
  spot = place;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform float ceiling;
uniform sampler2D light;
uniform bool lit;
uniform float lift;
uniform mediump sampler2DArray skin;
uniform bool textured;
uniform bool clear;
uniform float cut;
uniform float sway;
uniform vec4 dye;
uniform bool mirror;
uniform highp vec3 eye;
uniform highp vec4 bend;
uniform highp vec2 shift;
in vec4 shown;
in highp vec2 at;
in highp vec3 on;
in highp vec3 spot;
uniform int lamps;
uniform float soaked;
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
    vec4 found = texture(skin, sway < 0.0 ? spotted : vec3(on.xy + sin(on.yx * 6.2832 + sway) * 0.06, on.z));
    alpha = found.a * dye.a;
    color = vec4(shown.rgb * found.rgb * dye.rgb, clear ? shown.a * alpha : shown.a);
  }
  if (spot.z > ceiling || alpha < cut) discard;
  vec3 own = color.rgb;
  if (lit) {
    // half of the full value is a surface's own color, as in the games; the plan shows what no light reaches, too
    vec3 bright = texture(light, at).rgb;
    color.rgb *= textured ? lift + (2.0 - lift) * bright : 0.3 + 2.3 * bright;
  }
  // what flashes and explodes lights what is near; in Quake III what is dark stays dark
  own = mix(own, color.rgb, soaked);
  for (int lamp = 0; lamp < 4; lamp++) {
    if (lamp >= lamps || soaked < 0.0) break;
    color.rgb += own * lampColors[lamp] * max(0.0, 1.0 - distance(spot, lampPlaces[lamp].xyz) / lampPlaces[lamp].w);
  }
  pixel = color;
}`;

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const NO_CEILING = 1e9;
/** Numbers of a vertex of moving things: place, then color as bytes in one. */
const WIDTH = 4;
/** What vertices have besides, each in a buffer of its own. */
const [LUXEL, TEXEL, TINT] = [2, 3, 4];
const UNIFORMS = ['matrix', 'offset', 'turned', 'ceiling', 'lit', 'lift', 'textured', 'clear', 'cut', 'skin', 'bend', 'shift', 'sheet', 'plain', 'turb', 'mirror', 'eye', 'dye', 'sway', 'soaked', 'lamps', 'lampPlaces', 'lampColors'] as const;

/** What a scene is drawn of. */
export interface Source {
  film: Film;
  /** What lines meet in the map. */
  rays: Rays | null;
  /** Models of the game, where there are some. */
  models: ModelStore | null;
  /** How far the floor is below the middle of somebody who stands. */
  stands: number;
}

interface Ground {
  array: WebGLVertexArrayObject;
  count: number;
  buffers: WebGLBuffer[];
  light: WebGLTexture | null;
  flicker: Flicker | null;
  /** Its pictures, where there are any. */
  skins: Skins | null;
}

export class Space implements TriangleSink {
  private readonly program: WebGLProgram;
  private readonly uniforms: Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>;
  private readonly batches: ModelBatches;
  /** What is before one's eyes, in front of everything. */
  private readonly hand: ModelBatches;
  private readonly glow: Glow;
  private readonly boards: Billboards;
  private readonly marks = new Marks();
  private readonly skydome: Skydome;
  private readonly moving: { array: WebGLVertexArrayObject; buffer: WebGLBuffer };
  private ground: Ground | null = null;
  private groundOf: Level | Footprint | null = null;
  private level: Level | null = null;
  private data = new Float32Array(1 << 14);
  private bytes = new Uint8Array(this.data.buffer);
  private used = 0;
  /** Where parts of the map were seen last. */
  private readonly places = new Map<number, { origin: Vector; angles: Vector | null; isSwitched: boolean }>();
  /** Where players were drawn last, and how fast they went. */
  private readonly steps = new Map<number, { time: number; origin: Vector; speed: number }>();
  /** Triangles drawn last. */
  triangles = 0;
  /** Whether something may be in the picture that is drawn. */
  private isSeen: (ball: Ball) => boolean = () => true;

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = program(gl, VERTEX, FRAGMENT);
    this.skydome = new Skydome(gl, (vertex, fragment) => program(gl, vertex, fragment));
    this.uniforms = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)])) as typeof this.uniforms;
    const buffer = gl.createBuffer()!;
    this.moving = { array: layout(gl, buffer), buffer };
    this.batches = new ModelBatches(gl);
    this.hand = new ModelBatches(gl);
    this.glow = new Glow(gl);
    this.boards = new Billboards(gl);
    gl.enable(gl.DEPTH_TEST);
    // faces go clockwise, seen from the front
    gl.frontFace(gl.CW);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Nothing where the browser has no WebGL2: the plan is drawn without. */
  static on(canvas: HTMLCanvasElement, keep: boolean): Space | null {
    try {
      const gl = canvas.getContext('webgl2', { antialias: !isSoftware(), alpha: true, preserveDrawingBuffer: keep });
      return gl ? new Space(gl) : null;
    } catch {
      return null;
    }
  }

  close(): void {
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** The ground to draw: a map, or the footprint. */
  setGround(ground: Level | Footprint | null): void {
    if (ground === this.groundOf) return;
    this.groundOf = ground;
    const { gl } = this;
    if (this.ground) {
      gl.deleteVertexArray(this.ground.array);
      for (const buffer of this.ground.buffers) gl.deleteBuffer(buffer);
      for (const texture of [this.ground.light, ...(this.ground.skins?.textures ?? [])]) gl.deleteTexture(texture);
      this.ground = null;
    }
    this.level = ground && 'parts' in ground ? ground : null;
    this.places.clear();
    if (!ground) return;
    const mesh = 'parts' in ground ? ground : tiles(ground);
    const skins = this.level?.pictures.length ? skinsOf(gl, this.level) : null;
    const [vertices, elements] = [gl.createBuffer()!, gl.createBuffer()!];
    const count = mesh.positions.length / 3;
    const data = new Float32Array(count * WIDTH);
    const bytes = new Uint8Array(data.buffer);
    for (let at = 0; at < count; at++) {
      data.set(mesh.positions.subarray(at * 3, at * 3 + 3), at * WIDTH);
      bytes.set(mesh.colors.subarray(at * 4, at * 4 + 4), (at * WIDTH + 3) * 4);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    const array = layout(gl, vertices);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, skins?.indices ?? mesh.indices, gl.STATIC_DRAW);
    const buffers = [vertices, elements];
    const light = this.level?.light ? picture(gl, this.level.light) : null;
    if (light) buffers.push(attribute(gl, LUXEL, 2, this.level!.luxels));
    if (skins) buffers.push(attribute(gl, TEXEL, 3, skins.places), attribute(gl, TINT, 4, this.level!.tints));
    gl.bindVertexArray(null);
    this.ground = { array, count: mesh.indices.length, buffers, light, flicker: light && new Flicker(this.level!.light!), skins };
  }

  draw(scene: Scene, camera: Camera, width: number, height: number, ceiling: number | null, look: Look, source: Source): void {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, width, height);
    const sky = look.dark ? [0.1, 0.12, 0.16] : [0.15, 0.17, 0.21];
    gl.clearColor(sky[0]!, sky[1]!, sky[2]!, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrix = camera.update();
    if (this.level && !camera.isFlat) this.skydome.draw(look.textures ? this.level.sky : null, camera, scene.time, look.dark);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
    gl.uniform1f(uniforms.ceiling, camera.isFlat && ceiling !== null ? ceiling : NO_CEILING);
    this.triangles = 0;
    const isLit = look.light && !!this.ground?.light;
    if (isLit) {
      gl.bindTexture(gl.TEXTURE_2D, this.ground!.light);
      this.ground!.flicker?.update(gl, scene.serverTime / 1000, camera.isFlat ? null : camera.eye, axes(camera.angles)[0]);
    }
    gl.uniform1i(uniforms.lit, Number(isLit));
    gl.uniform1f(uniforms.lift, camera.isFlat ? 0.6 : 0.05);
    gl.uniform1i(uniforms.skin, 1);
    gl.uniform1f(uniforms.sway, -1);
    gl.uniform3fv(uniforms.eye, camera.eye);
    this.isSeen = viewOf(camera);
    this.showLayers(UNMOVED);
    this.light(camera.isFlat || !look.things ? [] : lampsOf(source.film, scene));
    const textured = look.textures && !!this.ground?.skins;
    this.drawGround(scene, source.film, false, textured, isLit);
    gl.uniform1i(uniforms.lit, 0);
    this.batches.begin();
    if (!camera.isFlat) this.drawMoving(scene, camera, look.followed, source);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.drawBatches(this.batches, true);
    this.drawGround(scene, source.film, true, textured, isLit);
    if (!camera.isFlat && look.things) this.drawEffects(scene, camera, look.followed, source);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    if (camera.mode === 'eyes') this.drawHand(scene, camera, look.followed, source);
  }

  /** Whether flashes light faces as brightly as their own light. */
  private get soaked(): number {
    return Number(this.level?.format === 'Quake III');
  }

  /** Lights all that is drawn from here on. */
  private light(lamps: Lamp[]): void {
    const { gl, uniforms } = this;
    gl.uniform1i(uniforms.lamps, lamps.length);
    gl.uniform1f(uniforms.soaked, this.soaked);
    if (!lamps.length) return;
    gl.uniform4fv(uniforms.lampPlaces, lamps.flatMap(({ place, radius }) => [...place, radius]));
    gl.uniform3fv(uniforms.lampColors, lamps.flatMap(({ color }) => color));
  }

  private drawGround(scene: Scene, film: Film, clear: boolean, textured: boolean, isLit: boolean): void {
    const { gl, ground, level } = this;
    if (!ground) return;
    gl.bindVertexArray(ground.array);
    if (!level) {
      if (clear) return;
      gl.disable(gl.CULL_FACE);
      this.place([0, 0, 0], null);
      this.elements(0, ground.count);
      return;
    }
    // the surface of water is seen from both sides
    if (clear) gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    if (!clear) this.findParts(scene, film);
    level.parts.forEach((part, number) => {
      const [first, count] = clear ? [part.liquidFirst, part.liquidCount] : [part.first, part.count];
      if (!count && !(clear && textured)) return;
      const place = number ? this.placeOf(part, number) : { origin: [0, 0, 0] as Vector, angles: null, isSwitched: false };
      if (!place) return;
      this.place(place.origin, place.angles);
      if (!textured) this.elements(first, count);
      else for (const batch of ground.skins!.batches[number]!) if (batch.clear === clear && (number || !batch.ball || this.isSeen(batch.ball))) this.drawBatch(batch, scene, isLit, place.isSwitched);
    });
    gl.disable(gl.CULL_FACE);
  }

  /** Triangles with their pictures. */
  private drawBatch(batch: Batch, scene: Scene, isLit: boolean, isSwitched: boolean): void {
    const { gl, uniforms } = this;
    const { texture, cut, blend, both, clear, liquid, motion, first, count } = batch;
    if (!texture) {
      this.elements(first, count);
      return;
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(uniforms.textured, 1);
    gl.uniform1f(uniforms.cut, cut);
    const seconds = scene.serverTime / 1000;
    if (liquid) gl.uniform1f(uniforms.sway, seconds % (Math.PI * 2));
    const moves = isMoved(batch);
    if (moves) this.showLayers(layersAt(isSwitched && batch.switched.length ? { ...batch, frames: batch.switched } : batch, seconds, isLit));
    // what lies on a face that a flash lights is not lit by it again
    const isOver = !!blend && !!motion;
    if (isOver) gl.uniform1f(uniforms.soaked, -1);
    // what shines itself is not lit
    gl.uniform1i(uniforms.lit, Number(isLit && (motion?.lit ?? !clear)));
    if (blend) {
      const factor = (name: string) => gl[name as 'ONE'];
      gl.uniform1i(uniforms.clear, 1);
      gl.blendFunc(factor(blend[0]), factor(blend[1]));
      // what lies on a wall is in front of it
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-1, -1);
      if (!both) gl.enable(gl.CULL_FACE);
    } else if (both) gl.disable(gl.CULL_FACE);
    this.elements(first, count);
    if (blend) {
      gl.uniform1i(uniforms.clear, 0);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.CULL_FACE);
    } else if (both && !clear) gl.enable(gl.CULL_FACE);
    gl.uniform1i(uniforms.textured, 0);
    gl.uniform1i(uniforms.lit, Number(isLit && !clear));
    gl.uniform1f(uniforms.cut, 0);
    if (liquid) gl.uniform1f(uniforms.sway, -1);
    if (moves) this.showLayers(UNMOVED);
    if (isOver) gl.uniform1f(uniforms.soaked, this.soaked);
  }

  /** Where the pictures of the next triangles are, and what they are multiplied with. */
  private showLayers({ bend, shift, sheet, turb, mirror, plain, dye }: Moved): void {
    const { gl, uniforms } = this;
    gl.uniform4fv(uniforms.bend, bend);
    gl.uniform2fv(uniforms.shift, shift);
    gl.uniform1f(uniforms.sheet, sheet);
    gl.uniform2fv(uniforms.turb, turb);
    gl.uniform1i(uniforms.mirror, Number(mirror));
    gl.uniform1i(uniforms.plain, Number(plain));
    gl.uniform4fv(uniforms.dye, dye);
  }

  private findParts(scene: Scene, film: Film): void {
    for (const { model, origin, angles, number } of scene.entities) {
      // buttons and the like show other textures while they have another frame
      if (model?.startsWith('*') && origin) this.places.set(Number(model.slice(1)), { origin, angles, isSwitched: (film.lookOf(number, scene)?.frame ?? 0) !== 0 });
    }
  }

  private placeOf(part: Part, number: number): { origin: Vector; angles: Vector | null; isSwitched: boolean } | null {
    return this.places.get(number) ?? (part.drawn ? { origin: part.origin, angles: null, isSwitched: false } : null);
  }

  private place(origin: Vector, angles: Vector | null): void {
    const { gl, uniforms } = this;
    gl.uniform3fv(uniforms.offset, origin);
    const turned = angles?.some((angle) => angle) ? axes(angles).flat() : UNTURNED;
    gl.uniformMatrix3fv(uniforms.turned, false, turned);
  }

  private elements(first: number, count: number): void {
    this.gl.drawElements(this.gl.TRIANGLES, count, this.gl.UNSIGNED_INT, first * 4);
    this.triangles += count / 3;
  }

  private drawEffects(scene: Scene, camera: Camera, followed: number | null, { film, rays, models }: Source): void {
    const [, left, up] = axes(camera.angles);
    this.glow.begin(camera.eye, left, up);
    const eyes = camera.mode === 'eyes' ? { slot: followed ?? scene.players.find((one) => one.isView)?.slot ?? null, muzzle: muzzleOf(camera) } : null;
    this.boards.begin();
    if (this.level && rays) this.marks.add(this.boards, film, scene, rays, this.level.format, models);
    new Effects(this.glow, film, rays, scene, eyes, models && new Bursts(this.boards, models, scene, camera.eye, camera.angles)).add();
    this.place([0, 0, 0], null);
    this.light([]);
    this.drawBoards();
    this.glow.draw();
    this.triangles += this.glow.triangles;
  }

  private drawBoards(): void {
    const { gl, uniforms, boards } = this;
    gl.uniform1i(uniforms.lit, 0);
    gl.uniform1i(uniforms.textured, 1);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -1);
    boards.draw({
      use: ({ cut, blend }, moved) => {
        const factor = (name: string) => gl[name as 'ONE'];
        gl.uniform1f(uniforms.cut, cut);
        gl.uniform1i(uniforms.clear, Number(!!blend));
        if (blend) gl.blendFunc(factor(blend[0]), factor(blend[1]));
        else gl.blendFunc(gl.ONE, gl.ZERO);
        this.showLayers(moved);
      },
    });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.showLayers(UNMOVED);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const flag of [uniforms.textured, uniforms.clear]) gl.uniform1i(flag, 0);
    gl.uniform1f(uniforms.cut, 0);
    this.triangles += boards.triangles;
  }

  private drawMoving(scene: Scene, camera: Camera, followed: number | null, { film, rays, models, stands }: Source): void {
    this.used = 0;
    const gameModels = models && new GameModels(models, this.batches, this.lightBy(rays), scene.time);
    for (const player of scene.players) {
      if (!player.origin || player.spectator || (camera.mode === 'eyes' && (player.slot === followed || player.isView))) continue;
      const state = gameModels && film.figureOf(player.slot, scene);
      if (state && gameModels.player(player, state)) continue;
      const top = player.alive === false ? 0 : player.crouching ? 14 : 32;
      this.figure(figureOf(player, rgb(playerColor(player)), { feet: -stands, top, speed: this.speedOf(player, scene.time), time: scene.time }), player.origin, player.angles?.[1] ?? 0);
    }
    for (const entity of scene.entities) {
      if (isSprite(entity) && models?.sprite(entity.model!)) continue;
      const state = gameModels && entity.origin && film.lookOf(entity.number, scene);
      if (!state || !gameModels.thing(entity, state)) this.thing(entity, scene.time);
    }
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.moving.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.used), gl.STREAM_DRAW);
    gl.bindVertexArray(this.moving.array);
    this.place([0, 0, 0], null);
    gl.drawArrays(gl.TRIANGLES, 0, this.used / WIDTH);
    this.triangles += this.used / WIDTH / 3;
    this.drawBatches(this.batches, false);
  }

  /** The weapon of the player through whose eyes one sees. */
  private drawHand(scene: Scene, camera: Camera, followed: number | null, { film, models, rays }: Source): void {
    const player = scene.players.find((one) => (followed === null ? one.isView : one.slot === followed));
    const hand = models && player && player.alive !== false && !player.spectator ? film.handOf(player.slot, scene) : null;
    if (!hand || !player) return;
    const { gl } = this;
    this.hand.begin();
    new GameModels(models!, this.hand, this.lightBy(rays), scene.time).hand(camera.eye, camera.angles, hand, film.figureOf(player.slot, scene)?.held ?? null);
    gl.depthRange(0, 0.3);
    this.drawBatches(this.hand, false);
    gl.enable(gl.BLEND);
    this.drawBatches(this.hand, true);
    gl.disable(gl.BLEND);
    gl.depthRange(0, 1);
  }

  /** Models: those that cover what is behind them, or those through which one sees. */
  private drawBatches(batches: ModelBatches, clear: boolean): void {
    const { gl, uniforms } = this;
    gl.uniform1i(uniforms.lit, 0);
    gl.uniform1i(uniforms.textured, 1);
    gl.uniform1i(uniforms.clear, Number(clear));
    this.place([0, 0, 0], null);
    const factor = (name: string) => gl[name as 'ONE'];
    batches.draw(
      {
        use: ({ cut, blend, both }) => {
          gl.uniform1f(uniforms.cut, cut);
          if (both || cut) gl.disable(gl.CULL_FACE);
          else gl.enable(gl.CULL_FACE);
          if (blend) gl.blendFunc(factor(blend[0]), factor(blend[1]));
        },
      },
      clear,
    );
    this.triangles += batches.triangles;
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.CULL_FACE);
    gl.uniform1i(uniforms.clear, 0);
    gl.uniform1i(uniforms.textured, 0);
    gl.uniform1f(uniforms.cut, 0);
  }

  /** How bright things are on this ground. */
  private lightBy(rays: Rays | null): (place: Vector) => Vector {
    const { level } = this;
    return level && rays ? (place) => lightAt(level, rays, place) : () => [1, 1, 1];
  }

  /** How fast somebody goes: as the recording states it, else by where he was drawn last. */
  private speedOf({ slot, origin, velocity }: Player, time: number): number {
    const last = this.steps.get(slot);
    const passed = last ? (time - last.time) / 1000 : 0;
    if (!last || passed < 0 || passed > 0.2) this.steps.set(slot, { time, origin: origin!, speed: 0 });
    else if (passed > 0) this.steps.set(slot, { time, origin: origin!, speed: Math.hypot(origin![0] - last.origin[0], origin![1] - last.origin[1]) / passed });
    return velocity ? Math.hypot(velocity[0], velocity[1]) : (this.steps.get(slot)?.speed ?? 0);
  }

  private thing(entity: Entity, time: number): void {
    if (!entity.origin) return;
    const common = entity.item?.common;
    const draw = (size: number, color: number[], turn = 0) => drawThing(this, entity.origin!, common, size, color, turn);
    if (entity.kind === 'item') draw(9, rgb(itemColor(common)), common?.endsWith('_flag') ? 0 : time / 900);
    else if (entity.kind === 'missile') draw(4, [255, 160, 60]);
    else if (entity.kind === 'corpse') draw(8, [130, 60, 60]);
    else if (entity.kind === 'mover' && !this.level && !entity.model?.startsWith('*')) draw(16, [150, 150, 165]);
  }

  /** Draws a figure where it stands. */
  private figure({ points, normals, colors }: Figure, [x, y, z]: Vector, yaw: number): void {
    const [cos, sin] = [Math.cos((yaw * Math.PI) / 180), Math.sin((yaw * Math.PI) / 180)];
    const color = [0, 0, 0];
    const place: Vector = [0, 0, 0];
    for (let triangle = 0; triangle < colors.length / 3; triangle++) {
      const n = triangle * 3;
      const [nx, ny] = [normals[n]!, normals[n + 1]!];
      const light = brightness(nx * cos - ny * sin, nx * sin + ny * cos, normals[n + 2]!);
      for (let channel = 0; channel < 3; channel++) color[channel] = colors[n + channel]!;
      for (let at = triangle * 9; at < triangle * 9 + 9; at += 3) {
        const [px, py] = [points[at]!, points[at + 1]!];
        place[0] = x + px * cos - py * sin;
        place[1] = y + px * sin + py * cos;
        place[2] = z + points[at + 2]!;
        this.corner(place, color, light);
      }
    }
  }

  triangle(a: Vector, b: Vector, c: Vector, color: number[]): void {
    const light = brightness(...normal(a, b, c));
    for (const corner of [a, b, c]) this.corner(corner, color, light);
  }

  private corner([x, y, z]: Vector, color: number[], light: number): void {
    if (this.used + WIDTH > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
      this.bytes = new Uint8Array(larger.buffer);
    }
    this.data[this.used] = x;
    this.data[this.used + 1] = y;
    this.data[this.used + 2] = z;
    const at = (this.used + 3) * 4;
    for (let channel = 0; channel < 3; channel++) this.bytes[at + channel] = Math.min(255, color[channel]! * light);
    this.bytes[at + 3] = 255;
    this.used += WIDTH;
  }
}

/** Where the weapon before one's eyes flashes. */
function muzzleOf({ eye, angles }: Camera): Vector {
  const [forward, left, up] = axes(angles);
  return [0, 1, 2].map((axis) => eye[axis]! + forward[axis]! * 30 - left[axis]! * 7 - up[axis]! * 7) as Vector;
}

/** Light falls from above and a little from one side. */
const brightness = (x: number, y: number, z: number): number => 0.68 + 0.12 * x + 0.07 * y + 0.27 * z;

/** What players stood on, as tiles. */
function tiles(plan: Footprint): { positions: Float32Array; colors: Uint8Array; indices: Uint32Array } {
  const { box, cell, cells, layers } = plan;
  const count = cells.length / 3;
  const [positions, colors, indices] = [new Float32Array(count * 12), new Uint8Array(count * 16), new Uint32Array(count * 6)];
  const [low, high] = [layers[0]?.z ?? 0, layers[layers.length - 1]?.z ?? 0];
  for (let tile = 0; tile < count; tile++) {
    const [x, y, z] = [cells[tile * 3]!, cells[tile * 3 + 1]!, cells[tile * 3 + 2]!];
    const [left, bottom] = [box.min[0] + (x - 0.5) * cell, box.min[1] + (y - 0.5) * cell];
    positions.set([left, bottom, z, left, bottom + cell, z, left + cell, bottom + cell, z, left + cell, bottom, z], tile * 12);
    const light = (x + y) % 2 ? 0.94 : 1;
    const [red, green, blue] = shade(high > low ? (z - low) / (high - low) : 0.5).map((value) => Math.max(0, Math.min(255, value * light)));
    for (let corner = 0; corner < 4; corner++) colors.set([red!, green!, blue!, 255], tile * 16 + corner * 4);
    const first = tile * 4;
    indices.set([first, first + 1, first + 2, first, first + 2, first + 3], tile * 6);
  }
  return { positions, colors, indices };
}

function layout(gl: WebGL2RenderingContext, buffer: WebGLBuffer): WebGLVertexArrayObject {
  const array = gl.createVertexArray()!;
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, WIDTH * 4, 0);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, WIDTH * 4, 12);
  gl.bindVertexArray(null);
  return array;
}

/** The light of a level. Where a browser's textures are smaller than that, there is none. */
function picture(gl: WebGL2RenderingContext, { width, height, pixels }: Light): WebGLTexture | null {
  if (Math.max(width, height) > (gl.getParameter(gl.MAX_TEXTURE_SIZE) as number)) return null;
  const texture = gl.createTexture()!;
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, width, height, 0, gl.RGB, gl.UNSIGNED_BYTE, pixels);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, size, gl.LINEAR);
  return texture;
}

/** What vertices have besides their place and color, for the array that is bound. */
function attribute(gl: WebGL2RenderingContext, location: number, numbers: number, data: Float32Array | Uint8Array): WebGLBuffer {
  const buffer = gl.createBuffer()!;
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(location);
  const bytes = data instanceof Uint8Array;
  gl.vertexAttribPointer(location, numbers, bytes ? gl.UNSIGNED_BYTE : gl.FLOAT, bytes, 0, 0);
  return buffer;
}

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram()!;
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? 'no program');
  return made;
}

const rgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
