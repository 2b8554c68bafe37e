// Opens the viewer in the page: on a press, or at once where the address names a moment.
const place = document.querySelector('#watch[data-recording]');
const module = document.body.dataset.viewer;

// `clip`: the file of the moment alone, which begins where the moment does.
const watch = async (query, clip) => {
  const viewer = document.createElement('fragreel-viewer');
  viewer.setAttribute('src', new URL(clip ?? place.dataset.recording, location.href).href);
  if (query.get('t') && !clip) viewer.setAttribute('t', query.get('t'));
  viewer.setAttribute('autoplay', '');
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
    watch(address.searchParams, link.dataset.clip);
  });
  if (location.hash === '#watch') {
    const moment = [...document.querySelectorAll('a[data-clip]')].find((link) => link.search === location.search);
    watch(new URLSearchParams(location.search), moment?.dataset.clip);
  }
}
