// How the graphics card reads the vertices of moving things and of the level. Each is numbers in a row; a color is four bytes in one of them.

/** Numbers of a vertex with a color, and of one with a place in a picture and its layer, too. */
export const [COLORED, PICTURED] = [4, 7];
/** Locations in the program, each with its numbers. */
const PARTS = {
  [COLORED]: [
    [0, 3],
    [1, 4],
  ],
  [PICTURED]: [
    [0, 3],
    [3, 3],
    [4, 4],
  ],
} as const;

/** An array of such vertices in a buffer. */
export function vertexArray(
  gl: WebGL2RenderingContext,
  buffer: WebGLBuffer,
  width: typeof COLORED | typeof PICTURED,
): WebGLVertexArrayObject {
  const array = gl.createVertexArray()!;
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  let from = 0;
  for (const [location, numbers] of PARTS[width]) {
    const isColor = numbers === 4;
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, numbers, isColor ? gl.UNSIGNED_BYTE : gl.FLOAT, isColor, width * 4, from);
    from += isColor ? 4 : numbers * 4;
  }
  gl.bindVertexArray(null);
  return array;
}
