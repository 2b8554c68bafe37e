// Maps that were given once, remembered by the browser. Where it does not allow that, nothing is remembered.

const [BASE, STORE] = ['fragreel-maps', 'maps'];
/** Maps that are kept; the oldest go. */
const MOST = 24;

function base(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(BASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error ?? new Error('no storage'));
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error ?? new Error('no storage'));
  });
}

export async function remember(name: string, bytes: Uint8Array): Promise<void> {
  try {
    const store = (await base()).transaction(STORE, 'readwrite').objectStore(STORE);
    await answer(store.put({ bytes: bytes.slice(), at: Date.now() }, name));
    const keys = await answer(store.getAllKeys());
    if (keys.length <= MOST) return;
    const all = await Promise.all(keys.map(async (key) => ({ key, at: ((await answer(store.get(key))) as { at: number }).at })));
    for (const { key } of all.sort((a, b) => a.at - b.at).slice(0, keys.length - MOST)) store.delete(key);
  } catch {
    // a private window, or a full disk
  }
}

export async function recall(name: string): Promise<Uint8Array | null> {
  try {
    const found = (await answer((await base()).transaction(STORE).objectStore(STORE).get(name))) as { bytes: Uint8Array } | undefined;
    return found?.bytes ?? null;
  } catch {
    return null;
  }
}
