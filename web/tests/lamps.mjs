// Light that lamps throw on faces along the axes: a luxel every 16 units.

/** Where a texture is on a face that looks along an axis: along which axes it goes, and which way. */
export const ALONG = [
  [
    [1, 1],
    [2, -1],
  ],
  [
    [0, 1],
    [2, -1],
  ],
  [
    [0, 1],
    [1, -1],
  ],
];
const LUXEL = 16;
const STYLES = 4;
/** Light where no lamp shines. */
const LEAST = 24;

export class Lighting {
  parts = [];
  length = 0;

  /** Lamps are `{ at, reach, bright, color, style }`; `boxes` throw shadows. A luxel has one byte, or three of color. */
  constructor(lamps, boxes, bytes) {
    this.lamps = lamps;
    this.boxes = boxes;
    this.bytes = bytes;
  }

  get buffer() {
    return Buffer.concat(this.parts);
  }

  /** The light of a face: its styles, and where its pictures begin. What moves is lit evenly. */
  face({ axis, sign, at, corners, isLit }) {
    const [s, t] = ALONG[axis].map(([along, way]) => {
      const values = corners.map((corner) => corner[along] * way);
      const [from, to] = [Math.floor(Math.min(...values) / LUXEL), Math.ceil(Math.max(...values) / LUXEL)];
      return { along, way, from, count: to - from + 1, low: Math.min(...values), high: Math.max(...values) };
    });
    const offset = this.length;
    const styles = [];
    for (const style of new Set([0, ...this.lamps.map((lamp) => lamp.style ?? 0)])) {
      const luxels = Buffer.alloc(s.count * t.count * this.bytes);
      for (let row = 0; row < t.count; row++) {
        for (let column = 0; column < s.count; column++) {
          const inside = ({ from, low, high, way }, number) =>
            Math.max(low + 1, Math.min(high - 1, (from + number) * LUXEL)) * way;
          const place = Object.assign([], {
            [axis]: at + sign,
            [s.along]: inside(s, column),
            [t.along]: inside(t, row),
          });
          const light = isLit ? this.at(place, axis, sign, style) : style ? [0, 0, 0] : [100, 100, 100];
          const grey = (light[0] + light[1] + light[2]) / 3;
          const values = this.bytes === 1 ? [grey] : light;
          values.forEach(
            (value, channel) =>
              (luxels[(row * s.count + column) * this.bytes + channel] = Math.min(255, Math.round(value))),
          );
        }
      }
      if (style && !luxels.some((value) => value > 2)) continue;
      if (styles.length === STYLES) break;
      styles.push(style);
      this.parts.push(luxels);
      this.length += luxels.length;
    }
    return { styles, offset };
  }

  at(place, axis, sign, style) {
    const sum = style ? [0, 0, 0] : [LEAST, LEAST, LEAST];
    for (const { at, reach, bright, color = [1, 1, 1], style: own = 0 } of this.lamps) {
      if (own !== style) continue;
      const way = at.map((value, number) => value - place[number]);
      const far = Math.hypot(...way);
      const slope = (way[axis] * sign) / (far || 1);
      if (far >= reach || slope <= 0 || this.boxes.some((box) => blocks(box, place, way))) continue;
      color.forEach((value, channel) => (sum[channel] += value * bright * (1 - far / reach) * slope));
    }
    return sum;
  }
}

/** Whether a box is between a place and what is a way from it. */
function blocks({ min, max }, place, way) {
  let [first, last] = [0, 1];
  for (let axis = 0; axis < 3; axis++) {
    if (Math.abs(way[axis]) < 1e-6) {
      if (place[axis] <= min[axis] || place[axis] >= max[axis]) return false;
      continue;
    }
    const [a, b] = [(min[axis] - place[axis]) / way[axis], (max[axis] - place[axis]) / way[axis]];
    first = Math.max(first, Math.min(a, b));
    last = Math.min(last, Math.max(a, b));
  }
  return first < last;
}
