// Parts of the page on a picture: their text, their boxes and their small drawings, as the browser shows them.

/** Paints elements that lie over another one; near an edge of that each stays as near to the picture's edge. */
export function paintAll(
  context: CanvasRenderingContext2D,
  elements: HTMLElement[],
  under: Element,
  usual: number,
): void {
  let free = 0;
  for (const element of elements) free = Math.max(free, paint(context, element, under, usual, free));
}

/** Below `free`, where the picture is upright. Returns what is free below it. */
function paint(
  context: CanvasRenderingContext2D,
  element: HTMLElement,
  under: Element,
  usual: number,
  free: number,
): number {
  const [box, around] = [element.getBoundingClientRect(), under.getBoundingClientRect()];
  if (!box.width || !box.height) return 0;
  const { width, height } = context.canvas;
  // an upright picture is narrower than what lies over a wide one
  const scale = Math.min(usual, (width * 0.94) / box.width);
  const apart = [box.left - around.left, around.right - box.right] as const;
  const isMiddle = Math.abs(apart[0] - apart[1]) < around.width / 10;
  const left = isMiddle
    ? (width - box.width * scale) / 2
    : apart[0] < apart[1]
      ? apart[0] * scale
      : width - (apart[1] + box.width) * scale;
  const isHigh = box.top - around.top < around.bottom - box.bottom;
  const isBeside = isHigh && !isMiddle && height > width;
  const top = isHigh
    ? Math.max((box.top - around.top) * scale, isBeside ? free : 0)
    : height - (around.bottom - box.top) * scale;
  context.save();
  context.setTransform(scale, 0, 0, scale, left - box.left * scale, top - box.top * scale);
  draw(context, element);
  context.restore();
  return isHigh && isMiddle ? top + (box.height + 8) * scale : 0;
}

function draw(context: CanvasRenderingContext2D, element: Element): void {
  const style = getComputedStyle(element);
  const { left, top, width, height } = element.getBoundingClientRect();
  if (style.display === 'none' || style.visibility === 'hidden' || !width) return;
  if (element instanceof SVGSVGElement) {
    context.save();
    const { x, y, width: wide, height: high } = element.viewBox.baseVal;
    const scale = Math.min(width / (wide || 1), height / (high || 1));
    context.translate(left + (width - wide * scale) / 2, top + (height - high * scale) / 2);
    context.scale(scale, scale);
    context.translate(-x, -y);
    context.fillStyle = style.fill && style.fill !== 'none' ? style.fill : style.color;
    for (const path of element.querySelectorAll('path'))
      context.fill(new Path2D(path.getAttribute('d') ?? ''), 'evenodd');
    context.restore();
    return;
  }
  context.fillStyle = style.backgroundColor;
  context.beginPath();
  context.roundRect(left, top, width, height, Number.parseFloat(style.borderTopLeftRadius) || 0);
  context.fill();
  const under = Number.parseFloat(style.borderBottomWidth) || 0;
  if (under && style.borderBottomStyle !== 'none') {
    context.fillStyle = style.borderBottomColor;
    context.fillRect(left, top + height - under, width, under);
  }
  for (const node of element.childNodes) {
    if (node instanceof Element) draw(context, node);
    else if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      context.textBaseline = 'middle';
      context.fillStyle = style.color;
      context.fillText(node.textContent, box.left, box.top + box.height / 2, box.width + 1);
    }
  }
}
