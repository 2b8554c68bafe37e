// The level and what moves in it, drawn by WebGL2. Without a map the ground is what players stood on.

import type { Entity, Film, Player, Scene, Vector } from '../data/film';
import type { Level, Part } from '../maps/level';
import { lightAt } from '../maps/probe';
import type { Rays } from '../maps/rays';
import type { Picture } from '../maps/textures';
import type { ModelStore } from '../models/store';
import { type Camera, axes } from './camera';
import { itemColor, playerColor } from './colors';
import { GameModels } from './gamemodels';
import { Effects, type Lamp, isSprite, lampsOf } from './effects';
import { type Figure, type TriangleSink, drawThing, figureOf, normal } from './figure';
import type { Footprint } from './footprint';
import type { Look } from './overlay';
import { Models } from './modeldraws';
import { Billboards } from './billboards';
import { Bursts } from './bursts';
import { Glow } from './glow';
import { Frustum, distance } from './frustum';
import { Occlusion } from './occlusion';
import type { Piece } from './pieces';
import type { Batch } from './skins';
import { type Ground, forgetGround, groundOf } from './ground';
import { COLORED, vertexArray } from './vertexarray';
import { Skydome } from './skydome';
import { Programs, linked } from './programs';
import { Marks } from './marks';
import { type Moved, UNMOVED, isMoved, layersAt } from './moved';
import { FRAGMENT, VERTEX } from './shading';
import { isSoftware } from './software';

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];
/** Pieces of a level that are as far within these units count as equal. */
const STEP = 128;
/** How far models reach from their middle. */
const [PLAYER, THING] = [80, 400];
/** Above the slots of players. */
const ENTITIES = 1 << 16;

/** What a scene is drawn of. */
export interface Source {
  film: Film;
  /** What lines meet in the map. */
  rays: Rays | null;
  /** Models of the game, where there are some. */
  models: ModelStore | null;
  /** How far the floor is below the middle of somebody who stands. */
  stands: number;
  /** Whether one sees whom one follows though one sees through his eyes. */
  isOutside: boolean;
}

export class Space implements TriangleSink {
  private readonly programs: Programs;
  private readonly models: Models;
  /** What is before one's eyes, in front of everything. */
  private readonly hand: Models;
  private readonly glow: Glow;
  private readonly boards: Billboards;
  private readonly marks = new Marks();
  private readonly skydome: Skydome;
  private readonly moving: { array: WebGLVertexArrayObject; buffer: WebGLBuffer };
  private ground: Ground | null = null;
  private shownGround: Level | Footprint | null = null;
  private level: Level | null = null;
  private data = new Float32Array(1 << 14);
  private bytes = new Uint8Array(this.data.buffer);
  private used = 0;
  /** Where parts of the map were seen last. */
  private readonly places = new Map<number, { origin: Vector; angles: Vector | null; isSwitched: boolean }>();
  /** Where players were drawn last, and how fast they went. */
  private readonly steps = new Map<number, { time: number; origin: Vector; speed: number }>();
  private frustum = new Frustum(new Float32Array(16));
  /** What hides what, where that is worth it. */
  private occlusion: Occlusion | null = null;
  private readonly hiding = isSoftware() ? new Occlusion() : null;
  /** Players and things whose models were there, and the files that these were in. */
  private readonly ready = new Set<number>();
  private readyOf: ModelStore | null = null;
  /** Triangles drawn last. */
  triangles = 0;
  /** Whether lamps light what is drawn. */
  private isShining = false;

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.programs = new Programs(gl, VERTEX, FRAGMENT);
    this.skydome = new Skydome(gl, (vertex, fragment) => linked(gl, vertex, fragment));
    const buffer = gl.createBuffer()!;
    this.moving = { array: vertexArray(gl, buffer, COLORED), buffer };
    this.models = new Models(gl);
    this.hand = new Models(gl, this.models);
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
      const gl = canvas.getContext('webgl2', { antialias: !isSoftware(), alpha: false, preserveDrawingBuffer: keep });
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
    if (ground === this.shownGround) return;
    this.shownGround = ground;
    const { gl } = this;
    if (this.ground) {
      forgetGround(gl, this.ground);
      this.ground = null;
    }
    this.level = ground && 'parts' in ground ? ground : null;
    this.places.clear();
    if (!ground) return;
    this.ground = groundOf(gl, ground);
  }

  draw(scene: Scene, camera: Camera, width: number, height: number, ceiling: number | null, look: Look, source: Source): void {
    const { gl, programs } = this;
    gl.viewport(0, 0, width, height);
    const sky = look.dark ? [0.1, 0.12, 0.16] : [0.15, 0.17, 0.21];
    gl.clearColor(sky[0]!, sky[1]!, sky[2]!, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrix = camera.update();
    this.frustum = new Frustum(matrix);
    this.occlusion = this.level && !camera.isFlat ? this.hiding : null;
    this.occlusion?.begin(matrix);
    programs.lose();
    programs.set('matrix', matrix);
    programs.turn('limited', camera.isFlat && ceiling !== null);
    programs.set('ceiling', ceiling ?? 0);
    this.triangles = 0;
    const isLit = look.light && !!this.ground?.light;
    if (isLit) {
      gl.bindTexture(gl.TEXTURE_2D, this.ground!.light);
      this.ground!.flicker?.update(gl, scene.serverTime / 1000, source.film.happenings.lightsAt(scene.time), camera.isFlat ? null : camera.eye, axes(camera.angles)[0]);
    }
    programs.turn('lit', isLit);
    programs.set('lift', camera.isFlat ? 0.6 : 0.05);
    programs.set('skin', 1);
    programs.set('eye', camera.eye);
    this.showLayers(UNMOVED);
    this.light(camera.isFlat || !look.things ? [] : lampsOf(source.film, scene));
    const textured = look.textures && !!this.ground?.skins;
    this.drawGround(scene, source.film, camera, { clear: false, textured, isLit });
    programs.turn('lit', false);
    this.models.begin();
    if (!camera.isFlat) this.drawMoving(scene, camera, look.followed, source);
    // the sky is seen where nothing is
    if (this.level && !camera.isFlat) this.skydome.draw(look.textures ? this.level.sky : null, camera, scene.time, look.dark, this.occlusion?.open(width, height) ?? null);
    programs.lose();
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.drawModels(this.models, true);
    this.drawGround(scene, source.film, camera, { clear: true, textured, isLit });
    if (!camera.isFlat && look.things) this.drawEffects(scene, camera, look.followed, source);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    if (camera.mode === 'eyes') this.drawHand(scene, camera, look.followed, source);
  }

  /** Lights all that is drawn from here on. */
  private light(lamps: Lamp[]): void {
    const { programs } = this;
    this.isShining = lamps.length > 0;
    programs.turn('shining', this.isShining);
    // there flashes light faces as brightly as their own light
    programs.turn('soaked', this.level?.format === 'Quake III');
    if (!lamps.length) return;
    programs.set('lamps', lamps.length);
    programs.set('lampPlaces', lamps.flatMap(({ place, radius }) => [...place, radius]));
    programs.set('lampColors', lamps.flatMap(({ color }) => color));
  }

  private drawGround(scene: Scene, film: Film, camera: Camera, how: { clear: boolean; textured: boolean; isLit: boolean }): void {
    const { clear, textured, isLit } = how;
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
      if (!number && !clear) {
        this.drawWorld(camera, scene, textured, isLit);
        return;
      }
      const [first, count] = clear ? [part.liquidFirst, part.liquidCount] : [part.first, part.count];
      if (!count && !(clear && textured)) return;
      const place = number ? this.placeOf(part, number) : { origin: [0, 0, 0] as Vector, angles: null, isSwitched: false };
      if (!place) return;
      this.place(place.origin, place.angles);
      if (!textured) this.elements(first, count);
      else {
        for (const batch of ground.skins!.batches[number]!) {
          if (batch.clear !== clear) continue;
          const pieces = number ? [batch] : batch.pieces.filter((piece) => this.frustum.box(piece) && !this.occlusion?.hides(piece));
          if (pieces.length) this.drawBatch(batch, pieces, scene, isLit, place.isSwitched);
        }
      }
    });
    gl.disable(gl.CULL_FACE);
  }

  /** What is seen of the solid world, near pieces first. */
  private drawWorld(camera: Camera, scene: Scene, textured: boolean, isLit: boolean): void {
    const { skins, pieces, indices } = this.ground!;
    const level = this.level!;
    const batches: { batch: Batch | null; pieces: Piece[] }[] = textured ? skins!.batches[0]!.filter(({ clear }) => !clear).map((batch) => ({ batch, pieces: batch.pieces })) : [{ batch: null, pieces: skins ? skins.batches[0]!.flatMap((batch) => batch.pieces) : pieces }];
    const seen: { number: number; far: number; piece: Piece }[] = [];
    batches.forEach(({ pieces }, number) => {
      for (const piece of pieces) if (this.frustum.box(piece)) seen.push({ number, far: camera.isFlat ? -piece.max[2] : Math.sqrt(distance(piece, camera.eye)), piece });
    });
    const { occlusion } = this;
    if (occlusion) {
      seen.sort((a, b) => a.far - b.far);
      for (const { number, piece } of seen) {
        const { batch } = batches[number]!;
        if (batch?.cut || batch?.both) continue;
        for (let at = piece.first; at < piece.first + piece.count; at += 3) occlusion.add(level.positions, indices[at]!, indices[at + 1]!, indices[at + 2]!);
      }
      occlusion.finish();
    }
    // what is nearly as far is drawn by its picture: another one costs time, too
    const shown = occlusion ? seen.filter(({ piece }) => !occlusion.hides(piece)) : seen;
    for (const one of shown) one.far = Math.floor(one.far / STEP);
    shown.sort((a, b) => a.far - b.far || a.number - b.number || a.piece.first - b.piece.first);
    this.place([0, 0, 0], null);
    for (let at = 0; at < shown.length; ) {
      const { number } = shown[at]!;
      const together: Piece[] = [];
      for (; at < shown.length && shown[at]!.number === number; at++) together.push(shown[at]!.piece);
      const { batch } = batches[number]!;
      if (batch) this.drawBatch(batch, together, scene, isLit, false);
      else for (const { first, count } of together) this.elements(first, count);
    }
  }

  /** Triangles with their pictures. */
  private drawBatch(batch: Batch, pieces: readonly { first: number; count: number }[], scene: Scene, isLit: boolean, isSwitched: boolean): void {
    const { gl, programs } = this;
    const { texture, cut, blend, both, clear, liquid, motion } = batch;
    if (!texture) {
      for (const { first, count } of pieces) this.elements(first, count);
      return;
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
    gl.activeTexture(gl.TEXTURE0);
    programs.turn('textured', true);
    programs.turn('cuts', cut > 0);
    programs.set('cut', cut);
    programs.turn('sways', liquid);
    const seconds = scene.serverTime / 1000;
    if (liquid) programs.set('sway', seconds % (Math.PI * 2));
    const moves = isMoved(batch);
    if (moves) this.showLayers(layersAt(isSwitched && batch.switched.length ? { ...batch, frames: batch.switched } : batch, seconds, isLit));
    // what lies on a face that a flash lights is not lit by it again
    const isOver = !!blend && !!motion;
    if (isOver) programs.turn('shining', false);
    // what shines itself is not lit
    programs.turn('lit', isLit && (motion?.lit ?? !clear));
    if (blend) {
      const factor = (name: string) => gl[name as 'ONE'];
      programs.turn('clear', true);
      gl.blendFunc(factor(blend[0]), factor(blend[1]));
      // what lies on a wall is in front of it
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-1, -1);
      if (!both) gl.enable(gl.CULL_FACE);
    } else if (both) gl.disable(gl.CULL_FACE);
    for (const { first, count } of pieces) this.elements(first, count);
    if (blend) {
      programs.turn('clear', false);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.CULL_FACE);
    } else if (both && !clear) gl.enable(gl.CULL_FACE);
    programs.turn('textured', false);
    programs.turn('lit', isLit && !clear);
    programs.turn('cuts', false);
    programs.turn('sways', false);
    if (moves) this.showLayers(UNMOVED);
    if (isOver) programs.turn('shining', this.isShining);
  }

  /** Where the pictures of the next triangles are, and what they are multiplied with. */
  private showLayers(moved: Moved): void {
    const { programs } = this;
    programs.turn('shifts', moved !== UNMOVED);
    programs.turn('plain', moved.plain);
    programs.turn('mirror', moved.mirror);
    programs.turn('dyed', moved.dye.some((value) => value !== 1));
    for (const name of ['bend', 'shift', 'sheet', 'turb', 'dye'] as const) programs.set(name, moved[name]);
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
    this.programs.set('offset', origin);
    this.programs.set('turned', angles?.some((angle) => angle) ? axes(angles).flat() : UNTURNED);
  }

  private elements(first: number, count: number): void {
    this.programs.use();
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
    this.programs.use();
    this.glow.draw();
    this.triangles += this.glow.triangles;
  }

  private drawBoards(): void {
    const { gl, programs, boards } = this;
    programs.turn('lit', false);
    programs.turn('textured', true);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -1);
    boards.draw({
      use: ({ cut, blend }, moved) => {
        const factor = (name: string) => gl[name as 'ONE'];
        programs.turn('cuts', cut > 0);
        programs.set('cut', cut);
        programs.turn('clear', !!blend);
        if (blend) gl.blendFunc(factor(blend[0]), factor(blend[1]));
        else gl.blendFunc(gl.ONE, gl.ZERO);
        this.showLayers(moved);
        programs.use();
      },
    });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.showLayers(UNMOVED);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const flag of ['textured', 'clear', 'cuts']) programs.turn(flag, false);
    this.triangles += boards.triangles;
  }

  private drawMoving(scene: Scene, camera: Camera, followed: number | null, { film, rays, models, stands, isOutside }: Source): void {
    this.used = 0;
    const gameModels = models && new GameModels(models, this.models, this.lightBy(rays), scene.time, { place: camera.eye, focus: 1 / (Math.tan((camera.fov * Math.PI) / 360) * 0.75) });
    for (const player of scene.players) {
      if (!player.origin || player.spectator || (camera.mode === 'eyes' && !isOutside && (player.slot === followed || player.isView))) continue;
      const seen = this.sees(player.origin, PLAYER);
      const state = (seen || !this.isReady(models, player.slot)) && gameModels ? film.figureOf(player.slot, scene) : null;
      if (state && this.shown(seen, () => gameModels!.player(player, state, film.movesOf(player, state, scene)))) {
        this.ready.add(player.slot);
        continue;
      }
      if (!seen) continue;
      const top = player.alive === false ? 0 : player.crouching ? 14 : 32;
      this.figure(figureOf(player, rgb(playerColor(player)), { feet: -stands, top, speed: this.speedOf(player, scene.time), time: scene.time }), player.origin, player.angles?.[1] ?? 0);
    }
    for (const entity of scene.entities) {
      if (!entity.origin || (isSprite(entity) && models?.sprite(entity.model!))) continue;
      const seen = this.sees(entity.origin, entity.kind === 'item' || entity.kind === 'missile' ? PLAYER : THING);
      const state = (seen || !this.isReady(models, ENTITIES + entity.number)) && gameModels ? film.lookOf(entity.number, scene) : null;
      if (state && this.shown(seen, () => gameModels!.thing(entity, state))) this.ready.add(ENTITIES + entity.number);
      else if (seen) this.thing(entity, scene.time);
    }
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.moving.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.used), gl.STREAM_DRAW);
    gl.bindVertexArray(this.moving.array);
    this.place([0, 0, 0], null);
    this.programs.use();
    gl.drawArrays(gl.TRIANGLES, 0, this.used / COLORED);
    this.triangles += this.used / COLORED / 3;
    this.drawModels(this.models, false);
  }

  /** Draws a model. Of one that is not seen the files are read, so that it is there when it comes into sight. */
  private shown(seen: boolean, draw: () => boolean): boolean {
    this.models.only(seen);
    const drawn = draw();
    this.models.only(true);
    return drawn;
  }

  /** Whether somebody's or something's model was there before. */
  private isReady(models: ModelStore | null, key: number): boolean {
    if (models !== this.readyOf) this.ready.clear();
    this.readyOf = models;
    return this.ready.has(key);
  }

  /** Whether something around a place may be seen. */
  private sees(place: Vector, reach: number): boolean {
    return this.frustum.ball(place, reach) && !this.occlusion?.hidesBall(place, reach);
  }

  /** The weapon of the player through whose eyes one sees. */
  private drawHand(scene: Scene, camera: Camera, followed: number | null, { film, models, rays }: Source): void {
    const player = scene.players.find((one) => (followed === null ? one.isView : one.slot === followed));
    const hand = models && player && player.alive !== false && !player.spectator ? film.handOf(player.slot, scene) : null;
    if (!hand || !player) return;
    const { gl } = this;
    this.hand.begin();
    const figure = film.figureOf(player.slot, scene);
    const flashes = !!figure && film.movesOf(player, figure, scene).flashes;
    new GameModels(models!, this.hand, this.lightBy(rays), scene.time).hand(camera.eye, camera.angles, hand, figure, film.velocityOf(player, scene), flashes);
    gl.depthRange(0, 0.3);
    this.drawModels(this.hand, false);
    gl.enable(gl.BLEND);
    this.drawModels(this.hand, true);
    gl.disable(gl.BLEND);
    gl.depthRange(0, 1);
  }

  /** Models: those that cover what is behind them, or those through which one sees. */
  private drawModels({ meshes, batches }: Models, clear: boolean): void {
    const { gl, programs } = this;
    programs.turn('lit', false);
    programs.turn('textured', true);
    programs.turn('clear', clear);
    const factor = (name: string) => gl[name as 'ONE'];
    const use = ({ cut, blend, both }: Picture) => {
      programs.turn('cuts', cut > 0);
      programs.set('cut', cut);
      if (both || cut) gl.disable(gl.CULL_FACE);
      else gl.enable(gl.CULL_FACE);
      if (blend) gl.blendFunc(factor(blend[0]), factor(blend[1]));
    };
    this.place([0, 0, 0], null);
    batches.draw((picture) => (use(picture), programs.use()), clear);
    programs.turn('moved', true);
    meshes.draw(programs, use, clear);
    programs.turn('moved', false);
    this.triangles += batches.triangles + meshes.triangles;
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.CULL_FACE);
    programs.turn('clear', false);
    programs.turn('textured', false);
    programs.turn('cuts', false);
    this.place([0, 0, 0], null);
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
    if (this.used + COLORED > this.data.length) {
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
    this.used += COLORED;
  }
}

/** Where the weapon before one's eyes flashes. */
function muzzleOf({ eye, angles }: Camera): Vector {
  const [forward, left, up] = axes(angles);
  return [0, 1, 2].map((axis) => eye[axis]! + forward[axis]! * 30 - left[axis]! * 7 - up[axis]! * 7) as Vector;
}

/** Light falls from above and a little from one side. */
const brightness = (x: number, y: number, z: number): number => 0.68 + 0.12 * x + 0.07 * y + 0.27 * z;

const rgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
