// Space that boxes fill, split by planes along the axes until each part is all of one kind.

/** Beyond all boxes: as far as files of the games can say. */
const FAR = 4096;

export class Tree {
  /** Of two boxes in one place, the later one is there. `outside` is what is where no box is. */
  constructor(boxes, outside) {
    this.boxes = boxes;
    this.outside = outside;
    this.lines = [0, 1, 2].map((axis) =>
      [...new Set(boxes.flatMap(({ min, max }) => [min[axis], max[axis]]))].sort((a, b) => a - b),
    );
    this.root = this.part(
      [0, 0, 0],
      this.lines.map((lines) => lines.length + 1),
    );
  }

  /** All nodes, each before those below it. */
  *nodes(node = this.root) {
    if (!node.children) return;
    yield node;
    for (const child of node.children) yield* this.nodes(child);
  }

  /** The box in a cell of the grid of all their sides. */
  cell(place) {
    const middle = place.map((number, axis) => (this.line(axis, number) + this.line(axis, number + 1)) / 2);
    return (
      this.boxes.findLast(({ min, max }) => middle.every((value, axis) => value > min[axis] && value < max[axis])) ??
      this.outside
    );
  }

  /** Where a cell begins. */
  line(axis, number) {
    const lines = this.lines[axis];
    return number === 0 ? -FAR : number > lines.length ? FAR : lines[number - 1];
  }

  part(from, to) {
    const kind = (place) => this.cell(place).kind ?? 'solid';
    const [min, max] = [
      from.map((number, axis) => this.line(axis, number)),
      to.map((number, axis) => this.line(axis, number)),
    ];
    let best = null;
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      for (let line = from[axis] + 1; line < to[axis]; line++) {
        let changes = 0;
        for (let a = from[u]; a < to[u]; a++) {
          for (let b = from[v]; b < to[v]; b++) {
            const place = (along) => Object.assign([], { [axis]: along, [u]: a, [v]: b });
            if (kind(place(line - 1)) !== kind(place(line)))
              changes += (this.line(u, a + 1) - this.line(u, a)) * (this.line(v, b + 1) - this.line(v, b));
          }
        }
        if (changes && (!best || changes > best.changes)) best = { axis, line, changes };
      }
    }
    if (!best)
      return {
        kind: kind(from),
        min,
        max,
        boxes: this.boxes.flatMap((box, number) =>
          number && min.every((value, axis) => value >= box.min[axis] && max[axis] <= box.max[axis])
            ? [number - 1]
            : [],
        ),
      };
    const { axis, line } = best;
    const node = { axis, at: this.line(axis, line), min, max, faces: this.faces(axis, line, from, to) };
    const half = (low, high) =>
      this.part(Object.assign([...from], { [axis]: low }), Object.assign([...to], { [axis]: high }));
    // in front is where the axis goes
    node.children = [half(line, to[axis]), half(from[axis], line)];
    return node;
  }

  /** What is seen on a plane: rectangles as large as can be. */
  faces(axis, line, from, to) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const found = [];
    for (const sign of [1, -1]) {
      const names = new Map();
      for (let a = from[u]; a < to[u]; a++) {
        for (let b = from[v]; b < to[v]; b++) {
          const at = (along) => this.cell(Object.assign([], { [axis]: along, [u]: a, [v]: b }));
          const [behind, before] = sign > 0 ? [at(line - 1), at(line)] : [at(line), at(line - 1)];
          const name = seen(behind, before, axis, sign);
          if (name) names.set(`${a} ${b}`, name);
        }
      }
      for (let a = from[u]; a < to[u]; a++) {
        for (let b = from[v]; b < to[v]; b++) {
          const name = names.get(`${a} ${b}`);
          if (!name) continue;
          let [right, top] = [a + 1, b + 1];
          while (names.get(`${a} ${top}`) === name) top++;
          const isRow = () =>
            Array.from({ length: top - b }, (_, at) => names.get(`${right} ${b + at}`)).every((one) => one === name);
          while (isRow()) right++;
          for (let x = a; x < right; x++) for (let y = b; y < top; y++) names.delete(`${x} ${y}`);
          found.push({
            axis,
            sign,
            at: this.line(axis, line),
            low: [this.line(u, a), this.line(v, b)],
            high: [this.line(u, right), this.line(v, top)],
            texture: name,
          });
        }
      }
    }
    return found;
  }
}

/** The texture of what is behind a plane, as far as one sees it from before. */
function seen(behind, before, axis, sign) {
  const [far, near] = [behind.kind ?? 'solid', before.kind ?? 'solid'];
  if (far === near || near === 'solid') return null;
  // a liquid is seen from both sides
  const { texture } = far === 'air' ? before : behind;
  return typeof texture === 'function' ? texture(axis, sign) : texture;
}
