// Elements, made in one line.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

/** An element with properties, attributes (`aria-…`, `data-…`, `role`), listeners (`onclick`) and children. Text is text. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function')
      element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'class') element.className = String(value);
    else if (name.includes('-') || name === 'role' || name === 'for' || name === 'part')
      element.setAttribute(name, value === true ? '' : String(value));
    else (element as unknown as Properties)[name] = value;
  }
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

/** A table with a heading row. */
export function table(caption: string, head: string[], rows: (Child | number)[][]): HTMLTableElement {
  const cell = (value: Child | number) => h('td', {}, typeof value === 'number' ? String(value) : value);
  return h(
    'table',
    {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ...head.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map(cell)))),
  );
}

/** Milliseconds as `m:ss.mmm`. */
export function clock(milliseconds: number, digits = 3): string {
  const sign = milliseconds < 0 ? '-' : '';
  const all = Math.floor(Math.abs(milliseconds) + 1e-6);
  const [hours, minutes, seconds, rest] = [
    Math.floor(all / 3600000),
    Math.floor(all / 60000) % 60,
    Math.floor(all / 1000) % 60,
    all % 1000,
  ];
  const pad = (value: number, width: number) => String(value).padStart(width, '0');
  const fraction = digits ? `.${pad(rest, 3).slice(0, digits)}` : '';
  return hours
    ? `${sign}${hours}:${pad(minutes, 2)}:${pad(seconds, 2)}${fraction}`
    : `${sign}${minutes}:${pad(seconds, 2)}${fraction}`;
}

/** Seconds such as `90.5`, or `m:ss`, as milliseconds. */
export function milliseconds(text: string): number | null {
  if (!/^-?\d+(:\d+){0,2}(\.\d+)?$/.test(text.trim())) return null;
  const sign = text.trim().startsWith('-') ? -1 : 1;
  const parts = text.trim().replace('-', '').split(':').map(Number);
  return sign * Math.round(parts.reduce((sum, part) => sum * 60 + part, 0) * 1000);
}
