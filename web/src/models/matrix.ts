// Places and axes of bones: the directions of three axes and an origin, twelve numbers.

export type Matrix = Float32Array;

export const UNMOVED: Matrix = Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);

/** A place, a quaternion, and scales of the axes. */
export function matrixOf(numbers: ArrayLike<number>): Matrix {
  const [x, y, z] = [numbers[0], numbers[1], numbers[2]];
  const length = Math.hypot(numbers[3], numbers[4], numbers[5], numbers[6]) || 1;
  const [qx, qy, qz, qw] = [3, 4, 5, 6].map((at) => numbers[at] / length) as [number, number, number, number];
  const [a, b, c] = [numbers[7], numbers[8], numbers[9]];
  return Float32Array.of(
    a * (1 - 2 * (qy * qy + qz * qz)),
    a * 2 * (qx * qy + qz * qw),
    a * 2 * (qx * qz - qy * qw),
    b * 2 * (qx * qy - qz * qw),
    b * (1 - 2 * (qx * qx + qz * qz)),
    b * 2 * (qy * qz + qx * qw),
    c * 2 * (qx * qz + qy * qw),
    c * 2 * (qy * qz - qx * qw),
    c * (1 - 2 * (qx * qx + qy * qy)),
    x,
    y,
    z,
  );
}

/** What is given in the space of another one. */
export function product(outer: Matrix, inner: Matrix): Matrix {
  const made = new Float32Array(12);
  for (let row = 0; row < 4; row++) {
    for (let axis = 0; axis < 3; axis++) {
      let sum = row === 3 ? outer[9 + axis] : 0;
      for (let along = 0; along < 3; along++) sum += inner[row * 3 + along] * outer[along * 3 + axis];
      made[row * 3 + axis] = sum;
    }
  }
  return made;
}

/** The way back; that of something flat is no way. */
export function inverse(of: Matrix): Matrix {
  const [a, b, c, d, e, f, g, h, i] = of as unknown as number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [u, v, w] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const size = a * u + b * v + c * w;
  if (!Number.isFinite(size) || Math.abs(size) < 1e-12) return UNMOVED;
  const turned = Float32Array.of(
    u,
    c * h - b * i,
    b * f - c * e,
    v,
    a * i - c * g,
    c * d - a * f,
    w,
    b * g - a * h,
    a * e - b * d,
    0,
    0,
    0,
  ).map((value) => value / size);
  for (let axis = 0; axis < 3; axis++)
    turned[9 + axis] = -(of[9] * turned[axis] + of[10] * turned[3 + axis] + of[11] * turned[6 + axis]);
  return turned;
}

/** The mean of four bones by their weights. */
export function blended(bones: Matrix[], on: Float32Array, weights: Float32Array, from: number): Matrix {
  let total = 0;
  for (let one = 0; one < 4; one++) total += weights[from + one];
  if (!(total > 0)) return UNMOVED;
  const made = new Float32Array(12);
  for (let one = 0; one < 4; one++) {
    const [bone, weight] = [bones[on[from + one]], weights[from + one] / total];
    if (bone && weight) for (let number = 0; number < 12; number++) made[number] = made[number] + bone[number] * weight;
  }
  return made;
}

/** Puts a vertex and where it looks in its place. */
export function placed(
  matrix: Matrix,
  places: Float32Array,
  from: number,
  positions: Float32Array,
  to: number,
  normals: Float32Array,
  looks: Int8Array,
): void {
  const [x, y, z] = [places[from], places[from + 1], places[from + 2]];
  const [nx, ny, nz] = [normals[from], normals[from + 1], normals[from + 2]];
  const look = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    positions[to + axis] = x * matrix[axis] + y * matrix[3 + axis] + z * matrix[6 + axis] + matrix[9 + axis];
    look[axis] = nx * matrix[axis] + ny * matrix[3 + axis] + nz * matrix[6 + axis];
  }
  const length = Math.hypot(...look) || 1;
  for (let axis = 0; axis < 3; axis++) looks[to + axis] = Math.round((look[axis] / length) * 127);
}
