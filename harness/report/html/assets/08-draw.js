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
  Row: 'dot', State: 'square', Turn: 'tick', Undelivered: 'cross', Permission: 'diamond', Notice: 'diamond', WireHeld: 'diamond',
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

Lanes.prototype.draw = function () {
  this.left = this.scroller.scrollLeft;
  if (!this.width || this.m.events.length === 0) return;
  put(this.drawing, {width: this.width, viewBox: `0 0 ${this.width} ${this.height}`}, []);
  const [first, last] = this.range();
  this.drawing.replaceChildren(...this.drawSteps(first, last), ...this.drawLanes(), ...this.drawSpans(first, last), ...this.drawEvents(first, last), this.chosen);
  this.drawChosen();
};

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
  const out = [];
  begins.forEach((e, k) => {
    const to = begins[k + 1] ? begins[k + 1].i : this.m.events.length - 1;
    if (to < first || e.i > last) return;
    const x = this.x(e.i) - this.left, end = this.x(to) - this.left;
    const from = Math.max(x, 0);
    out.push(svg('rect', {class: k % 2 ? 'band odd' : 'band', x, y: 0, width: Math.max(1, end - x), height: this.height, 'data-i': e.i}, svg('title', {}, summary(e))));
    const room = end - from - 6;
    out.push(...this.label(room < 50 ? `${e.data.index}` : `${e.data.index} ${e.data.title}`, from + 4, 13, room, 'step'));
  });
  return out;
};

// label writes as much of a text as there is room for.
Lanes.prototype.label = function (words, x, y, room, cls) {
  const most = Math.floor(room / 6.2);
  if (most < 1 || (most < 3 && words.length > most)) return [];
  return [svg('text', {x, y, class: cls}, oneLine(words, words.length > most ? most - 1 : most))];
};

// drawSpans leaves out what is too short to be seen beside its like.
Lanes.prototype.drawSpans = function (first, last) {
  const taken = new Set();
  return this.m.spans.filter((s) => s.to >= first && s.from <= last).flatMap((s) => {
    const x = this.x(s.from), short = this.x(s.to) - x < 3, spot = `${x >> 2} ${s.agent} ${s.kind} ${s.state}`;
    if (short && taken.has(spot)) return [];
    taken.add(spot);
    return this.drawSpan(s);
  });
};

// How far below its lane's top a span begins, and its height. A hold hangs
// below the request that it holds.
const spanPlaces = {send: [11, 8], turn: [4, 14], compaction: [3, 14], process: [25, 5], request: [13, 13], hold: [26, 13]};

Lanes.prototype.drawSpan = function (s) {
  const lane = this.at.get(s.agent + ' ' + s.lane);
  if (!lane) return [];
  const [offset, height] = spanPlaces[s.kind], top = lane.top + offset + s.track * trackHeight;
  const x = this.x(s.from) - this.left, end = this.x(s.to) - this.left, from = Math.max(x, -10), to = Math.min(end, this.width + 10);
  const cls = ['span', s.kind, s.class, s.state, s.open && 'open'].filter(Boolean).join(' ');
  const box = svg('rect', {class: cls, x: from, y: top, width: Math.max(3, to - from), height, rx: 3, 'data-i': s.from},
    svg('title', {}, [s.label, s.state].filter(Boolean).join(', ')));
  return [box, ...this.spanLabel(s, top, Math.max(from, 0), to)];
};

// spanLabel writes on the span, or behind it when it is a message.
Lanes.prototype.spanLabel = function (s, top, from, to) {
  if (s.kind === 'send') return this.label(s.label, Math.max(to, 0) + 8, top + 8, this.roomAfter(s), 'label');
  const words = s.state === 'aborted' || s.state === 'interrupted' ? `${s.label} ${s.state}` : s.label;
  const start = from + (s.kind === 'hold' ? 9 : 5);
  return this.label(words, start, top + 10.5, to - start - 4, 'label');
};

// roomAfter is how far a message's text may go: to the next one of its lane.
Lanes.prototype.roomAfter = function (s) {
  const next = this.m.spans.find((n) => n.kind === 'send' && n.agent === s.agent && n.from > s.from);
  return Math.min(260, next ? this.x(next.from) - this.x(s.to) - 14 : 260);
};

const mostSingly = 500;

// drawEvents leaves out what would stand on the same spot. Where there are very
// many events, all of a kind are one shape, which a browser draws much faster.
Lanes.prototype.drawEvents = function (first, last) {
  const out = [], taken = new Set(), many = last - first > mostSingly && new Map();
  for (let i = first; i <= last; i++) {
    const e = this.m.events[i], x = Math.round(this.x(i) - this.left);
    const spot = `${x >> 1} ${e.agent} ${e.kind}`;
    const fault = this.m.faults.get(e.seq);
    if (fault) out.push(svg('path', {class: 'fault', d: `M${x - 5},${axisHeight - 8}h10l-5,8z`, 'data-i': i}, svg('title', {}, fault.join(', '))));
    if (taken.has(spot)) continue;
    taken.add(spot);
    for (const [cls, d] of this.shapesOf(e, x)) {
      if (many) many.set(cls, (many.get(cls) || '') + d);
      else out.push(svg('path', {class: cls, d, 'data-i': i}, svg('title', {}, `${e.seq} ${summary(e)}`)));
    }
  }
  for (const [cls, d] of many || []) out.unshift(svg('path', {class: cls, d}));
  return out;
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
