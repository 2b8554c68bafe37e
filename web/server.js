// What servers get, which have no elements: a page that they render has the tag, and the browser's module brings it to life.

export const FragreelViewer = undefined;
