// Programs of one source for the graphics card. What is the same for a whole call, such as whether there are lamps, is a constant of a program of its own: a processor
// that draws computes both sides of a condition for every pixel.

type Value = number | ArrayLike<number>;

interface Made {
  program: WebGLProgram;
  places: Map<string, WebGLUniformLocation | null>;
  /** Which change of each value it has. */
  has: Map<string, number>;
}

const SETTERS: Record<string, (gl: WebGL2RenderingContext, place: WebGLUniformLocation, value: Value) => void> = {
  float: (gl, place, value) => gl.uniform1f(place, value as number),
  int: (gl, place, value) => gl.uniform1i(place, value as number),
  sampler2D: (gl, place, value) => gl.uniform1i(place, value as number),
  sampler2DArray: (gl, place, value) => gl.uniform1i(place, value as number),
  vec2: (gl, place, value) => gl.uniform2fv(place, value as Float32Array),
  vec3: (gl, place, value) => gl.uniform3fv(place, value as Float32Array),
  vec4: (gl, place, value) => gl.uniform4fv(place, value as Float32Array),
  mat3: (gl, place, value) => gl.uniformMatrix3fv(place, false, value as Float32Array),
  mat4: (gl, place, value) => gl.uniformMatrix4fv(place, false, value as Float32Array),
};

export class Programs {
  /** The values that the sources take, and the conditions that are constants. */
  private readonly kinds = new Map<string, string>();
  private readonly switches: string[] = [];
  private readonly on = new Set<string>();
  private readonly values = new Map<string, { value: Value; change: number }>();
  private readonly made = new Map<string, Made>();
  private current: Made | null = null;
  private changes = 0;
  private key: string | null = null;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly vertex: string,
    private readonly fragment: string,
  ) {
    for (const [, kind, name] of `${vertex}${fragment}`.matchAll(
      /^uniform (?:(?:lowp|mediump|highp) )?(\w+) (\w+)/gm,
    )) {
      if (kind === 'bool') this.switches.push(name!);
      else this.kinds.set(name!, kind!);
    }
  }

  /** Whether a condition holds from here on. */
  turn(name: string, on: boolean): void {
    if (this.on.has(name) === on) return;
    if (on) this.on.add(name);
    else this.on.delete(name);
    this.key = null;
  }

  /** A value from here on. */
  set(name: string, value: Value): void {
    const known = this.values.get(name);
    if (known && isEqual(known.value, value)) return;
    // the caller may change its array later
    const own = typeof value === 'object' ? Float32Array.from(value) : value;
    this.values.set(name, { value: own, change: ++this.changes });
  }

  /** Another program was used in between. */
  lose(): void {
    this.current = null;
  }

  /** Takes the program for what is drawn next. */
  use(): void {
    const { gl } = this;
    this.key ??= this.switches.map((name) => Number(this.on.has(name))).join('');
    let made = this.made.get(this.key);
    if (!made) {
      made = this.make();
      this.made.set(this.key, made);
    }
    if (made !== this.current) gl.useProgram(made.program);
    this.current = made;
    for (const [name, { value, change }] of this.values) {
      if (made.has.get(name) === change) continue;
      made.has.set(name, change);
      const place = made.places.get(name);
      if (place) SETTERS[this.kinds.get(name)!](gl, place, value);
    }
  }

  private make(): Made {
    const constant = (source: string) =>
      source.replace(/^uniform bool (\w+);/gm, (_, name: string) => `const bool ${name} = ${this.on.has(name)};`);
    const program = linked(this.gl, constant(this.vertex), constant(this.fragment));
    return {
      program,
      places: new Map([...this.kinds.keys()].map((name) => [name, this.gl.getUniformLocation(program, name)])),
      has: new Map(),
    };
  }
}

function isEqual(known: Value, value: Value): boolean {
  if (typeof known !== 'object' || typeof value !== 'object') return known === value;
  if (known.length !== value.length) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== Math.fround(value[at]!)) return false;
  return true;
}

export function linked(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram()!;
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? 'no program');
  return made;
}
