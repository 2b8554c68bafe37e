// Texts in files of the games: a byte a character, up to a zero.

/** The text at a place, of at most this number of bytes. */
export function textAt(view: DataView, from: number, most: number): string {
  let text = '';
  for (let at = from; at < Math.min(from + most, view.byteLength); at++) {
    const code = view.getUint8(at);
    if (!code) break;
    text += String.fromCharCode(code);
  }
  return text;
}
