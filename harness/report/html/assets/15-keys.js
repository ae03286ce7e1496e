// Keys, and what the page does for printing. The last file: it starts the page.

const keys = [
  ['/', 'search', () => searchBox.focus()],
  ['ArrowDown', 'next event (also j, →)', () => move(1)], ['ArrowUp', 'event before (also k, ←)', () => move(-1)],
  ['PageDown', 'a page on', () => move(12)], ['PageUp', 'a page back', () => move(-12)],
  ['Home', 'first event', () => move(-1e9)], ['End', 'last event', () => move(1e9)],
  ['Enter', 'read the selected event', () => view.detail?.focus()],
  ['n', 'next place of a failure', () => moveToFault(1)], ['p', 'place before', () => moveToFault(-1)],
  ['t', 'scale: order or time', () => view.lanes.forEach((l) => l.setScale(l.scale === 'order' ? 'time' : 'order'))],
  ['[', 'variant before', () => turn(-1)], [']', 'next variant', () => turn(1)],
  ['Escape', 'back: from the search, to the list, to all variants', () => back()],
  ['?', 'these keys', () => help()],
];

const otherKeys = {j: 'ArrowDown', k: 'ArrowUp', ArrowRight: 'ArrowDown', ArrowLeft: 'ArrowUp'};

// Keys by which the browser scrolls or clicks belong to it unless the list or
// the lanes have the focus, or nothing has.
const browserKeys = new Set(['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'PageDown', 'PageUp', 'Home', 'End', 'Enter']);

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector('dialog[open]')) return;
  const at = document.activeElement, list = at === document.body || at === view.list?.box || view.lanes.some((l) => l.scroller === at);
  if (at === searchBox) return inSearch(event);
  if (browserKeys.has(event.key) && !(list && view.list)) return;
  const entry = keys.find(([key]) => key === (otherKeys[event.key] || event.key));
  if (!entry) return;
  event.preventDefault();
  entry[2]();
}

function inSearch(event) {
  if (event.key === 'Escape') {
    searchBox.value = query = '';
    find();
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    move(event.shiftKey ? -1 : 1);
  } else return;
  event.preventDefault();
  if (event.key === 'Enter') return;
  if (view.list) view.list.box.focus(); else searchBox.blur();
}

function move(by) {
  if (!view.list) return;
  if (document.activeElement === document.body) view.list.box.focus();
  const seq = view.list.step(by);
  if (seq) select(seq);
}

function moveToFault(by) {
  if (!view.model) return;
  const all = [...view.model.faults.keys()].sort((a, b) => a - b);
  const next = by > 0 ? all.find((seq) => seq > shown.seq) ?? all[0] : all.findLast((seq) => seq < shown.seq) ?? all.at(-1);
  if (next) select(next);
}

function turn(by) {
  const next = shown.variant + by;
  if (next >= 0 && next < lines.length) location.hash = hash({variant: next});
}

function back() {
  if (document.activeElement === view.detail || view.detail?.contains(document.activeElement)) view.list.box.focus();
  else location.hash = '';
}

function help() {
  const box = el('dialog', {class: 'help', 'aria-label': 'keys', onclose: () => box.remove(), onclick: (click) => { if (click.target === box) box.close(); }},
    el('h2', {}, 'Keys'),
    el('dl', {}, keys.map(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])),
    button('close', () => box.close()));
  document.body.append(box);
  box.showModal();
}

// On paper the drawing is as wide as the page and the list is whole, up to a
// number of events that nobody would print.
const mostPrinted = 1500;

function beforePrint() {
  for (const lanes of view.lanes) {
    lanes.onScreen = {zoom: lanes.zoom, left: lanes.scroller.scrollLeft};
    Object.assign(lanes, {zoom: 1, width: 1000, onPaper: true});
    if (lanes.scale === 'order') lanes.zoom = lanes.fitting();
    lanes.scroller.scrollLeft = 0;
    lanes.draw();
  }
  const list = view.list;
  list?.draw(mostPrinted);
  if (list && list.shown.length > mostPrinted) {
    list.node.append(el('p', {class: 'cut'}, `${counted(list.shown.length - mostPrinted, 'more event')} in the page itself`));
  }
}

function afterPrint() {
  for (const lanes of view.lanes) {
    Object.assign(lanes, {zoom: lanes.onScreen.zoom, onPaper: false});
    lanes.resize();
    lanes.scroller.scrollLeft = lanes.onScreen.left;
  }
  view.list?.node.querySelector('.cut')?.remove();
  view.list?.draw();
}

document.addEventListener('keydown', pressed);
window.addEventListener('hashchange', follow);
window.addEventListener('beforeprint', beforePrint);
window.addEventListener('afterprint', afterPrint);
frame();
go();
