// Drawing the swim-lanes: only what is in sight, anew at each scroll.

const shapes = {
  dot: (x, y) => `M${x - 4},${y}a4,4 0 1,0 8,0a4,4 0 1,0 -8,0`,
  square: (x, y) => `M${x - 3},${y - 3}h6v6h-6z`,
  diamond: (x, y) => `M${x},${y - 5}l5,5l-5,5l-5,-5z`,
  cross: (x, y) => `M${x - 4},${y - 4}l8,8m0,-8l-8,8`,
  play: (x, y) => `M${x - 3},${y - 5}l8,5l-8,5z`,
  tick: (x, y) => `M${x},${y - 5}v10`,
};

const marks = {
  Settled: 'diamond', StepFailed: 'cross', Trouble: 'cross', Outside: 'cross', SendBegan: 'dot', CallBegan: 'dot',
  Row: 'dot', State: 'square', Turn: 'tick', Undelivered: 'cross', Permission: 'diamond', Notice: 'diamond', WireActed: 'diamond', ToolHeld: 'diamond', ToolReleased: 'play',
  Started: 'play', Exited: 'square', Stderr: 'tick', Rollout: 'square',
  Held: 'diamond', Released: 'play', Gone: 'cross', Refused: 'cross', Breach: 'cross',
};

function legend() {
  const entry = (name, ...content) => el('span', {class: 'key'}, svg('svg', {width: 16, height: 12}, content), ' ', name);
  const rect = (cls) => svg('rect', {class: cls, x: 0.5, y: 1.5, width: 15, height: 9, rx: 2});
  return el('span', {class: 'legend', 'aria-hidden': 'true'},
    entry('request', rect('span request')), entry('hold', rect('span hold')),
    entry('release', svg('path', {class: 'mark Released', d: shapes.play(7, 6)})),
    entry('compaction', rect('span compaction')), entry('turn', rect('span turn')),
    entry('message', svg('path', {class: 'mark SendBegan', d: shapes.dot(8, 6)})),
    entry('failure', svg('path', {class: 'fault', d: 'M4,1h8l-4,8z'})));
}

// Where more events than that are in sight, all shapes of a kind are drawn as
// one: a browser takes its time for each shape. A click still finds the event.
const mostSingly = 500;

Lanes.prototype.draw = function () {
  this.left = this.scroller.scrollLeft;
  if (!this.width || this.m.events.length === 0) return;
  put(this.drawing, {width: this.width, viewBox: `0 0 ${this.width} ${this.height}`}, []);
  const [first, last] = this.range();
  this.many = last - first > mostSingly;
  this.drawing.replaceChildren(...this.drawSteps(first, last), ...this.drawLanes(), ...this.drawSpans(first, last), ...this.drawEvents(first, last), this.chosen);
  this.drawChosen();
};

// joined makes nodes of shapes: one each, with a title, or one a class.
Lanes.prototype.joined = function (all) {
  if (!this.many) return all.map(([cls, d, i, title]) => svg('path', {class: cls, d, 'data-i': i}, svg('title', {}, title())));
  const classes = new Map();
  for (const [cls, d] of all) classes.set(cls, (classes.get(cls) || '') + d);
  return [...classes].map(([cls, d]) => svg('path', {class: cls, d}));
};

function box(x, y, width, height) { return `M${x},${y}h${width}v${height}h${-width}z`; }

Lanes.prototype.drawLanes = function () {
  const named = this.lanes.filter((l) => l.lane !== 'run' && l.height > 0);
  return [
    ...named.map((l) => svg('path', {class: 'rule ' + l.lane, d: `M0,${l.top}H${this.width}`})),
    // On paper there is no column of names beside the drawing.
    ...(this.onPaper ? named.map((l) => svg('text', {class: 'step', x: 2, y: l.top + 11}, l.lane === 'agent' ? oneLine(l.agent, 20) : l.lane)) : []),
  ];
};

// drawSteps draws a band for each step in sight; its name stays in sight too.
Lanes.prototype.drawSteps = function (first, last) {
  const begins = this.steps ??= this.m.events.filter((e) => e.kind === 'StepBegan');
  const bands = [], names = [];
  begins.forEach((e, k) => {
    const to = begins[k + 1] ? begins[k + 1].i : this.m.events.length - 1;
    if (to < first || e.i > last) return;
    const x = this.x(e.i) - this.left, end = this.x(to) - this.left, from = Math.max(x, 0), room = end - from - 6;
    bands.push([k % 2 ? 'band odd' : 'band', box(x, 0, Math.max(1, end - x), this.height), e.i, () => summary(e)]);
    names.push(...this.label(room < 50 ? `${e.data.index}` : `${e.data.index} ${e.data.title}`, from + 4, 13, room - 6, 'step'));
  });
  return [...this.joined(bands), ...names];
};

// label writes as much of a text as there is room for.
Lanes.prototype.label = function (words, x, y, room, cls) {
  const most = Math.floor(room / 6.2);
  if (most < 1 || (most < 3 && words.length > most)) return [];
  return [svg('text', {x, y, class: cls}, oneLine(words, words.length > most ? most - 1 : most))];
};

Lanes.prototype.drawSpans = function (first, last) {
  const boxes = [], labels = [];
  for (const s of this.m.spans) if (s.to >= first && s.from <= last) this.drawSpan(s, boxes, labels);
  return [...this.joined(boxes), ...labels];
};

// How far below its lane's top a span begins, and its height. A hold hangs
// below the request that it holds.
const spanPlaces = {send: [11, 8], turn: [4, 14], compaction: [3, 14], process: [25, 5], wait: [32, 12], tool: [32, 12], request: [13, 13], hold: [26, 13]};

Lanes.prototype.drawSpan = function (s, boxes, labels) {
  const lane = this.at.get(s.agent + ' ' + s.lane);
  if (!lane) return;
  const [offset, height] = spanPlaces[s.kind], top = lane.top + offset + s.track * trackHeight;
  const from = Math.max(this.x(s.from) - this.left, -10), to = Math.min(this.x(s.to) - this.left, this.width + 10);
  const cls = ['span', s.kind, s.class, s.state, s.open && 'open'].filter(Boolean).join(' ');
  boxes.push([cls, box(from, top, Math.max(3, to - from), height), s.from, () => [s.label, s.state].filter(Boolean).join(', ')]);
  labels.push(...this.spanLabel(s, top, Math.max(from, 0), to));
};

// spanLabel writes on the span, or below it when it is a message. Where there is
// no room for all, how it ended says more than what it was.
Lanes.prototype.spanLabel = function (s, top, from, to) {
  if (s.kind === 'send') return this.label(s.label, from + 4, top + 19, this.roomBelow(s) - 8, 'label');
  const cut = s.state === 'aborted' || s.state === 'interrupted', words = cut ? `${s.label} ${s.state}` : s.label;
  const start = from + (s.kind === 'hold' ? 9 : 5), room = to - start - 4;
  return this.label(cut && words.length > room / 6.2 ? s.state : words, start, top + 10.5, room, 'label');
};

// roomBelow is how far a message's text may go: to the next one of its lane.
Lanes.prototype.roomBelow = function (s) {
  const next = this.m.spans.find((n) => n.kind === 'send' && n.agent === s.agent && n.from > s.from);
  return Math.min(320, next ? this.x(next.from) - this.x(s.from) : 320);
};

// callWords are those calls that change what runs: they are named beside their arrows.
const callWords = {'turn/interrupt': 'interrupt', 'turn/steer': 'steer', 'thread/compact/start': 'compact'};

Lanes.prototype.callLabels = function (first, last) {
  const labels = [], ends = new Map(); // where the last one of an agent ends
  for (let i = first; i <= last && !this.many; i++) {
    const e = this.m.events[i], word = e.kind === 'ToCodex' && callWords[e.rpc?.title], lane = this.at.get(e.agent + ' manager');
    const x = this.x(i) - this.left + 3;
    if (!word || !lane || x < ends.get(e.agent)) continue;
    ends.set(e.agent, x + word.length * 6.6);
    labels.push(svg('text', {x, y: lane.top + lane.height - 1, class: 'label call'}, word));
  }
  return labels;
};

// drawEvents leaves out what would stand on the same spot.
Lanes.prototype.drawEvents = function (first, last) {
  const all = [], faults = [], taken = new Set(), coarse = this.many ? 2 : 0;
  for (let i = first; i <= last; i++) {
    const e = this.m.events[i], x = Math.round(this.x(i) - this.left), spot = `${x >> coarse} ${e.agent} ${e.kind}`;
    const fault = this.m.faults.get(e.seq);
    if (fault) faults.push(['fault', `M${x - 5},${axisHeight - 8}h10l-5,8z`, i, () => fault.join(', ')]);
    if (taken.has(spot)) continue;
    taken.add(spot);
    for (const [cls, d] of this.shapesOf(e, x)) all.push([cls, d, i, () => `${e.seq} ${summary(e)}`]);
  }
  return [...this.joined(all), ...this.callLabels(first, last), ...this.joined(faults)];
};

// shapesOf is an event's arrow and its mark, as classes and paths.
Lanes.prototype.shapesOf = function (e, x) {
  const from = this.at.get(e.lane === 'run' ? ' run' : e.agent + ' ' + e.lane);
  if (!from) return [];
  const out = [], to = e.toward && this.at.get(e.agent + ' ' + e.toward), shape = marks[e.kind];
  if (to) out.push(['arrow ' + e.kind, arrow(x, from.middle, to.middle)]);
  if (shape) {
    const kind = e.kind === 'Row' ? ' ' + e.data.kind : '';
    out.push([`mark ${e.kind}${kind}`, shapes[shape](x, this.markMiddle(e, from))]);
  }
  return out;
};

// markMiddle puts what happens to a request on the request's bar.
Lanes.prototype.markMiddle = function (e, lane) {
  if (e.lane !== 'provider') return lane.middle;
  this.trackOf ??= new Map(this.m.spans.filter((s) => s.kind === 'request').map((s) => [s.id, s.track]));
  return lane.top + (e.kind === 'Held' || e.kind === 'Released' ? 32 : 19) + (this.trackOf.get(e.data.id) || 0) * trackHeight;
};

function arrow(x, y1, y2) {
  const down = y2 > y1 ? 1 : -1;
  return `M${x},${y1}V${y2}m-3,${-4 * down}l3,${4 * down}l3,${-4 * down}`;
}

Lanes.prototype.drawChosen = function () {
  const e = this.m.bySeq.get(this.seq);
  put(this.chosen, {d: e ? `M${this.x(e.i) - this.left},0V${this.height}` : ''}, []);
};
