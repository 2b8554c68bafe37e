// A room around all places where players of a recording were, with pillars, a step, a basin of water, lamps, and an animated texture where none of them went.

/** Units between a player and what stands in the room; how far the walls are from all players, and the ceiling. */
const [ROOM, AROUND, ABOVE] = [72, 208, 176];
/** How far a player's feet are below what a recording states. */
const FEET = 24;
/** Places to try, in parts of the room. */
const SPOTS = [
  [0.2, 0.25],
  [0.8, 0.3],
  [0.25, 0.8],
  [0.75, 0.75],
  [0.5, 0.15],
  [0.5, 0.9],
  [0.12, 0.5],
  [0.9, 0.55],
  [0.4, 0.4],
  [0.6, 0.6],
];

const snap = (value) => Math.round(value / 16) * 16;
const bySide =
  (floor, wall, ceiling = floor) =>
  (axis, sign) =>
    axis < 2 ? wall : sign > 0 ? floor : ceiling;

/** `places` are origins of players; `water` is the name of what is in the basin. */
export function levelOf(places, { water = '*water1', panel = '+0panel', sky = 'sky1' } = {}) {
  const low = [0, 1, 2].map((axis) => Math.min(...places.map((place) => place[axis])));
  const high = [0, 1, 2].map((axis) => Math.max(...places.map((place) => place[axis])));
  const floor = Math.floor(low[2] - FEET);
  const room = {
    min: [snap(low[0] - AROUND), snap(low[1] - AROUND), floor],
    max: [snap(high[0] + AROUND), snap(high[1] + AROUND), snap(high[2] + ABOVE)],
  };
  const top = room.max[2];
  const isFree = (min, max) =>
    places.every(
      (place) =>
        place[0] < min[0] - ROOM || place[0] > max[0] + ROOM || place[1] < min[1] - ROOM || place[1] > max[1] + ROOM,
    );
  const boxes = [];
  const add = (spot, half, height, more, below = 0) => {
    const middle = spot.map((part, axis) => snap(room.min[axis] + (room.max[axis] - room.min[axis]) * part));
    const [min, max] = [
      [middle[0] - half, middle[1] - half, floor + below],
      [middle[0] + half, middle[1] + half, height],
    ];
    const isApart = boxes.every(
      (box) =>
        box.max[0] <= min[0] - 48 ||
        box.min[0] >= max[0] + 48 ||
        box.max[1] <= min[1] - 48 ||
        box.min[1] >= max[1] + 48,
    );
    if (!isFree(min, max) || !isApart) return false;
    boxes.push({ min, max, ...more });
    return true;
  };
  const kinds = [
    (spot) => add(spot, 32, top, { texture: bySide('floor1', 'brick1') }),
    (spot) => add(spot, 48, floor + 96, { texture: bySide('floor2', panel) }),
    (spot) => add(spot, 32, floor + 48, { texture: bySide('wall2', 'wall2') }),
  ];
  let next = 0;
  for (const spot of SPOTS) if (kinds[next % kinds.length](spot)) next++;
  // the basin stands in a corner, with walls on its two other sides
  const [x, y] = room.min;
  boxes.push({ min: [x + 112, y, floor], max: [x + 128, y + 128, floor + 40], texture: bySide('floor2', 'brick1') });
  boxes.push({ min: [x, y + 112, floor], max: [x + 112, y + 128, floor + 40], texture: bySide('floor2', 'brick1') });
  boxes.push({ min: [x, y, floor], max: [x + 112, y + 112, floor + 32], kind: 'water', texture: water });
  // one half of the ceiling is low
  boxes.push({
    min: [room.min[0], room.min[1], top - 32],
    max: [snap((room.min[0] + room.max[0]) / 2), room.max[1], top],
    texture: bySide('floor2', 'brick1', 'floor2'),
  });
  const walls = (axis, sign) => (axis === 2 ? (sign > 0 ? 'floor1' : sky) : axis === 0 ? 'wall1' : 'brick1');
  const at = (x, y, z) => [
    room.min[0] + (room.max[0] - room.min[0]) * x,
    room.min[1] + (room.max[1] - room.min[1]) * y,
    z,
  ];
  const reach = Math.max(500, Math.hypot(room.max[0] - room.min[0], room.max[1] - room.min[1]) * 0.6);
  const lamps = [
    { at: at(0.3, 0.3, top - 64), reach, bright: 190, color: [1, 0.9, 0.7] },
    { at: at(0.7, 0.7, top - 16), reach, bright: 170, color: [0.7, 0.85, 1] },
    { at: at(0.8, 0.15, floor + 80), reach: 360, bright: 180, color: [1, 0.5, 0.3], style: 1 },
  ];
  return { room, walls, boxes, lamps };
}
