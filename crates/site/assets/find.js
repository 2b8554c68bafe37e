// Finds matches in lists that stand as files beside the pages.
const place = document.querySelector('[data-find]');
const root = place.dataset.find;
const heading = place.querySelector('h2');
const list = place.querySelector('ol');
const query = new URLSearchParams(location.search);
const wanted = Object.fromEntries(['p', 'm', 'd'].map((key) => [key, (query.get(key) ?? '').trim().toLowerCase()]));
for (const [key, value] of Object.entries(wanted)) document.querySelector(`form [name=${key}]`).value = value;

const load = async (path) => {
  const answer = await fetch(root + path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

// the names that are, begin with, or contain what was written: the best kind that there is
const meant = (rows, text) => {
  const spellings = ([id, name, , also = []]) => [id, name, ...also].map((word) => word.toLowerCase());
  const kinds = [(word) => word === text, (word) => word.startsWith(text), (word) => word.includes(text)];
  for (const is of kinds) {
    const found = rows.filter((row) => spellings(row).some(is));
    if (found.length) return found.sort((one, other) => other[2] - one[2]);
  }
  return [];
};

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const show = ([href, day, map, mode, a, first, second, b, aClass, bClass, mapHref]) => {
  const item = element('li');
  const side = (className, name) => {
    const span = element('span', className);
    span.append(element('bdi', '', name));
    return span;
  };
  const score = element('a', 'score');
  score.href = root + href;
  score.append(element('span', 'vh', `${a} `), element('b', '', first));
  if (second !== null) score.append(element('i', '', ':'), second);
  score.append(element('span', 'vh', ` ${b}`));
  const place = element('a', 'map', map);
  place.href = root + mapHref;
  item.append(element('time', '', day ?? 'unknown'), side(`a ${aClass}`, a), score, side(`b ${bClass}`, b), place, element('span', 'mode', mode));
  return item;
};

const MOST = 500;

const find = async () => {
  const names = await load('s/names-0.json');
  const players = wanted.p ? meant(names.players, wanted.p).slice(0, 8) : [];
  const maps = wanted.m ? meant(names.maps, wanted.m).slice(0, 8) : [];
  if ((wanted.p && !players.length) || (wanted.m && !maps.length)) return [];
  if (!wanted.p && !wanted.m) return null;
  // the rarer names have the shorter lists
  const count = (rows) => rows.reduce((sum, row) => sum + row[2], 0);
  const by = !maps.length || (players.length && count(players) <= count(maps)) ? ['p', players] : ['map', maps];
  const parts = by[1].flatMap(([id, , total]) => Array.from({ length: Math.ceil(total / names.chunk) }, (_, part) => `${by[0]}/${id}/list-${part}.json`));
  const ids = new Set(players.map((row) => row[0]));
  const paths = new Set(maps.map((row) => `map/${row[0]}/index.html`));
  const found = new Map();
  // the newest parts first, until there is enough
  for (const part of parts.reverse()) {
    for (const row of await load(part)) {
      const plays = !ids.size || row[11].split(' ').some((id) => ids.has(id));
      if (plays && (!paths.size || paths.has(row[10])) && (!wanted.d || (row[1] ?? '').startsWith(wanted.d))) found.set(row[0], row);
    }
    if (found.size >= MOST) break;
  }
  return [...found.values()].sort((one, other) => (one[1] ?? '') < (other[1] ?? '') ? 1 : -1).slice(0, MOST);
};

if (wanted.p || wanted.m || wanted.d) {
  try {
    const found = await find();
    if (found === null) heading.textContent = 'Name a player or a map, too';
    else heading.textContent = found.length === 1 ? '1 match' : `${found.length === MOST ? 'The newest ' : ''}${found.length} matches`;
    list.append(...(found ?? []).map(show));
  } catch (error) {
    heading.textContent = `The lists could not be loaded (${error.message})`;
  }
}
