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

// as many as a person looks through, and as many lists as are loaded before the page asks
const ENOUGH = 50;
const MOST = 500;
const LISTS = 3;

// What is wanted: the parts of the lists that hold it, the newest last, and whether a row is meant.
const plan = async () => {
  const names = await load('s/names-0.json');
  const players = wanted.p ? meant(names.players, wanted.p).slice(0, 8) : [];
  const maps = wanted.m ? meant(names.maps, wanted.m).slice(0, 8) : [];
  if (!wanted.p && !wanted.m) return null;
  if ((wanted.p && !players.length) || (wanted.m && !maps.length)) return { parts: [], is: () => false };
  // the rarer names have the shorter lists
  const count = (rows) => rows.reduce((sum, row) => sum + row[2], 0);
  const by = !maps.length || (players.length && count(players) <= count(maps)) ? ['p', players] : ['map', maps];
  const ids = new Set(players.map((row) => row[0]));
  const paths = new Set(maps.map((row) => `map/${row[0]}/index.html`));
  return {
    parts: by[1].flatMap(([id, , total]) => Array.from({ length: Math.ceil(total / names.chunk) }, (_, part) => `${by[0]}/${id}/list-${part}.json`)),
    is: (row) =>
      (!ids.size || row[11].split(' ').some((id) => ids.has(id))) &&
      (!paths.size || paths.has(row[10])) &&
      (!wanted.d || (row[1] ?? '').startsWith(wanted.d)),
  };
};

const found = new Map();

// Loads the next lists, the newest first, and shows what they have.
const look = async ({ parts, is }) => {
  for (let loaded = 0; parts.length && loaded < LISTS && (loaded === 0 || found.size < ENOUGH); loaded++) {
    for (const row of await load(parts.pop())) if (is(row)) found.set(row[0], row);
  }
  const rows = [...found.values()].sort((one, other) => ((one[1] ?? '') < (other[1] ?? '') ? 1 : -1)).slice(0, MOST);
  const newest = parts.length || found.size > MOST ? 'The newest ' : '';
  heading.textContent = rows.length === 1 && !newest ? '1 match' : `${newest}${rows.length} matches`;
  list.replaceChildren(...rows.map(show));
  if (!parts.length) return;
  const more = element('button', '', 'Look further back');
  more.addEventListener('click', () => {
    more.remove();
    look({ parts, is }).catch(failed);
  });
  list.after(more);
};

const failed = (error) => {
  heading.textContent = `The lists could not be loaded (${error.message})`;
};

if (wanted.p || wanted.m || wanted.d) {
  try {
    const asked = await plan();
    if (asked === null) heading.textContent = 'Name a player or a map, too';
    else await look(asked);
  } catch (error) {
    failed(error);
  }
}
