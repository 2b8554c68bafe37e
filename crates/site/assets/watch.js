// Opens the viewer in the page: on a press, or at once where the address names a moment.
const place = document.querySelector('#watch[data-recording]');
const module = document.body.dataset.viewer;

const watch = async (query) => {
  const viewer = document.createElement('fragreel-viewer');
  viewer.setAttribute('src', new URL(place.dataset.recording, location.href).href);
  if (query.get('t')) viewer.setAttribute('t', query.get('t'));
  if (query.get('pov')) viewer.setAttribute('pov', query.get('pov'));
  try {
    await import(new URL(module, location.href).href);
    place.replaceChildren(viewer);
    place.scrollIntoView({ block: 'nearest' });
  } catch (error) {
    const line = document.createElement('p');
    line.textContent = `The viewer could not be loaded (${error.message}). The recording is under Files.`;
    place.append(line);
  }
};

if (place && module) {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href*="#watch"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const address = new URL(link.href);
    history.replaceState(null, '', address);
    watch(address.searchParams);
  });
  if (location.hash === '#watch') watch(new URLSearchParams(location.search));
}
