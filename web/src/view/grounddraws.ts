// The ground on the graphics card: the level, its pictures, and its parts where the recording has them; without a map what players stood on.

import type { Replay } from '../data/replay';
import type { Render } from '../data/looks';
import type { Scene } from '../data/scene';
import { staticsOf } from '../data/statics';
import type { Vector } from '../data/vector';
import type { Fog, Level, Part } from '../maps/format';
import type { Camera } from './camera';
import type { Drawing } from './drawing';
import type { Footprint } from './footprint';
import { type Frustum, distance } from './frustum';
import { type Ground, forgetGround, groundOf } from './ground';
import { type Moved, UNMOVED, isMoved, layersAt } from './moved';
import type { Occlusion } from './occlusion';
import type { Piece } from './pieces';
import { ADDED, GLOW, HOLES, ONE_COLOR, amountOf, colorOf } from './render';
import type { Batch } from './skins';

/** Pieces of a level that are as far within these units count as equal. */
const STEP = 128;

/** What a camera sees, and what hides what where that is worth it. */
export interface Sight {
  frustum: Frustum;
  occlusion: Occlusion | null;
}

interface Place {
  origin: Vector;
  angles: Vector | null;
  isSwitched: boolean;
  /** How Half-Life draws it, if not in the usual way, and the part of it that is seen. */
  render: Render | null;
  seen: number;
}

const WORLD: Place = { origin: [0, 0, 0], angles: null, isSwitched: false, render: null, seen: 1 };

/** How a part is mixed with what is behind it, and what its pictures are multiplied with. */
interface Through {
  blend: [string, string];
  dye: Moved['dye'];
  /** Whether its pictures do not matter. */
  single: boolean;
}

/** A visible piece of a batch. */
interface Seen {
  number: number;
  far: number;
  /** Whether a lamp reaches it. */
  shines: boolean;
  piece: Piece;
}

export class GroundDraws {
  ground: Ground | null = null;
  level: Level | null = null;
  private shown: Level | Footprint | null = null;
  /** What hides what is in it, while its pictures are shown. */
  fogs: readonly Fog[] = [];
  /** Where parts of the map were seen last. */
  private readonly places = new Map<number, Place>();
  private isFlat = false;

  constructor(private readonly drawing: Drawing) {}

  /** The ground to draw: a map, or the footprint. */
  set(ground: Level | Footprint | null): void {
    if (ground === this.shown) return;
    this.shown = ground;
    const { gl } = this.drawing;
    if (this.ground) {
      forgetGround(gl, this.ground);
      this.ground = null;
    }
    this.level = ground && 'parts' in ground ? ground : null;
    this.places.clear();
    if (!ground) return;
    this.ground = groundOf(gl, ground);
  }

  /** Draws what is solid, or what is seen through. */
  draw(
    scene: Scene,
    replay: Replay,
    camera: Camera,
    sight: Sight,
    how: { clear: boolean; textured: boolean; isLit: boolean },
  ): void {
    const { clear, textured, isLit } = how;
    const { drawing, ground, level } = this;
    const { gl } = drawing;
    this.fogs = textured ? (level?.fogs ?? []) : [];
    if (!ground) return;
    gl.bindVertexArray(ground.array);
    if (!level) {
      if (clear) return;
      gl.enable(gl.CULL_FACE);
      drawing.place([0, 0, 0], null);
      drawing.elements(0, ground.count);
      gl.disable(gl.CULL_FACE);
      return;
    }
    this.isFlat = camera.isFlat;
    // the surface of water is seen from both sides
    if (clear) gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    if (!clear) this.findParts(scene, replay);
    level.parts.forEach((part, number) => {
      if (!number && !clear) {
        this.drawWorld(camera, scene, sight, textured, isLit);
        return;
      }
      const [first, count] = clear ? [part.liquidFirst, part.liquidCount] : [part.first, part.count];
      if (!count && !clear) return;
      const place = number ? this.placeOf(part, number) : WORLD;
      if (!place || place.seen <= 0) return;
      const through = throughOf(place);
      // one sees through all of it
      if (through && !clear) return;
      drawing.place(place.origin, place.angles);
      if (!textured) {
        if (through) this.drawFlat([part], through);
        drawing.pieces([{ first, count }]);
      } else {
        for (const batch of ground.skins!.batches[number]) {
          if (batch.clear !== clear && !through) continue;
          const pieces = number
            ? [batch]
            : batch.pieces.filter((piece) => sight.frustum.box(piece) && !sight.occlusion?.hides(piece));
          if (pieces.length) this.drawBatch(batch, pieces, scene, isLit, place.isSwitched, part.conveys, through);
        }
      }
    });
    gl.disable(gl.CULL_FACE);
  }

  /** What is seen of the solid world, near pieces first. */
  private drawWorld(
    camera: Camera,
    scene: Scene,
    { frustum, occlusion }: Sight,
    textured: boolean,
    isLit: boolean,
  ): void {
    const { drawing } = this;
    const { skins, pieces, indices } = this.ground!;
    const level = this.level!;
    const batches: { batch: Batch | null; pieces: Piece[] }[] = textured
      ? skins!.batches[0].filter(({ clear }) => !clear).map((batch) => ({ batch, pieces: batch.pieces }))
      : [{ batch: null, pieces: skins ? skins.batches[0].flatMap((batch) => batch.pieces) : pieces }];
    const seen: Seen[] = [];
    batches.forEach(({ pieces }, number) => {
      for (const piece of pieces)
        if (frustum.box(piece))
          seen.push({
            number,
            far: camera.isFlat ? -piece.max[2] : Math.sqrt(distance(piece, camera.eye)),
            shines: false,
            piece,
          });
    });
    if (occlusion) {
      seen.sort((a, b) => a.far - b.far);
      for (const { number, piece } of seen) {
        const { batch } = batches[number];
        if (batch?.cut || batch?.both || batch?.deforms.length) continue;
        for (let at = piece.first; at < piece.first + piece.count; at += 3)
          occlusion.add(level.positions, indices[at], indices[at + 1], indices[at + 2]);
      }
      occlusion.finish();
    }
    // what is nearly as far is drawn by its picture: another one costs time, too
    const shown = occlusion ? seen.filter(({ piece }) => !occlusion.hides(piece)) : seen;
    for (const one of shown) {
      one.far = Math.floor(one.far / STEP);
      one.shines = drawing.isShining && drawing.reaches(one.piece);
    }
    shown.sort(
      (a, b) =>
        a.far - b.far || a.number - b.number || Number(a.shines) - Number(b.shines) || a.piece.first - b.piece.first,
    );
    drawing.place([0, 0, 0], null);
    for (let at = 0; at < shown.length; ) {
      const { number, shines } = shown[at];
      const together: Piece[] = [];
      for (; at < shown.length && shown[at].number === number && shown[at].shines === shines; at++)
        together.push(shown[at].piece);
      const { batch } = batches[number];
      drawing.programs.turn('shining', shines);
      if (batch) this.drawBatch(batch, together, scene, isLit, false);
      else drawing.pieces(together);
    }
    drawing.programs.turn('shining', drawing.isShining);
  }

  /** Triangles with their pictures. */
  private drawBatch(
    batch: Batch,
    pieces: readonly { first: number; count: number }[],
    scene: Scene,
    isLit: boolean,
    isSwitched: boolean,
    conveys = 0,
    through: Through | null = null,
  ): void {
    const { drawing } = this;
    const { gl, programs } = drawing;
    const { texture, cut, liquid, motion, fog } = batch;
    const [blend, clear] = through ? [through.blend, true] : [batch.blend, batch.clear];
    const deforms = this.isFlat ? [] : batch.deforms;
    // what faces the eye has one side
    const both = batch.both || deforms.some(({ kind }) => kind === 'sprite' || kind === 'spindle');
    if (!texture) {
      if (through) this.drawFlat(pieces, through);
      else drawing.pieces(pieces);
      return;
    }
    programs.turn('single', !!through?.single);
    drawing.unit.show(texture);
    programs.turn('textured', true);
    programs.turn('cuts', cut > 0);
    programs.set('cut', cut);
    programs.turn('sways', liquid);
    const seconds = scene.serverTime / 1000;
    if (liquid) programs.set('sway', seconds % (Math.PI * 2));
    let moved = UNMOVED;
    if (isMoved(batch) || batch.scrolls > 0) {
      moved = layersAt(
        isSwitched && batch.switched.length ? { ...batch, frames: batch.switched } : batch,
        seconds,
        isLit,
      );
      if (batch.scrolls) moved = { ...moved, shift: [(-conveys * batch.scrolls * seconds) % 1, 0] };
    }
    // how much of water is seen is stated, too
    if (through) moved = { ...moved, dye: through.dye, plain: liquid || moved.plain };
    if (moved !== UNMOVED) drawing.showLayers(moved);
    if (deforms.length) drawing.deform(deforms, seconds);
    if (fog && !this.isFlat) drawing.fog(fog, blend);
    // what lies on a face that a flash lights is not lit by it again
    const isOver = !!blend && !!motion;
    if (isOver) programs.turn('shining', false);
    // what shines itself is not lit
    programs.turn('lit', isLit && (motion?.lit ?? !clear));
    if (blend) {
      programs.turn('clear', true);
      drawing.mix(blend);
      // what lies on a wall is in front of it
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-1, -1);
      if (!both) gl.enable(gl.CULL_FACE);
    } else if (both) gl.disable(gl.CULL_FACE);
    drawing.pieces(pieces);
    if (blend) {
      programs.turn('clear', false);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.CULL_FACE);
    } else if (both && !clear) gl.enable(gl.CULL_FACE);
    if (deforms.length) drawing.deform([], 0);
    if (fog) drawing.fog(null, null);
    programs.turn('textured', false);
    programs.turn('lit', isLit && !clear);
    programs.turn('cuts', false);
    programs.turn('sways', false);
    programs.turn('single', false);
    if (moved !== UNMOVED) drawing.showLayers(UNMOVED);
    if (isOver) programs.turn('shining', drawing.isShining);
  }

  /** Triangles without pictures through which one sees. */
  private drawFlat(pieces: readonly { first: number; count: number }[], { blend, dye, single }: Through): void {
    const { drawing } = this;
    const { gl, programs } = drawing;
    programs.turn('single', single);
    drawing.showLayers({ ...UNMOVED, dye });
    drawing.mix(blend);
    drawing.pieces(pieces);
    programs.turn('single', false);
    drawing.showLayers(UNMOVED);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  private findParts(scene: Scene, replay: Replay): void {
    for (const { model, origin, angles, number } of scene.entities) {
      if (!model?.startsWith('*') || !origin) continue;
      const look = replay.lookOf(number, scene);
      const render = look?.render ?? null;
      this.places.set(Number(model.slice(1)), {
        origin,
        angles,
        // buttons and the like show other textures while they have another frame
        isSwitched: (look?.frame ?? 0) !== 0,
        render,
        seen: render ? amountOf(render, number, scene.serverTime / 1000, 0) : 1,
      });
    }
    for (const { entity, look } of staticsOf(replay.happenings, scene)) {
      const { model, origin, angles } = entity;
      if (model?.startsWith('*'))
        this.places.set(Number(model.slice(1)), { ...WORLD, origin, angles, isSwitched: look.frame !== 0 });
    }
  }

  private placeOf(part: Part, number: number): Place | null {
    return this.places.get(number) ?? (part.drawn ? { ...WORLD, origin: part.origin } : null);
  }
}

/** How a part is seen through; nothing if it is drawn as it is, with its holes. */
function throughOf({ render, seen }: Place): Through | null {
  if (!render || render.mode === HOLES) return null;
  const single = render.mode === ONE_COLOR;
  if (render.mode === ADDED || render.mode === GLOW)
    return { blend: ['ONE', 'ONE'], dye: [seen, seen, seen, 1], single };
  return {
    blend: ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA'],
    dye: single ? [...colorOf(render), seen] : [1, 1, 1, seen],
    single,
  };
}
