// Which models a player or a thing is drawn with, and in which pose, game by game. Without the files, nothing is drawn: the viewer's own figure is.

import type { Entity, Player, Vector } from '../data/film';
import type { HandState, ModelState } from '../data/looks';
import type { Picture } from '../maps/textures';
import { frameOf, readAnimations } from '../models/animation';
import type { Model, Surface } from '../models/model';
import { type ModelStore, skinLines } from '../models/store';
import { type Between, type Frame, type Played, bonesOf, frameAt, tagFrame, within } from './pose';
import type { ModelBatches } from './batches';

/** Milliseconds from one frame of Quake to the next, and degrees that its things turn in a second. */
const [STEP, TURN] = [100, 100];
/** Frames of a group go on ten times a second. */
const GROUP = 100;
const STILL: Between = { from: 0, to: 0, part: 0 };
/** Of a player's figure in Quake III, what is nodded with the torso. */
const TORSO_NOD = 0.75;
const WEAPON_SCALE = 1.5;
/** Who takes the place of a figure that is not there, as in the game. */
const SUBSTITUTE = 'models/players/sarge';

export class GameModels {
  constructor(
    private readonly store: ModelStore,
    private readonly batches: ModelBatches,
    /** How bright it is at a place. */
    private readonly light: (place: Vector) => Vector,
    private readonly time: number,
  ) {}

  /** Draws a player, or says that it cannot. */
  player(player: Player, state: ModelState): boolean {
    const [pitch, yaw] = player.angles ?? [0, 0, 0];
    const origin = player.origin!;
    const light = this.light(origin);
    if (state.model.startsWith('models/players/')) return this.threeParts(state, origin, player.alive === false ? 0 : pitch, yaw, player.team, light);
    // the model leans by a third of what the eyes do
    return this.model(state, frameAt(origin, [pitch / 3, yaw, 0]), light);
  }

  /** Draws the weapon that somebody sees before his eyes. */
  hand(eye: Vector, angles: Vector, hand: HandState, held: string | null): boolean {
    const model = this.store.model(hand.model);
    if (!model) return false;
    const [frame, light] = [frameAt(eye, angles), this.light(eye)];
    const state: ModelState = { model: hand.model, held: null, skin: null, skinNumber: 0, colors: null, body: 0, frame: 0, before: 0, since: hand.since, next: 0, part: 0, sequence: 0, sequenceSince: 0, second: null, secondSince: 0, began: null, rate: 1 };
    if (model.skeleton) {
      const sequence = model.skeleton.sequences[hand.frame ?? 0] ?? model.skeleton.sequences[0];
      const last = Math.max(0, (sequence?.frames ?? 1) - 1);
      const reached = (hand.since / 1000) * (sequence?.rate ?? 0);
      const at = last && sequence?.loops ? reached % last : Math.min(last - 0.001, reached);
      return this.onBones(hand.model, model, state, bonesOf(model.skeleton, { sequence, frame: Math.max(0, at) }, null, frame), light);
    }
    if (model.format === 'MD3') {
      // the hand itself is not seen: it says where the weapon is
      const [tag, weapon] = [tagFrame(model, 'tag_weapon', STILL), held ? this.store.model(held) : null];
      return !!tag && !!weapon && this.whole(held!, weapon, state, STILL, within(frame, tag), light);
    }
    const pose = (number: number | null) => (model.format === 'MDL' ? (model.frames[Math.max(0, Math.min(model.frames.length - 1, number ?? 0))]?.[0] ?? 0) : (number ?? 0));
    return this.whole(hand.model, model, state, { from: pose(hand.before), to: pose(hand.frame), part: Math.min(1, hand.since / STEP) }, frame, light);
  }

  /** Draws an entity, or says that it cannot. */
  thing(entity: Entity, state: ModelState): boolean {
    const origin: Vector = [...entity.origin!];
    const light = this.light(origin);
    const angles: Vector = entity.angles ? [...entity.angles] : [0, 0, 0];
    if (state.model.startsWith('models/players/') && !state.model.endsWith('.md2')) return this.threeParts(state, origin, 0, angles[1], null, light);
    const model = this.store.model(state.model);
    if (!model) return false;
    let scale = 1;
    if (model.format === 'MD3') {
      if (entity.kind === 'item') {
        origin[2] += 4 + 4 * Math.cos((this.time + 1000) * (0.005 + entity.number * 0.00001));
        angles[1] = ((this.time % 2048) / 2048) * 360;
        scale = entity.item?.own.startsWith('weapon_') ? WEAPON_SCALE : 1;
      } else if (entity.heading) angles.splice(0, 3, ...facing(entity.heading));
    } else if (model.format === 'MD2') {
      if (entity.kind === 'item') angles[1] = (this.time / 1000) * TURN;
    } else if (model.format !== 'BSP') {
      // up is above zero in these games
      angles[0] = -angles[0];
      if (model.flags & 8) angles[1] = (this.time / 1000) * TURN;
    }
    const frame = frameAt(origin, angles);
    if (scale !== 1) frame.axes = frame.axes.map((axis) => axis.map((value) => value * scale)) as Frame['axes'];
    return this.model(state, frame, light);
  }

  /** One model, and the weapon that goes with it. */
  private model(state: ModelState, frame: Frame, light: Vector): boolean {
    const model = this.store.model(state.model);
    if (!model) return false;
    if (model.skeleton) return this.skeleton(state, model, frame, light);
    const between = this.between(model, state);
    if (!this.whole(state.model, model, state, between, frame, light)) return false;
    const held = state.held ? this.store.model(state.held) : null;
    if (held) this.whole(state.held!, held, { ...state, skin: null, skinNumber: 0 }, between, frame, light);
    return true;
  }

  private between(model: Model, state: ModelState): Between {
    if (model.format !== 'MDL') return { from: state.frame, to: state.next, part: state.part };
    const group = (frame: number) => {
      const [first, count] = model.frames[Math.max(0, Math.min(model.frames.length - 1, frame))] ?? [0, 1];
      return count > 1 ? first + (Math.floor(this.time / GROUP) % count) : first;
    };
    // a frame is reached when the next one is due
    return { from: group(state.before), to: group(state.frame), part: Math.min(1, state.since / STEP) };
  }

  /** All surfaces of a model that has no bones, if their pictures are there. */
  private whole(path: string, model: Model, state: ModelState, between: Between, frame: Frame, light: Vector, skins?: Map<string, string>): boolean {
    const pictures = model.surfaces.map((surface) => this.picture(path, model, surface, state, skins));
    if (!pictures.some(Boolean)) return false;
    model.surfaces.forEach((surface, at) => pictures[at] && this.batches.addMoved(model, surface, between, frame, pictures[at], light));
    return true;
  }

  private picture(path: string, model: Model, surface: Surface, state: ModelState, skins?: Map<string, string>): Picture | null {
    const { store } = this;
    const number = state.skinNumber ?? 0;
    switch (model.format) {
      case 'MDL':
        return store.quakeSkin(path, model, number, state.colors);
      case 'BSP': {
        const [inside] = surface.skins;
        return typeof inside === 'number' ? store.quakeSkin(path, model, inside, null) : null;
      }
      case 'MD2': {
        const named = state.skin ?? surface.skins[number] ?? surface.skins[0];
        return typeof named === 'string' ? store.file(named) : null;
      }
      default: {
        const shader = skins?.get(surface.name) ?? surface.skins[0];
        return typeof shader === 'string' ? store.shader(shader) : null;
      }
    }
  }

  /** A figure of Quake III: the torso on the legs, the head and the weapon on the torso. */
  private threeParts(state: ModelState, origin: Vector, pitch: number, yaw: number, team: string | null, light: Vector): boolean {
    const { store } = this;
    const folder = state.model !== SUBSTITUTE && store.isMissing('model', `${state.model}/lower.md3`) ? SUBSTITUTE : state.model;
    const [lower, upper, head] = ['lower', 'upper', 'head'].map((part) => store.model(`${folder}/${part}.md3`));
    const animations = store.text(`${folder}/animation.cfg`, readAnimations);
    if (!lower || !upper || !head || !animations) return false;
    const between = (number: number | null, since: number): Between => {
      const [from, to, part] = frameOf(animations, number ?? 0, since);
      return { from, to, part };
    };
    const [legs, torso] = [between(state.sequence, state.sequenceSince), between(state.second, state.secondSince)];
    const lowerFrame = frameAt(origin, [0, yaw, 0]);
    const onLegs = tagFrame(lower, 'tag_torso', legs);
    if (!onLegs) return false;
    const nod = pitch * TORSO_NOD;
    const turned = (tag: Frame, degrees: number): Frame => within(tag, frameAt([0, 0, 0], [degrees, 0, 0]));
    const upperFrame = within(lowerFrame, turned(onLegs, nod));
    const neck = tagFrame(upper, 'tag_head', torso);
    const hand = tagFrame(upper, 'tag_weapon', torso);
    const skins = ['lower', 'upper', 'head'].map((part) => this.skin(folder, part, state.skin, team));
    let drawn = false;
    const part = (name: string, model: Model, at: number, pose: Between, frame: Frame) => {
      drawn = this.whole(`${folder}/${name}.md3`, model, state, pose, frame, light, skins[at] ?? undefined) || drawn;
    };
    part('lower', lower, 0, legs, lowerFrame);
    part('upper', upper, 1, torso, upperFrame);
    if (neck) part('head', head, 2, STILL, within(upperFrame, turned(neck, pitch - nod)));
    const weapon = state.held && hand ? store.model(state.held) : null;
    if (weapon) this.whole(state.held!, weapon, state, STILL, within(upperFrame, hand!), light);
    return drawn;
  }

  /** What covers a part: in the team's color, as the player chose, or as everybody has it. */
  private skin(folder: string, part: string, name: string | null, team: string | null): Map<string, string> | null {
    for (const one of [team === 'red' || team === 'blue' ? team : null, name, 'default']) {
      if (!one) continue;
      const path = `${folder}/${part}_${one}.skin`;
      const lines = this.store.text(path, skinLines);
      if (lines) return lines;
      if (this.store.isPending('text', path)) return null;
    }
    return null;
  }

  /** A figure of Half-Life, and the weapon whose bones are its own. */
  private skeleton(state: ModelState, model: Model, frame: Frame, light: Vector): boolean {
    const { sequences } = model.skeleton!;
    const sequence = sequences[state.sequence ?? 0];
    const gait = state.second ? sequences[state.second] : undefined;
    const walked: Played | null = gait ? { sequence: gait, frame: ((this.time / 1000) * gait.rate) % Math.max(1, gait.frames - 1) } : null;
    const bones = bonesOf(model.skeleton!, { sequence, frame: played(sequence, state) }, walked, frame);
    const drawn = this.onBones(state.model, model, state, bones, light);
    const held = state.held ? this.store.model(state.held) : null;
    if (drawn && held?.skeleton) {
      const over = { names: model.skeleton!.names, bones };
      this.onBones(state.held!, held, { ...state, body: 0, skinNumber: 0 }, bonesOf(held.skeleton, { sequence: held.skeleton.sequences[0], frame: 0 }, null, frame, over), light);
    }
    return drawn;
  }

  private onBones(path: string, model: Model, state: ModelState, bones: Float32Array, light: Vector): boolean {
    const { parts, families, references } = model.skeleton!;
    const family = (state.skinNumber ?? 0) * references;
    let drawn = false;
    for (const { base, models } of parts) {
      const [first, count] = models[Math.floor((state.body ?? 0) / base) % Math.max(1, models.length)] ?? [0, 0];
      for (const surface of model.surfaces.slice(first, first + count)) {
        const reference = Number(surface.skins[0]);
        const picture = this.store.insidePicture(path, model, families[family + reference] ?? families[reference] ?? 0, surface.masked);
        if (!picture) continue;
        this.batches.addOnBones(surface, bones, picture, light);
        drawn = true;
      }
    }
    return drawn;
  }
}

/** The frame of a sequence that is shown. */
function played(sequence: Played['sequence'], state: ModelState): number {
  if (!sequence?.frames) return 0;
  const last = sequence.frames - 1;
  const frame = (state.frame * last) / 256 + ((state.began ?? 0) / 1000) * state.rate * sequence.rate;
  if (!(last > 0)) return 0;
  return sequence.loops ? ((frame % last) + last) % last : Math.max(0, Math.min(last - 0.001, frame));
}

/** The angles of something that flies. */
function facing([x, y, z]: Vector): Vector {
  return [(-Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI, (Math.atan2(y, x) * 180) / Math.PI, 0];
}
