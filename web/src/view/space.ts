// The level and what moves in it, drawn by WebGL2. Without a map the ground is what players stood on.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import { staticsOf } from '../data/statics';
import type { Vector } from '../data/vector';
import type { Level, Picture } from '../maps/format';
import { type Lit, shadeAt } from '../maps/lightgrid';
import { lightAt } from '../maps/probe';
import type { Rays } from '../maps/rays';
import type { ModelStore } from '../files/modelstore';
import { Billboards } from './billboards';
import { Bursts, flying } from './bursts';
import { type Camera, axes } from './camera';
import { Decals } from './decals';
import { Drawing } from './drawing';
import { Effects, isSprite, lampsOf } from './effects';
import type { Footprint } from './footprint';
import { Frustum } from './frustum';
import { GameModels, powersOf } from './gamemodels';
import { Glow } from './glow';
import { GroundDraws, type Sight } from './grounddraws';
import { Marks } from './marks';
import { Models } from './modeldraws';
import { UNMOVED, layersAt } from './moved';
import { Occlusion } from './occlusion';
import type { Shown } from './overlay';
import { Pellets } from './pellets';
import { linked } from './programs';
import { Shapes } from './shapes';
import { Skydome } from './skydome';
import { isSoftware } from './software';

/** How far models reach from their middle. */
const [PLAYER, THING] = [80, 400];
/** Patches of decals, of four corners. */
const PATCHES = 2048;
/** Above the slots of players. */
const ENTITIES = 1 << 16;

/** What a scene is drawn of. */
export interface Source {
  replay: Replay;
  /** What lines meet in the map. */
  rays: Rays | null;
  /** Models of the game, where there are some. */
  models: ModelStore | null;
  /** How far the floor is below the middle of somebody who stands. */
  stands: number;
  /** Whether one sees whom one follows though one sees through his eyes. */
  isOutside: boolean;
  /** The part of its full width that the picture has: models need no more triangles than that shows. */
  sharpness: number;
}

export class Space {
  private readonly drawing: Drawing;
  private readonly ground: GroundDraws;
  private readonly shapes: Shapes;
  private readonly models: Models;
  /** What is before one's eyes, in front of everything. */
  private readonly hand: Models;
  private readonly glow: Glow;
  private readonly boards: Billboards;
  private readonly marks = new Marks();
  private readonly decals = new Decals();
  private readonly patches: Billboards;
  private readonly pellets = new Pellets();
  private readonly skydome: Skydome;
  private sight: Sight = { frustum: new Frustum(new Float32Array(16)), occlusion: null };
  private readonly hiding = isSoftware() ? new Occlusion() : null;
  /** Players and things whose models were there, and the files that these were in. */
  private readonly ready = new Set<number>();
  private readyOf: ModelStore | null = null;

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.drawing = new Drawing(gl);
    const { unit } = this.drawing;
    this.ground = new GroundDraws(this.drawing);
    this.shapes = new Shapes(this.drawing);
    this.skydome = new Skydome(gl, unit, (vertex, fragment) => linked(gl, vertex, fragment));
    this.models = new Models(gl, unit);
    this.hand = new Models(gl, unit, this.models);
    this.glow = new Glow(gl);
    this.boards = new Billboards(gl, unit);
    this.patches = new Billboards(gl, unit, PATCHES);
    gl.enable(gl.DEPTH_TEST);
    // faces go clockwise, seen from the front
    gl.frontFace(gl.CW);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Triangles drawn last. */
  get triangles(): number {
    return this.drawing.triangles;
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
    this.ground.set(ground);
  }

  draw(
    scene: Scene,
    camera: Camera,
    width: number,
    height: number,
    ceiling: number | null,
    look: Shown,
    source: Source,
  ): void {
    const { gl, drawing } = this;
    const { programs } = drawing;
    const { ground, level } = this.ground;
    gl.viewport(0, 0, width, height);
    const sky = look.dark ? [0.1, 0.12, 0.16] : [0.15, 0.17, 0.21];
    gl.clearColor(sky[0], sky[1], sky[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrix = camera.update();
    const sight = { frustum: new Frustum(matrix), occlusion: level && !camera.isFlat ? this.hiding : null };
    this.sight = sight;
    sight.occlusion?.begin(matrix);
    programs.lose();
    programs.set('matrix', matrix);
    programs.turn('limited', camera.isFlat && ceiling !== null);
    programs.set('ceiling', ceiling ?? 0);
    drawing.triangles = 0;
    const isLit = look.light && !!ground?.light;
    if (isLit) {
      gl.bindTexture(gl.TEXTURE_2D, ground.light);
      ground.flicker?.update(
        gl,
        scene.serverTime / 1000,
        source.replay.happenings.lightsAt(scene.time),
        camera.isFlat ? null : camera.eye,
        axes(camera.angles)[0],
      );
    }
    programs.turn('lit', isLit);
    programs.set('lift', camera.isFlat ? 0.6 : 0.05);
    programs.set('skin', 1);
    programs.set('eye', camera.eye);
    programs.set('grain', 1);
    const [, left, up] = axes(camera.angles);
    programs.set(
      'aside',
      left.map((value) => -value),
    );
    programs.set('upward', up);
    drawing.showLayers(UNMOVED);
    drawing.light(camera.isFlat || !look.things ? [] : lampsOf(source.replay, scene), level?.format === 'Quake III');
    const textured = look.textures && !!ground?.skins;
    this.ground.draw(scene, source.replay, camera, sight, { clear: false, textured, isLit });
    programs.turn('lit', false);
    this.models.begin(left, up);
    if (!camera.isFlat) this.drawMoving(scene, camera, look.followed, source);
    // the sky is seen where nothing is
    if (level && !camera.isFlat)
      this.skydome.draw(
        look.textures ? level.sky : null,
        camera,
        scene.serverTime,
        look.dark,
        sight.occlusion?.open(width, height) ?? null,
      );
    programs.lose();
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.drawModels(this.models, true, scene.serverTime / 1000);
    this.ground.draw(scene, source.replay, camera, sight, { clear: true, textured, isLit });
    if (!camera.isFlat && look.things) this.drawEffects(scene, camera, look.followed, source);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    if (camera.mode === 'eyes') this.drawHand(scene, camera, look.followed, source);
  }

  private drawEffects(scene: Scene, camera: Camera, followed: number | null, { replay, rays, models }: Source): void {
    const [, left, up] = axes(camera.angles);
    this.glow.begin(camera.eye, left, up);
    const eyes =
      camera.mode === 'eyes'
        ? { slot: followed ?? scene.players.find((one) => one.isView)?.slot ?? null, muzzle: muzzleOf(camera) }
        : null;
    this.boards.begin((place, reach) => this.sees(place, reach));
    const { level } = this.ground;
    this.pellets.begin(replay, rays);
    if (level?.format === 'Quake III' && rays) this.marks.add(this.boards, replay, scene, rays, models, this.pellets);
    if (level?.format === 'Half-Life' && rays) this.drawDecals(scene, level, replay, rays, models);
    new Effects(
      this.glow,
      replay,
      rays,
      scene,
      eyes,
      models && new Bursts(this.boards, models, scene, rays, camera.eye, camera.angles),
      this.pellets,
    ).add();
    const { drawing } = this;
    drawing.place([0, 0, 0], null);
    drawing.light([], false);
    this.drawBoards(this.boards);
    drawing.programs.use();
    this.glow.draw();
    drawing.triangles += this.glow.triangles;
  }

  private drawDecals(scene: Scene, level: Level, replay: Replay, rays: Rays, models: ModelStore | null): void {
    const { drawing } = this;
    this.patches.begin((place, reach) => this.sees(place, reach));
    this.decals.add(this.patches, replay, scene, level, rays, models);
    drawing.place([0, 0, 0], null);
    this.drawBoards(this.patches);
  }

  private drawBoards(boards: Billboards): void {
    const { gl, drawing } = this;
    const { programs } = drawing;
    programs.turn('lit', false);
    programs.turn('textured', true);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -1);
    boards.draw({
      use: ({ cut, blend }, moved) => {
        programs.turn('cuts', cut > 0);
        programs.set('cut', cut);
        programs.turn('clear', !!blend);
        drawing.mix(blend ?? ['ONE', 'ZERO']);
        drawing.showLayers(moved);
        programs.use();
      },
    });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    drawing.showLayers(UNMOVED);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const flag of ['textured', 'clear', 'cuts']) programs.turn(flag, false);
    drawing.triangles += boards.triangles;
  }

  private drawMoving(
    scene: Scene,
    camera: Camera,
    followed: number | null,
    { replay, rays, models, stands, isOutside, sharpness }: Source,
  ): void {
    this.shapes.begin();
    const gameModels =
      models &&
      new GameModels(models, this.models, this.lightBy(rays), scene.serverTime, {
        place: camera.eye,
        before: axes(camera.angles)[0],
        focus: sharpness / (Math.tan((camera.fov * Math.PI) / 360) * 0.75),
      });
    for (const player of scene.players) {
      if (
        !player.origin ||
        player.spectator ||
        (camera.mode === 'eyes' && !isOutside && (player.slot === followed || player.isView))
      )
        continue;
      // who died may be in pieces
      if (isOutside && (player.slot === followed || player.isView) && !replay.figureOf(player.slot, scene)) continue;
      const seen = this.sees(player.origin, PLAYER);
      const state =
        (seen || !this.isReady(models, player.slot)) && gameModels ? replay.figureOf(player.slot, scene) : null;
      if (state && this.shown(seen, () => gameModels!.player(player, state, replay.movesOf(player, state, scene)))) {
        this.ready.add(player.slot);
        continue;
      }
      if (seen) this.shapes.player(player, stands, scene.time);
    }
    for (const entity of scene.entities) {
      if (!entity.origin || (isSprite(entity) && models?.sprite(entity.model!)) || flying(entity, models)) continue;
      const seen = this.sees(entity.origin, entity.kind === 'item' || entity.kind === 'missile' ? PLAYER : THING);
      const state =
        (seen || !this.isReady(models, ENTITIES + entity.number)) && gameModels
          ? replay.lookOf(entity.number, scene)
          : null;
      if (state && this.shown(seen, () => gameModels!.thing(entity, state))) this.ready.add(ENTITIES + entity.number);
      else if (seen) this.shapes.thing(entity, scene.time, !!this.ground.level);
    }
    for (const { entity, look } of gameModels ? staticsOf(replay.happenings, scene) : [])
      if (this.sees(entity.origin, THING)) gameModels!.thing(entity, look);
    this.shapes.draw();
    this.drawModels(this.models, false, scene.serverTime / 1000);
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
    return this.sight.frustum.ball(place, reach) && !this.sight.occlusion?.hidesBall(place, reach);
  }

  /** The weapon of the player through whose eyes one sees. */
  private drawHand(scene: Scene, camera: Camera, followed: number | null, { replay, models, rays }: Source): void {
    const player = scene.players.find((one) => (followed === null ? one.isView : one.slot === followed));
    const hand =
      models && player && player.alive !== false && !player.spectator ? replay.handOf(player.slot, scene) : null;
    if (!hand || !player) return;
    const { gl } = this;
    const [, left, up] = axes(camera.angles);
    this.hand.begin(left, up);
    const figure = replay.figureOf(player.slot, scene);
    const flashes = !!figure && replay.movesOf(player, figure, scene).flashes;
    const gameModels = new GameModels(models!, this.hand, this.lightBy(rays), scene.serverTime);
    gameModels.powers = powersOf(player);
    gameModels.hand(camera.eye, camera.angles, hand, figure, replay.velocityOf(player, scene), flashes);
    gl.depthRange(0, 0.3);
    this.drawModels(this.hand, false, scene.serverTime / 1000);
    gl.enable(gl.BLEND);
    this.drawModels(this.hand, true, scene.serverTime / 1000);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.depthRange(0, 1);
  }

  /** Models: those that cover what is behind them, or those through which one sees. */
  private drawModels({ meshes, batches }: Models, clear: boolean, seconds: number): void {
    const { gl, drawing } = this;
    const { programs } = drawing;
    programs.turn('lit', false);
    programs.turn('textured', true);
    programs.turn('clear', clear);
    const use = ({ cut, blend, both, motion, deforms = [], hides = false }: Picture) => {
      gl.depthMask(!clear || hides);
      drawing.showLayers(
        motion ? layersAt({ motion, frames: [], switched: [], rate: 0, blend }, seconds, true) : UNMOVED,
      );
      drawing.deform(deforms, seconds);
      // what a shader draws over a model is as far as it
      gl.depthFunc(motion ? gl.LEQUAL : gl.LESS);
      programs.turn('cuts', cut > 0);
      programs.set('cut', cut);
      if (both || cut) gl.disable(gl.CULL_FACE);
      else gl.enable(gl.CULL_FACE);
      if (blend) drawing.mix(blend);
    };
    drawing.place([0, 0, 0], null);
    batches.draw((picture) => {
      use(picture);
      programs.use();
    }, clear);
    programs.turn('moved', true);
    const { fogs } = this.ground;
    meshes.draw(programs, use, clear, (place, reach, { blend }) => {
      if (fogs.length)
        drawing.fog(
          fogs.find(({ min, max }) => place.every((value, axis) => value >= min[axis] && value <= max[axis])) ?? null,
          blend,
        );
      if (drawing.isShining)
        programs.turn(
          'shining',
          drawing.reaches({
            min: place.map((value) => value - reach) as Vector,
            max: place.map((value) => value + reach) as Vector,
          }),
        );
    });
    programs.turn('shining', drawing.isShining);
    drawing.fog(null, null);
    drawing.showLayers(UNMOVED);
    drawing.deform([], 0);
    gl.depthFunc(gl.LESS);
    programs.set('grain', 1);
    programs.turn('moved', false);
    drawing.triangles += batches.triangles + meshes.triangles;
    gl.depthMask(!clear);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.CULL_FACE);
    programs.turn('clear', false);
    programs.turn('textured', false);
    programs.turn('cuts', false);
    drawing.place([0, 0, 0], null);
  }

  /** How bright things are on this ground. */
  private lightBy(rays: Rays | null): (place: Vector) => Lit {
    const { level } = this.ground;
    const grid = level?.grid;
    if (grid) return (place) => shadeAt(grid, place);
    return level && rays ? (place) => lightAt(level, rays, place) : () => [1, 1, 1];
  }
}

/** Where the weapon before one's eyes flashes. */
function muzzleOf({ eye, angles }: Camera): Vector {
  const [forward, left, up] = axes(angles);
  return [0, 1, 2].map((axis) => eye[axis] + forward[axis] * 30 - left[axis] * 7 - up[axis] * 7) as Vector;
}
