// The page itself: the address says what is shown; keys and clicks change it.

const shown = {variant: -1, side: 0, seq: 0};
const view = {lanes: [], list: null, model: null, detail: null};
let query = '';

function hash({variant, side = 0, seq = 0}) {
  return '#v=' + variant + (side ? '&s=' + side : '') + (seq ? '&e=' + seq : '');
}

function readHash() {
  const at = new URLSearchParams(location.hash.slice(1));
  const number = (name, otherwise) => /^\d+$/.test(at.get(name) ?? '') ? Number(at.get(name)) : otherwise;
  return {variant: Math.min(number('v', -1), lines.length - 1), side: Math.min(number('s', 0), page.reports.length - 1), seq: number('e', 0)};
}

const body = el('div', {id: 'body'});
const searchBox = el('input', {
  type: 'search', id: 'search', placeholder: 'search ( / )', 'aria-label': 'search', autocomplete: 'off', spellcheck: 'false',
  oninput: () => { query = searchBox.value; find(); },
});

function frame() {
  document.getElementById('app').append(
    el('a', {href: '#main', class: 'skip', onclick: (click) => { click.preventDefault(); body.querySelector('main').focus(); }}, 'to the content'),
    el('header', {class: 'top'},
      el('a', {href: '#', class: 'home'}, page.reports.length > 1 ? 'replay diff' : 'replay report'),
      searchBox,
      button('◐', theme, {'aria-label': 'light or dark', title: 'light or dark'}),
      button('?', help, {'aria-label': 'keys', title: 'keys (?)'})),
    body);
}

// go follows the address: the overview, a variant, an event of it.
function go() {
  const at = readHash();
  const other = at.variant !== shown.variant || (at.side !== shown.side);
  Object.assign(shown, at);
  if (shown.variant < 0) return showOverview();
  if (other || !view.model) showVariant();
  choose(shown.seq);
}

// follow is for links: what they lead to may be out of sight, and is where the
// keys are wanted next.
function follow() {
  go();
  if (!shown.seq || !view.list) return;
  view.list.box.focus({preventScroll: true});
  const narrow = matchMedia('(max-width: 900px)').matches;
  (narrow ? view.detail : view.lanes.find((l) => l.m === view.model).node).scrollIntoView();
}

function showOverview() {
  Object.assign(view, {lanes: [], list: null, model: null, detail: null});
  document.title = 'replay report';
  body.replaceChildren(overview(query));
}

function showVariant() {
  const line = lines[shown.variant];
  const both = page.reports.map((r, side) => line[side] === undefined ? null : model(side, line[side]));
  if (!both[shown.side]) shown.side = both.findIndex(Boolean);
  const m = view.model = both[shown.side];
  view.lanes = both.filter((b) => b && b.events.length > 0).map((b) => new Lanes(b, (seq) => select(seq, b.side)));
  view.list = new List(m, select);
  view.detail = detail(m, shown.variant, null);
  document.title = `${m.result.scenario} ${variantName(m.result)}`;
  body.replaceChildren(el('main', {id: 'main', tabindex: -1},
    variantHead(m),
    m.result.about && el('p', {class: 'about'}, m.result.about),
    el('div', {class: 'sides'}, both.map((b) => b && summaryOf(b, shown.variant))),
    both.length > 1 && comparison(...both),
    view.lanes.map((lanes) => [both.length > 1 && sideHead(lanes.m), lanes.node]),
    m.events.length > 0 && el('div', {class: 'split'}, view.list.node, view.detail)));
  view.list.find(query);
  warm(m);
}

function sideHead(m) {
  return el('h3', {}, sideName(m.side), ' ', m.side === shown.side ? el('span', {class: 'quiet'}, 'its events are listed below')
    : el('a', {href: hash({variant: shown.variant, side: m.side})}, 'list its events'));
}

function variantHead(m) {
  const to = (at, label) => at >= 0 && at < lines.length && el('a', {href: hash({variant: at}), class: 'step'}, label);
  return el('nav', {class: 'crumbs', 'aria-label': 'variants'},
    el('a', {href: '#'}, 'all variants'), el('h2', {}, m.result.scenario, ' ', el('span', {class: 'axes'}, variantName(m.result))),
    to(shown.variant - 1, '← previous'), to(shown.variant + 1, 'next →'));
}

// warm prepares the search while nobody waits for it.
function warm(m) {
  window.requestIdleCallback?.(() => { lowerPool(); m.events.forEach(haystack); });
}

function select(seq, side = shown.side) {
  history.replaceState(null, '', hash({variant: shown.variant, side, seq}));
  go();
}

// choose shows the event in all places that are on the screen.
function choose(seq) {
  const m = view.model, e = m.bySeq.get(seq);
  for (const lanes of view.lanes) lanes.show(lanes.m === m ? seq : 0);
  view.list.show(seq);
  const next = detail(m, shown.variant, e);
  view.detail.replaceWith(next);
  view.detail = next;
}

function find() {
  if (view.list) view.list.find(query); else body.replaceChildren(overview(query));
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
}
