// Maps that were given once, and the files of their textures, remembered by the browser. Where it does not allow that, nothing is remembered.

const [BASE, STORE, TEXTURES] = ['fragreel-maps', 'maps', 'textures'];
/** Maps that are kept; the oldest go. */
const MOST = 24;

function base(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(BASE, 2);
    request.onupgradeneeded = () => {
      for (const name of [STORE, TEXTURES])
        if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
    };
    request.onsuccess = () => {
      // pages of later versions need not wait for this one
      request.result.onversionchange = () => request.result.close();
      done(request.result);
    };
    request.onerror = () => fail(request.error ?? new Error('no storage'));
    request.onblocked = () => fail(new Error('a page of an earlier version is open'));
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error ?? new Error('no storage'));
  });
}

/** Keeps a map; `anyway` says for which recordings somebody wants it though it is not theirs. */
export async function remember(name: string, bytes: Uint8Array, anyway?: string): Promise<void> {
  try {
    const both = (await base()).transaction([STORE, TEXTURES], 'readwrite');
    const [store, textures] = [both.objectStore(STORE), both.objectStore(TEXTURES)];
    await answer(store.put({ bytes: bytes.slice(), at: Date.now(), anyway }, name));
    const keys = await answer(store.getAllKeys());
    if (keys.length <= MOST) return;
    const all = await Promise.all(
      keys.map(async (key) => ({ key, at: ((await answer(store.get(key))) as { at: number }).at })),
    );
    for (const { key } of all.sort((a, b) => a.at - b.at).slice(0, keys.length - MOST)) {
      store.delete(key);
      textures.delete(key);
    }
  } catch {
    // a private window, or a full disk
  }
}

export async function recall(name: string): Promise<{ bytes: Uint8Array; anyway?: string } | null> {
  return ((await get(STORE, name)) as { bytes: Uint8Array; anyway?: string } | undefined) ?? null;
}

/** Keeps what the textures of a map were made of. */
export async function rememberTextures(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  try {
    await answer((await base()).transaction(TEXTURES, 'readwrite').objectStore(TEXTURES).put(files, name));
  } catch {
    // likewise
  }
}

export async function recallTextures(name: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = await get(TEXTURES, name);
  return found instanceof Map ? (found as Map<string, Uint8Array>) : new Map();
}

async function get(store: string, name: string): Promise<unknown> {
  try {
    return await answer((await base()).transaction(store).objectStore(store).get(name));
  } catch {
    return undefined;
  }
}
