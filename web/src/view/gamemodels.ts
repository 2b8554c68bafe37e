// Which models a player or a thing is drawn with, and in which pose, game by game. Without the files, nothing is drawn: the viewer's own figure is.

import type { Moves } from '../data/replay';
import type { Entity, Player } from '../data/scene';
import { type Vector, turn } from '../data/vector';
import type { HandState, ModelState, Render } from '../data/looks';
import type { Picture } from '../maps/format';
import { frameOf, handFrame, readAnimations } from '../models/animation';
import { type Lit, isEven } from '../maps/lightgrid';
import type { Model, Surface } from '../models/model';
import { type ModelStore, skinLines } from '../files/modelstore';
import { swayOf } from './bob';
import { type Between, type Frame, type Played, bonesOf, frameAt, tagFrame, within } from './pose';
import type { Models } from './modeldraws';
import { ADDED, GLOW, amountOf, mixedPicture } from './render';

/** Milliseconds from one frame of Quake to the next, and degrees that its things turn in a second. */
const [STEP, TURN] = [100, 100];
/** Frames of a group go on ten times a second. */
const GROUP = 100;
const STILL: Between = { from: 0, to: 0, part: 0 };
/** Of a player's figure in Quake III, what is nodded with the torso. */
const TORSO_NOD = 0.75;
const WEAPON_SCALE = 1.5;
/** How much a player of Quake III leans by a unit a second. */
const LEAN = 0.05;
/** Degrees a millisecond that a barrel turns, and how long it turns on. */
const [SPIN, COAST] = [0.9, 1000];
/** Weapons that flash as long as they are fired. */
const STEADY = /weapons2?\/(lightning|gauntlet|grapple)\//;
/** How much larger than the model its shell is. */
const SHELL = 1.06;
const FULL: Vector = [1, 1, 1];
/** The hand model of Quake III for weapons without one of their own. */
const [HAND, ANY_HAND] = ['_hand.md3', 'models/weapons2/shotgun/shotgun_hand.md3'];
/** The models around items of Quake III: a sphere, or a ring. The ring is this much higher and turns the other way. */
const [AROUND, RING_HEIGHT, RING_TURN] = [
  [
    [/(powerups\/health\/\w+)_cross\.md3$/i, '$1_sphere.md3'],
    [/(powerups\/instant\/(?!\w*_ring)\w+)\.md3$/i, '$1_ring.md3'],
  ] as const,
  12,
  1024,
];
/** What shaders of Quake III show around who has a power, and around the weapon. */
const SHELLS = [
  ['quad', 'powerups/quad', 'powerups/quadweapon'],
  ['battle_suit', 'powerups/battlesuit', 'powerups/battleweapon'],
  ['invisibility', 'powerups/invisibility', 'powerups/invisibility'],
] as const;
/** The shell of regeneration, which no weapon has: the number of parts of a second (it is seen in one of them) and their length in milliseconds. */
const [REGENERATION, PULSES, PULSE] = ['powerups/regen', 10, 100];
/** How much brighter than a wall in the same light a model of Quake II is. */
const BRIGHTER = 4 / 3;
/** Degrees to either side that a figure of Half-Life turns on its legs before it walks backwards, and what its four controllers turn. */
const [TWIST, TURNS] = [120, 30];
/** Who takes the place of a figure that is not there, as in the game. */
const SUBSTITUTE = 'models/players/sarge';

/** Who looks: from where, which way, and how much larger than its place in the picture's height something one unit away is. */
export interface Eye {
  place: Vector;
  /** The direction ahead. */
  before: Vector;
  focus: number;
}

/** How soon Quake III takes models with fewer triangles, and how many it has of one at most. */
const [DETAIL, LEVELS] = [5, 3];

export class GameModels {
  /** The powers of whom it draws. */
  powers: string[] = [];
  /** The part that is seen of what it draws. */
  private seen = 1;

  constructor(
    private readonly store: ModelStore,
    private readonly models: Models,
    /** How bright it is at a place. */
    private readonly light: (place: Vector) => Lit,
    private readonly time: number,
    private readonly eye: Eye | null = null,
  ) {}

  /** Draws a player, or says that it cannot. */
  player(player: Player, look: ModelState, moves: Moves | null = null): boolean {
    const state = this.armed(look);
    if (!this.see(state, player.slot + 1, player.origin!)) return true;
    const [pitch, yaw] = player.angles ?? [0, 0, 0];
    const origin = player.origin!;
    const light = this.light(origin);
    this.powers = powersOf(player);
    if (state.model.startsWith('models/players/') && !state.model.endsWith('.md2'))
      return this.threeParts(state, origin, player, moves, light);
    // the model leans by a third of what the eyes do
    const model = this.store.model(state.model);
    if (model?.skeleton) return this.walker(state, model, origin, pitch, yaw, moves?.gait ?? yaw, light);
    return this.model(state, frameAt(origin, [pitch / 3, yaw, 0]), light);
  }

  /** A player of Half-Life: the legs go where the feet do, controllers turn the rest to the view, and blends look up and down. */
  private walker(
    state: ModelState,
    model: Model,
    origin: Vector,
    pitch: number,
    yaw: number,
    gait: number,
    light: Lit,
  ): boolean {
    let [legs, twist, backwards] = [gait, turnBetween(gait, yaw), false];
    if (Math.abs(twist) > TWIST) {
      legs += 180;
      twist = turnBetween(legs, yaw);
      backwards = true;
    }
    const controllers = Array(4).fill(
      Math.max(0, Math.min(255, ((twist / 4 + TURNS) * 255) / (TURNS * 2))),
    ) as number[];
    const { sequences, controllers: turns } = model.skeleton!;
    if (!turns.length) [legs, backwards] = [yaw, false];
    const sequence = sequences[state.sequence ?? 0];
    // up is above zero here
    const [least, most] = sequence?.other ? sequence.range : [0, 0];
    const seen = Math.max(least, Math.min(most, -pitch));
    const blend = most - least < 0.1 ? 0.5 : (seen - least) / (most - least);
    const rest = sequence?.other ? -(-pitch - seen) : pitch;
    return this.skeleton(
      { ...state, controllers },
      model,
      frameAt(origin, [rest / 3, legs, 0]),
      light,
      blend,
      backwards,
    );
  }

  /** Draws the weapon that somebody sees before his eyes. */
  hand(
    eye: Vector,
    angles: Vector,
    hand: HandState,
    figure: ModelState | null,
    velocity: Vector | null = null,
    flashes = false,
  ): boolean {
    const model = this.store.model(hand.model) ?? (hand.model.endsWith(HAND) ? this.store.model(ANY_HAND) : null);
    if (!model) return false;
    const { offset, turn } = swayOf(model, hand, velocity, this.time);
    const held = figure?.held ?? null;
    const [frame, light] = [within(frameAt(eye, angles), frameAt(offset, turn)), this.light(eye)];
    const state: ModelState = {
      model: hand.model,
      held: null,
      bare: null,
      skin: null,
      skinNumber: 0,
      colors: null,
      body: 0,
      frame: 0,
      before: 0,
      since: hand.since,
      next: 0,
      part: 0,
      sequence: 0,
      sequenceSince: 0,
      second: null,
      secondSince: 0,
      began: null,
      rate: 1,
      carried: null,
      carriedSkin: null,
      shell: null,
      onlyShell: false,
      render: null,
      rotates: false,
      firing: null,
      blends: null,
      controllers: null,
    };
    if (model.skeleton) {
      const sequence = model.skeleton.sequences[hand.frame ?? 0] ?? model.skeleton.sequences[0];
      const last = Math.max(0, (sequence?.frames ?? 1) - 1);
      const reached = (hand.since / 1000) * (sequence?.rate ?? 0);
      const at = last && sequence?.loops ? reached % last : Math.min(last - 0.001, reached);
      return this.onBones(
        hand.model,
        model,
        state,
        bonesOf(model.skeleton, { sequence, frame: Math.max(0, at) }, null, frame),
        light,
      );
    }
    if (model.format === 'MD3') {
      // the hand itself is not seen: it says where the weapon is
      const [tag, weapon] = [
        tagFrame(model, 'tag_weapon', this.handPose(figure)),
        held ? this.store.model(held) : null,
      ];
      const worn = figure && { ...state, firing: figure.firing, shell: figure.shell, onlyShell: figure.onlyShell };
      return !!tag && !!weapon && this.weapon(held!, worn ?? state, within(frame, tag), flashes, light);
    }
    const pose = (number: number | null) =>
      model.format === 'MDL'
        ? (model.frames[Math.max(0, Math.min(model.frames.length - 1, number ?? 0))]?.[0] ?? 0)
        : (number ?? 0);
    return this.whole(
      hand.model,
      model,
      state,
      { from: pose(hand.before), to: pose(hand.frame), part: Math.min(1, hand.since / STEP) },
      frame,
      light,
    );
  }

  /** The pose of the hand of Quake III: the torso's, as far as it changes or fires the weapon. */
  private handPose(figure: ModelState | null): Between {
    const animations = figure && this.store.text(`${figure.model}/animation.cfg`, readAnimations);
    if (!figure || !animations) return STILL;
    const [from, to, part] = frameOf(animations, figure.second ?? 0, figure.secondSince);
    const [first, second] = [from, to].map((frame) => handFrame(animations, frame)) as [number, number];
    return { from: first, to: second, part };
  }

  /** Draws an entity, or says that it cannot. */
  thing(entity: Entity, state: ModelState): boolean {
    this.powers = [];
    if (!this.see(state, entity.number, entity.origin!)) return true;
    const origin: Vector = [...entity.origin!];
    const light = this.light(origin);
    const angles: Vector = entity.angles ? [...entity.angles] : [0, 0, 0];
    if (state.model.startsWith('models/players/') && !state.model.endsWith('.md2'))
      return this.threeParts(state, origin, { angles: [0, angles[1], 0] }, null, light);
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
      if (state.rotates) angles[1] = (this.time / 1000) * TURN;
    } else if (model.format !== 'BSP') {
      // up is above zero in these games
      angles[0] = -angles[0];
      if (model.flags & 8) angles[1] = (this.time / 1000) * TURN;
    }
    if (entity.kind === 'item') this.around(state.model, origin);
    const frame = frameAt(origin, angles);
    if (scale !== 1) frame.axes = frame.axes.map((axis) => axis.map((value) => value * scale)) as Frame['axes'];
    return this.model(state, frame, light);
  }

  /** What is around an item of Quake III, by its shader. */
  private around(path: string, origin: Vector): void {
    for (const [item, other] of AROUND) {
      if (!item.test(path)) continue;
      const model = this.store.model(path.replace(item, other));
      const isRing = other.endsWith('_ring.md3');
      const frame = isRing
        ? frameAt([origin[0], origin[1], origin[2] + RING_HEIGHT], [0, (-360 * (this.time % RING_TURN)) / RING_TURN, 0])
        : frameAt(origin, [0, 0, 0]);
      for (const surface of model?.surfaces ?? []) {
        for (const layer of this.unlit(surface) ?? [])
          this.models.meshes.add(model!, surface, STILL, frame, layer, FULL);
      }
    }
  }

  /** Whether any part of something is seen. */
  private see({ render }: ModelState, number: number, place: Vector): boolean {
    const before = this.eye?.before ?? [0, 0, 0];
    const far = place.reduce((sum, value, axis) => sum + (value - (this.eye?.place[axis] ?? 0)) * before[axis], 0);
    this.seen = render ? amountOf(render, number, this.time / 1000, far) : 1;
    return this.seen > 0;
  }

  /** In QuakeWorld, the figure without a weapon and the weapon take the place of the usual figure, if the files of both are there. */
  private armed(state: ModelState): ModelState {
    const { bare, held } = state;
    if (!bare) return state;
    const hasBoth = [bare, held].every((path) => !path || this.store.model(path));
    return hasBoth ? { ...state, model: bare } : { ...state, held: null };
  }

  /** One model, and the weapon that goes with it. */
  private model(state: ModelState, frame: Frame, light: Lit): boolean {
    const model = this.store.model(state.model);
    if (!model) return false;
    if (model.skeleton) return this.skeleton(state, model, frame, light);
    const between = this.between(model, state);
    if (!this.whole(state.model, model, state, between, frame, light)) return false;
    const held = state.held ? this.store.model(state.held) : null;
    if (held) {
      const pose = held.format === 'MDL' ? this.between(held, state) : between;
      this.whole(state.held!, held, { ...state, skin: null, skinNumber: 0, colors: null }, pose, frame, light);
    }
    const carried = state.carried ? this.store.model(state.carried) : null;
    if (carried) {
      // Quake's flag leans on a shoulder; that of Quake II moves with the figure
      const at = model.format === 'MDL' ? within(frame, frameAt([-14, -22, -16], [0, 0, -45])) : frame;
      this.whole(
        state.carried!,
        carried,
        { ...state, skin: null, skinNumber: state.carriedSkin, colors: null },
        model.format === 'MDL' ? STILL : between,
        at,
        light,
      );
    }
    this.shell(state, model, between, frame);
    return true;
  }

  /** A shell around a model in one color, which is added to what is behind it. */
  private shell({ shell }: ModelState, model: Model, between: Between, frame: Frame, isWeapon = false): void {
    const cover = (names: readonly string[]): boolean => {
      const layers = names.flatMap((name) => this.store.layers(name) ?? []);
      for (const layer of layers)
        for (const surface of model.surfaces) this.models.meshes.add(model, surface, between, frame, layer, FULL);
      return layers.length > 0;
    };
    const isPulse = Math.floor(this.time / PULSE) % PULSES === 1;
    if (!isWeapon && isPulse && this.powers.includes('regeneration') && !this.powers.includes('invisibility'))
      cover([REGENERATION]);
    if (!shell) return;
    const shaders = SHELLS.filter(([common]) => this.powers.includes(common)).map(
      ([, ...names]) => names[isWeapon ? 1 : 0],
    );
    if (cover(shaders)) return;
    const [picture, grown] = [
      this.store.shell(shell),
      { origin: frame.origin, axes: frame.axes.map((axis) => axis.map((value) => value * SHELL)) as Frame['axes'] },
    ];
    for (const surface of model.surfaces) this.models.meshes.add(model, surface, between, grown, picture, FULL);
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
  private whole(
    path: string,
    model: Model,
    state: ModelState,
    between: Between,
    frame: Frame,
    light: Lit,
    skins?: Map<string, string>,
  ): boolean {
    const drawn = this.detailed(path, model, frame);
    const lit = model.format === 'MD2' && isEven(light) ? (light.map((value) => value * BRIGHTER) as Vector) : light;
    const pictures = drawn.surfaces.map((surface) => this.picture(path, drawn, surface, state, skins));
    if (!pictures.some(Boolean)) return false;
    drawn.surfaces.forEach((surface, at) => {
      const picture = pictures[at];
      const layers = drawn.format === 'MD3' ? this.unlit(surface, skins) : null;
      for (const layer of layers ?? []) this.models.meshes.add(drawn, surface, between, frame, layer, FULL);
      if (picture && !layers) this.models.meshes.add(drawn, surface, between, frame, picture, lit);
    });
    return true;
  }

  /** The same model with fewer triangles, where it is small in the picture and the game has one. */
  private detailed(path: string, model: Model, { origin }: Frame): Model {
    if (!this.eye || model.format !== 'MD3') return model;
    const { place, focus } = this.eye;
    const size =
      (radiusOf(model) * focus) /
      Math.max(1, Math.hypot(origin[0] - place[0], origin[1] - place[1], origin[2] - place[2]));
    const level = (levels: number) => Math.floor((1 - DETAIL * Math.min(1, size)) * levels);
    if (level(LEVELS) < 1) return model;
    const all = [model];
    for (let number = 1; number < LEVELS; number++) {
      const found = this.store.model(path.replace(/\.md3$/i, `_${number}.md3`));
      if (!found) break;
      all.push(found);
    }
    return all[Math.max(0, Math.min(all.length - 1, level(all.length)))];
  }

  private picture(
    path: string,
    model: Model,
    surface: Surface,
    state: ModelState,
    skins?: Map<string, string>,
  ): Picture | null {
    const { store } = this;
    const number = state.skinNumber ?? 0;
    switch (model.format) {
      case 'MDL':
        return store.quakeSkin(path, model, number, state.colors, state.skin);
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

  /** What a surface of Quake III shows if light does not matter to it. */
  private unlit(surface: Surface, skins?: Map<string, string>): Picture[] | null {
    const shader = skins?.get(surface.name) ?? surface.skins[0];
    return typeof shader === 'string' ? this.store.unlit(shader) : null;
  }

  /** A figure of Quake III: the torso on the legs, the head and the weapon on the torso. */
  private threeParts(
    state: ModelState,
    origin: Vector,
    player: Partial<Player>,
    moves: Moves | null,
    light: Lit,
  ): boolean {
    const { store } = this;
    const [pitch, yaw] = [player.alive === false ? 0 : (player.angles?.[0] ?? 0), player.angles?.[1] ?? 0];
    const folder =
      state.model !== SUBSTITUTE && store.isMissing('model', `${state.model}/lower.md3`) ? SUBSTITUTE : state.model;
    const [lower, upper, head] = ['lower', 'upper', 'head'].map((part) => store.model(`${folder}/${part}.md3`));
    const animations = store.text(`${folder}/animation.cfg`, readAnimations);
    if (!lower || !upper || !head || !animations) return false;
    const between = (number: number | null, since: number): Between => {
      const [from, to, part] = frameOf(animations, number ?? 0, since);
      return { from, to, part };
    };
    const [legs, torso] = [between(state.sequence, state.sequenceSince), between(state.second, state.secondSince)];
    const onLegs = tagFrame(lower, 'tag_torso', legs);
    if (!onLegs) return false;
    const swung = moves?.turn;
    const nod = animations.fixedTorso || player.alive === false ? 0 : (swung?.pitch ?? pitch * TORSO_NOD);
    const torsoYaw = swung?.torso ?? yaw;
    const below: Vector = [0, swung?.legs ?? yaw, 0];
    if (animations.fixedLegs) below[1] = torsoYaw;
    else if (swung && player.velocity) {
      // who runs leans to where he goes
      const [ahead, left] = frameAt(origin, below).axes;
      const along = (axis: Vector) => LEAN * axis.reduce((sum, value, at) => sum + value * player.velocity![at], 0);
      [below[0], below[2]] = [along(ahead), -along(left)];
    }
    const lowerFrame = frameAt(origin, below);
    const turned = (tag: Frame, angles: Vector): Frame => within(tag, frameAt([0, 0, 0], angles));
    const upperFrame = within(lowerFrame, turned(onLegs, [nod - below[0], torsoYaw - below[1], -below[2]]));
    const neck = tagFrame(upper, 'tag_head', torso);
    const hand = tagFrame(upper, 'tag_weapon', torso);
    const skins = ['lower', 'upper', 'head'].map((part) => this.skin(folder, part, state.skin, player.team ?? null));
    let drawn = false;
    const part = (name: string, model: Model, at: number, pose: Between, frame: Frame) => {
      const covered =
        state.onlyShell ||
        this.whole(`${folder}/${name}.md3`, model, state, pose, frame, light, skins[at] ?? undefined);
      if (covered) this.shell(state, model, pose, frame);
      drawn = covered || drawn;
    };
    part('lower', lower, 0, legs, lowerFrame);
    part('upper', upper, 1, torso, upperFrame);
    if (neck) part('head', head, 2, STILL, within(upperFrame, turned(neck, [pitch - nod, yaw - torsoYaw, 0])));
    if (state.held && hand) this.weapon(state.held, state, within(upperFrame, hand), moves?.flashes ?? false, light);
    const flag = state.carried ? store.model(state.carried) : null;
    if (flag) {
      const [ahead] = frameAt(origin, [0, yaw, 0]).axes;
      this.whole(
        state.carried!,
        flag,
        { ...state, skin: null },
        STILL,
        frameAt([origin[0] - ahead[0] * 16, origin[1] - ahead[1] * 16, origin[2] + 16], [0, yaw + 90, 0]),
        light,
      );
    }
    return drawn;
  }

  /** A weapon of Quake III, its barrel, and its flash. */
  private weapon(path: string, state: ModelState, frame: Frame, flashes: boolean, light: Lit): boolean {
    const { store } = this;
    const weapon = store.model(path);
    if (!weapon || (!state.onlyShell && !this.whole(path, weapon, state, STILL, frame, light))) return false;
    this.shell(state, weapon, STILL, frame, true);
    const part = (name: string, tag: string, angles: Vector, lit: Lit) => {
      const [file, place] = [path.replace(/\.md3$/, `_${name}.md3`), tagFrame(weapon, tag, STILL)];
      const model = place && store.model(file);
      if (model) this.whole(file, model, state, STILL, within(frame, within(place, frameAt([0, 0, 0], angles))), lit);
    };
    if (!state.onlyShell) part('barrel', 'tag_barrel', [0, 0, spun(state)], light);
    // a flash is turned by chance: by what time it is
    if (flashes || (state.firing?.fires && STEADY.test(path)))
      part('flash', 'tag_flash', [0, 0, (Math.floor(this.time * 7.3) % 20) - 10], FULL);
    return true;
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
  private skeleton(
    state: ModelState,
    model: Model,
    frame: Frame,
    light: Lit,
    blend = state.blends ? state.blends[0] / 255 : 0.5,
    backwards = false,
  ): boolean {
    const { sequences } = model.skeleton!;
    const sequence = sequences[state.sequence ?? 0];
    const gait = state.second ? sequences[state.second] : undefined;
    const round = gait ? Math.max(1, gait.frames - 1) : 1;
    const step = gait ? ((this.time / 1000) * gait.rate) % round : 0;
    const walked: Played | null = gait ? { sequence: gait, frame: backwards ? round - step : step } : null;
    const bones = bonesOf(
      model.skeleton!,
      { sequence, frame: played(sequence, state), blend },
      walked,
      frame,
      null,
      state.controllers ?? null,
    );
    const drawn = this.onBones(state.model, model, state, bones, light);
    const held = state.held ? this.store.model(state.held) : null;
    if (drawn && held?.skeleton) {
      const over = { names: model.skeleton!.names, bones };
      this.onBones(
        state.held!,
        held,
        { ...state, body: 0, skinNumber: 0 },
        bonesOf(held.skeleton, { sequence: held.skeleton.sequences[0], frame: 0 }, null, frame, over),
        light,
      );
    }
    return drawn;
  }

  /** A surface, as much of it as is seen, and mixed with what is behind it as its render mode says. */
  private rendered(render: Render | null, surface: Surface, bones: Float32Array, picture: Picture, light: Lit): void {
    const { batches } = this.models;
    const { seen } = this;
    const even = isEven(light) ? light : light.ambient;
    if (!render) batches.addOnBones(surface, bones, picture, even);
    else if (render.mode === ADDED || render.mode === GLOW)
      batches.addOnBones(surface, bones, mixedPicture(picture, 'ONE', 'ONE'), [seen, seen, seen]);
    else {
      const over = mixedPicture(picture, 'SRC_ALPHA', picture.blend ? 'ONE' : 'ONE_MINUS_SRC_ALPHA');
      batches.addOnBones(surface, bones, over, even, seen);
    }
  }

  private onBones(path: string, model: Model, state: ModelState, bones: Float32Array, light: Lit): boolean {
    const { parts, families, references } = model.skeleton!;
    const family = (state.skinNumber ?? 0) * references;
    let drawn = false;
    for (const { base, models } of parts) {
      const [first, count] = models[Math.floor((state.body ?? 0) / base) % Math.max(1, models.length)] ?? [0, 0];
      for (const surface of model.surfaces.slice(first, first + count)) {
        const reference = Number(surface.skins[0]);
        const picture = this.store.insidePicture(
          path,
          model,
          families[family + reference] ?? families[reference] ?? 0,
          surface.masked,
          state.colors,
        );
        if (!picture) continue;
        this.rendered(state.render, surface, bones, picture, light);
        if (state.shell) this.models.batches.addOnBones(surface, bones, this.store.shell(state.shell), FULL);
        drawn = true;
      }
    }
    return drawn;
  }
}

/** The names of somebody's powers. */
export const powersOf = ({ powerups }: Player): string[] => powerups.map(({ common }) => common ?? '');

const radii = new WeakMap<Model, number>();

/** How far a model reaches in its first pose. */
function radiusOf(model: Model): number {
  let radius = radii.get(model);
  if (radius === undefined) {
    radius = 0;
    for (const { positions, texels } of model.surfaces)
      for (let at = 0; at < (texels.length / 2) * 3; at += 3)
        radius = Math.max(radius, Math.hypot(positions[at], positions[at + 1], positions[at + 2]));
    radii.set(model, radius);
  }
  return radius;
}

/** The frame of a sequence that is shown. */
function played(sequence: Played['sequence'], state: ModelState): number {
  if (!sequence?.frames) return 0;
  const last = sequence.frames - 1;
  const frame = (state.frame * last) / 256 + ((state.began ?? 0) / 1000) * state.rate * sequence.rate;
  if (!(last > 0)) return 0;
  return sequence.loops ? ((frame % last) + last) % last : Math.max(0, Math.min(last - 0.001, frame));
}

/** Degrees from one yaw to another. */
const turnBetween = (from: number, to: number): number => turn(from, to, 1) - from;

/** How far a barrel has turned: it turns on for a second after a shot. */
function spun({ firing }: ModelState): number {
  if (!firing) return 0;
  const { fires, since, before } = firing;
  if (fires) return (since * SPIN) % 360;
  const rest = Math.min(since, COAST);
  return ((before + 0.5 * rest * (1 + (COAST - rest) / COAST)) * SPIN) % 360;
}

/** The angles of something that flies. */
function facing([x, y, z]: Vector): Vector {
  return [(-Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI, (Math.atan2(y, x) * 180) / Math.PI, 0];
}
