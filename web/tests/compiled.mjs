// Complete maps of Quake (29), Half-Life (30) and Quake II (38), for the engines as well as for the page: a room with boxes, liquids and lamps in it, all along the axes.

import { Bytes, file } from './maps.mjs';
import { Tree } from './boxtree.mjs';
import { ALONG, Lighting } from './lamps.mjs';

/** Texels of a face at most: engines of 1996 hold 16 by 16 luxels. */
const LONGEST = 240;
const AIR = 'air';
/** What fills space, in numbers of Quake and Half-Life, and of Quake II. */
const CONTENTS = { air: [-1, 0], solid: [-2, 1], water: [-3, 32], slime: [-4, 16], lava: [-5, 8] };
/** Half of a player: what Quake's other two trees are larger by. */
const HULLS = [
  [
    [16, 16, 32],
    [16, 16, 24],
  ],
  [
    [32, 32, 64],
    [32, 32, 24],
  ],
];
/** Flags of Quake II. */
const [SKY, WARP] = [4, 8];

/**
 * Makes a map. `room` is `{ min, max }`, `boxes` are `{ min, max, kind, texture }`: `kind` is what fills it, `solid` without one, and a texture is a name, or a function of
 * axis and sign that gives one. `walls` is the texture of the room; where `isOpen`, it has none. `doors` are lists of boxes that move by themselves, `inside` are textures by name as the format has them.
 */
export function compile(
  version,
  {
    room,
    walls,
    isOpen = false,
    boxes = [],
    lamps = [],
    doors = [],
    inside = {},
    flags = {},
    next = {},
    entities = [],
  },
) {
  const second = version === 38;
  const made = new Made(version, {
    isOpen,
    lighting: new Lighting(
      lamps,
      boxes.filter(({ kind = 'solid' }) => kind === 'solid'),
      version === 29 ? 1 : 3,
    ),
    flags,
    next,
    textures: Object.keys(inside),
  });
  const outside = isOpen ? { kind: AIR } : { kind: 'solid', texture: walls };
  const filled = [{ ...room, kind: AIR }, ...boxes];
  made.model(
    new Tree(filled, outside),
    room,
    'world',
    second ? [] : HULLS.map((hull) => new Tree(grown(filled, hull), outside)),
  );
  doors.forEach((door) =>
    made.model(
      new Tree(door, { kind: AIR }),
      around(door),
      'door',
      second ? [] : HULLS.map((hull) => new Tree(grown(door, hull), { kind: AIR })),
    ),
  );
  return made.file(entities, inside, boxes);
}

/** Boxes of what is solid, larger by half of a player; the room is smaller by that. */
function grown(boxes, [below, above]) {
  const larger = (box, low, high) => ({
    ...box,
    min: box.min.map((value, axis) => value - low[axis]),
    max: box.max.map((value, axis) => value + high[axis]),
  });
  const negative = (values) => values.map((value) => -value);
  return boxes.flatMap((box) =>
    box.kind === AIR
      ? [larger(box, negative(above), negative(below))]
      : (box.kind ?? 'solid') === 'solid'
        ? [larger(box, below, above)]
        : [],
  );
}

function around(boxes) {
  return {
    min: [0, 1, 2].map((axis) => Math.min(...boxes.map((box) => box.min[axis]))),
    max: [0, 1, 2].map((axis) => Math.max(...boxes.map((box) => box.max[axis]))),
  };
}

class Made {
  lumps = Object.fromEntries(
    [
      'planes',
      'vertices',
      'nodes',
      'texinfo',
      'faces',
      'clips',
      'leaves',
      'marks',
      'leafBrushes',
      'edges',
      'surfedges',
      'models',
    ].map((name) => [name, new Bytes()]),
  );
  counts = {
    planes: 0,
    vertices: 0,
    nodes: 0,
    texinfo: 0,
    faces: 0,
    clips: 0,
    leaves: 0,
    marks: 0,
    leafBrushes: 0,
    edges: 1,
    surfedges: 0,
  };
  planes = new Map();
  infos = new Map();
  /** Where each face is. */
  placed = [];

  constructor(version, more) {
    Object.assign(this, more, { version, second: version === 38 });
    this.lumps.edges.short(0, 0);
    // the first leaf of a map is what is solid
    this.leaf({ kind: 'solid', min: [0, 0, 0], max: [0, 0, 0] }, []);
  }

  plane(axis, distance) {
    const key = `${axis} ${distance}`;
    if (!this.planes.has(key)) {
      this.planes.set(key, this.counts.planes++);
      this.lumps.planes.float(...[0, 1, 2].map((one) => Number(one === axis)), distance).int(axis);
    }
    return this.planes.get(key);
  }

  /** What places a texture on faces that look along an axis. */
  texinfo(name, axis) {
    const key = `${name} ${axis}`;
    if (this.infos.has(key)) return this.infos.get(key);
    const number = this.counts.texinfo++;
    this.infos.set(key, number);
    const row = ALONG[axis].flatMap(([along, sign]) => [...[0, 1, 2].map((one) => (one === along ? sign : 0)), 0]);
    const { texinfo } = this.lumps;
    const special = name.startsWith('sky') || name.startsWith('*');
    if (!this.second) texinfo.float(...row).int(this.textures.indexOf(name), Number(special));
    else {
      const at = texinfo.parts.length;
      const flags = (name.startsWith('sky') ? SKY : name.startsWith('*') ? WARP : 0) | (this.flags[name] ?? 0);
      const write = (chain) =>
        new Bytes()
          .float(...row)
          .int(flags, 0)
          .text(name.replace('*', ''), 32)
          .int(chain).buffer;
      texinfo.parts.push(write(-1));
      // an animation comes back to its first picture
      if (this.next[name]) texinfo.parts[at] = write(this.texinfo(this.next[name], axis));
    }
    return number;
  }

  leaf({ kind, min, max }, faces, brushes = []) {
    const { leaves, marks, leafBrushes } = this.lumps;
    const wide = [...min.map(Math.floor), ...max.map(Math.ceil)].map((value) =>
      Math.max(-32768, Math.min(32767, value)),
    );
    const contents = CONTENTS[kind][Number(this.second)];
    if (this.second)
      leaves
        .int(contents)
        .short(
          kind === 'solid' ? -1 : 0,
          kind === 'solid' ? 0 : 1,
          ...wide,
          this.counts.marks,
          faces.length,
          this.counts.leafBrushes,
          brushes.length,
        );
    else
      leaves
        .int(contents, -1)
        .short(...wide, this.counts.marks, faces.length)
        .byte(0, 0, 0, 0);
    marks.short(...faces);
    leafBrushes.short(...brushes);
    this.counts.marks += faces.length;
    this.counts.leafBrushes += brushes.length;
    return this.counts.leaves++;
  }

  /** One model: its faces, its nodes, and trees of what players collide with. */
  model(tree, { min, max }, what, hulls) {
    const firstFace = this.counts.faces;
    const firstLeaf = this.counts.leaves;
    for (const node of tree.nodes()) {
      node.first = this.counts.faces;
      for (const rectangle of node.faces)
        for (const face of pieces(rectangle)) this.face(face, what === 'world' && !this.isOpen);
      node.count = this.counts.faces - node.first;
    }
    const head = this.node(tree.root, what, firstFace);
    const heads = hulls.map((hull) => this.clip(hull.root));
    const faces = this.counts.faces - firstFace;
    const size = [...min.map((value) => value - 1), ...max.map((value) => value + 1)];
    this.lumps.models.float(...size, 0, 0, 0);
    if (this.second) this.lumps.models.int(head, firstFace, faces);
    else this.lumps.models.int(head, ...heads, 0, this.counts.leaves - firstLeaf, firstFace, faces);
  }

  face({ axis, sign, at, low, high, texture }, isLit) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const corner = (a, b) => Object.assign([], { [axis]: at, [u]: a, [v]: b });
    const corners = [
      corner(low[0], low[1]),
      corner(low[0], high[1]),
      corner(high[0], high[1]),
      corner(high[0], low[1]),
    ];
    if (sign < 0) corners.reverse();
    const { faces, vertices, edges, surfedges } = this.lumps;
    const [vertex, first] = [this.counts.vertices, this.counts.surfedges];
    corners.forEach((place, number) => {
      vertices.float(...place);
      edges.short(vertex + number, vertex + ((number + 1) % 4));
      surfedges.int(this.counts.edges++);
    });
    this.counts.vertices += 4;
    this.counts.surfedges += 4;
    const special = texture.startsWith('sky') || texture.startsWith('*');
    const { styles, offset } = special
      ? { styles: [], offset: -1 }
      : this.lighting.face({ axis, sign, at, corners, isLit });
    faces
      .short(this.plane(axis, at), sign < 0 ? 1 : 0)
      .int(first)
      .short(4, this.texinfo(texture, axis))
      .byte(...[0, 1, 2, 3].map((style) => styles[style] ?? 255))
      .int(offset);
    this.placed.push({ axis, sign, at, low, high });
    return this.counts.faces++;
  }

  node(node, what, where) {
    if (!node.children) {
      const { kind, min, max } = node;
      // Quake's share one solid leaf; Q2PRO wants each below one node only
      if (kind === 'solid' && !this.second) return -1;
      const touched =
        kind === 'solid'
          ? []
          : this.placed.flatMap((_, number) => (number >= where && touches(this.placed[number], node) ? [number] : []));
      return -1 - this.leaf({ kind, min, max }, touched, this.second && what === 'world' ? node.boxes : []);
    }
    const number = this.counts.nodes++;
    const at = this.lumps.nodes.parts.push(Buffer.alloc(0)) - 1;
    const children = node.children.map((child) => this.node(child, what, where));
    const wide = [...node.min.map(Math.floor), ...node.max.map(Math.ceil)];
    const bytes = new Bytes().int(this.plane(node.axis, node.at));
    (this.second ? bytes.int(...children) : bytes.short(...children)).short(...wide, node.first, node.count);
    this.lumps.nodes.parts[at] = bytes.buffer;
    return number;
  }

  clip(node) {
    if (!node.children) return CONTENTS[node.kind][0];
    const number = this.counts.clips++;
    const at = this.lumps.clips.parts.push(Buffer.alloc(0)) - 1;
    const children = node.children.map((child) => this.clip(child));
    this.lumps.clips.parts[at] = new Bytes().int(this.plane(node.axis, node.at)).short(...children).buffer;
    return number;
  }

  file(entities, inside, boxes) {
    const text = Buffer.from(
      `${entities
        .map(
          (entity) =>
            `{\n${Object.entries(entity)
              .map(([key, value]) => `"${key}" "${value}"\n`)
              .join('')}}\n`,
        )
        .join('')}\0`,
      'latin1',
    );
    const { planes, vertices, nodes, texinfo, faces, clips, leaves, marks, leafBrushes, edges, surfedges, models } =
      Object.fromEntries(Object.entries(this.lumps).map(([name, bytes]) => [name, bytes.buffer]));
    const light = this.lighting.buffer;
    if (!this.second) {
      const names = new Bytes().int(this.textures.length);
      let at = 4 + this.textures.length * 4;
      for (const name of this.textures) {
        names.int(at);
        at += inside[name].length;
      }
      const covers = Buffer.concat([names.buffer, ...Object.values(inside)]);
      return file(new Bytes().int(this.version).buffer, 15, [
        text,
        planes,
        covers,
        vertices,
        Buffer.alloc(0),
        nodes,
        texinfo,
        faces,
        light,
        clips,
        leaves,
        marks,
        edges,
        surfedges,
        models,
      ]);
    }
    const [brushes, sides] = [new Bytes(), new Bytes()];
    const more = new Bytes();
    let count = this.counts.planes;
    boxes.forEach(({ kind = 'solid', min, max }, box) => {
      brushes.int(box * 6, 6, CONTENTS[kind][1]);
      for (let side = 0; side < 6; side++) {
        const [axis, sign] = [side >> 1, side & 1 ? 1 : -1];
        more
          .float(...[0, 1, 2].map((one) => (one === axis ? sign : 0)), sign > 0 ? max[axis] : -min[axis])
          .int(axis + 3);
        sides.short(count++, 0);
      }
    });
    // one cluster, which is seen and heard from itself
    const seen = new Bytes().int(1, 12, 12).byte(1, 0, 0, 0).buffer;
    const areas = new Bytes().int(0, 0, 0, 0).buffer;
    return file(new Bytes().text('IBSP', 4).int(38).buffer, 19, [
      text,
      Buffer.concat([planes, more.buffer]),
      vertices,
      seen,
      nodes,
      texinfo,
      faces,
      light,
      leaves,
      marks,
      leafBrushes,
      edges,
      surfedges,
      models,
      brushes.buffer,
      sides.buffer,
      Buffer.alloc(0),
      areas,
      new Bytes().int(0, 0).buffer,
    ]);
  }
}

/** Whether a face bounds a leaf, on the side that it looks to. */
function touches({ axis, sign, at, low, high }, { min, max }) {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  return (
    (sign > 0 ? min[axis] : max[axis]) === at &&
    low[0] < max[u] &&
    high[0] > min[u] &&
    low[1] < max[v] &&
    high[1] > min[v]
  );
}

/** A face in pieces that engines can light. */
function pieces(face) {
  const { low, high } = face;
  const cut = (from, to) => {
    const lines = [from];
    for (let line = Math.floor(from / LONGEST + 1) * LONGEST; line < to; line += LONGEST) lines.push(line);
    return lines.map((line, number) => [line, lines[number + 1] ?? to]);
  };
  return cut(low[0], high[0]).flatMap(([a, b]) =>
    cut(low[1], high[1]).map(([c, d]) => ({ ...face, low: [a, c], high: [b, d] })),
  );
}
