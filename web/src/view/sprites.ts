// Quads of a level that face the eye (`autosprite`), or turn around their longer axis to it (`autosprite2`), as the program that draws takes them.

/** Numbers of a corner: a place, how far it is from that to one side; the axis or nothing, and how far it is upward. */
export const SPRITE = 8;
/** Where corners are in a picture, and on which sides of the middle. */
const TEXELS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;
const SIDES = [
  [1, 1],
  [-1, 1],
  [-1, -1],
  [1, -1],
] as const;

type Triple = [number, number, number];

/** Makes sprites of pairs of triangles, as far as they are quads; the rest stays where it is. Returns how far from its middle the widest one goes. */
export function spritesOf(
  positions: Float32Array,
  indices: Uint32Array,
  isSpindle: boolean,
  sprites: Float32Array,
  texels: Float32Array,
): number {
  const place = (vertex: number): Triple => [
    positions[vertex * 3],
    positions[vertex * 3 + 1],
    positions[vertex * 3 + 2],
  ];
  let widest = 0;
  for (const vertex of indices) sprites.set(place(vertex), vertex * SPRITE);
  for (let at = 0; at + 6 <= indices.length; at += 6) {
    const corners = around([...indices.subarray(at, at + 3)], [...indices.subarray(at + 3, at + 6)]);
    if (!corners) continue;
    const places = corners.map(place);
    const middle = between(...places);
    widest = Math.max(widest, far(places[0], middle));
    if (!isSpindle) {
      const half = far(places[0], middle) * Math.SQRT1_2;
      corners.forEach((vertex, corner) => {
        sprites.set([...middle, half * SIDES[corner][0], 0, 0, 0, half * SIDES[corner][1]], vertex * SPRITE);
        texels.set(TEXELS[corner], vertex * 3);
      });
      continue;
    }
    // the ends are its shorter sides
    const first = far(places[0], places[1]) < far(places[1], places[2]) ? 0 : 1;
    const ends = [first, first + 2].map((corner) => [corner, (corner + 1) % 4] as const);
    const [from, to] = ends.map(([a, b]) => between(places[a], places[b])) as [Triple, Triple];
    const axis = less(to, from);
    // the side of its corners as its front is seen
    const side = cross(axis, cross(less(places[1], places[0]), less(places[2], places[0])));
    ends.forEach((end, number) => {
      for (const corner of end) {
        const middle = number ? to : from;
        const half = far(places[corner], middle) * (dot(less(places[corner], middle), side) < 0 ? -1 : 1);
        sprites.set([...middle, half, ...axis, 0], corners[corner] * SPRITE);
      }
    });
  }
  return widest;
}

/** The corners of two triangles with a common side, one after the other. */
function around(one: number[], two: number[]): number[] | null {
  const [alone, other] = [
    one.findIndex((vertex) => !two.includes(vertex)),
    two.find((vertex) => !one.includes(vertex)),
  ];
  const common = one.filter((vertex) => two.includes(vertex));
  if (alone < 0 || other === undefined || common.length !== 2) return null;
  return [one[alone], one[(alone + 1) % 3], other, one[(alone + 2) % 3]];
}

const between = (...places: Triple[]): Triple =>
  [0, 1, 2].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length) as Triple;
const less = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const far = (a: Triple, b: Triple): number => Math.hypot(...less(a, b));
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = ([a, b, c]: Triple, [d, e, f]: Triple): Triple => [b * f - c * e, c * d - a * f, a * e - b * d];
