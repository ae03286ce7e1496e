// The swim-lanes: where everything stands. Drawing is in the next file.

const mostAtOneLook = 400; // events
const axisHeight = 30, trackHeight = 30, baseStep = 14;
const laneHeights = {user: 38, manager: 44, codex: 46};

// layout gives each lane of each agent its place from the top.
function layout(m) {
  const lanes = [{lane: 'run', agent: '', top: 0, height: axisHeight, middle: axisHeight - 6}];
  const named = m.agents.length > 1 || m.agents[0] !== 'main';
  let top = axisHeight;
  for (const agent of m.agents) {
    lanes.push({lane: 'agent', agent, top, height: named ? 18 : 0});
    top += named ? 18 : 0;
    for (const lane of laneNames) {
      const height = laneHeights[lane] || 16 + trackHeight * tracksOf(m, agent);
      lanes.push({lane, agent, top, height, middle: top + (lane === 'manager' ? 30 : lane === 'codex' ? 28 : lane === 'user' ? 15 : 7)});
      top += height;
    }
    top += 6;
  }
  return {lanes, height: top, at: new Map(lanes.map((l) => [l.agent + ' ' + l.lane, l]))};
}

function tracksOf(m, agent) {
  return 1 + Math.max(0, ...m.spans.filter((s) => s.agent === agent && s.kind === 'request').map((s) => s.track));
}

class Lanes {
  constructor(m, select) {
    Object.assign(this, {m, select, scale: 'order', zoom: 1, seq: 0, ...layout(m)});
    this.drawing = svg('svg', {height: this.height, 'aria-hidden': 'true'});
    this.chosen = svg('path', {class: 'chosen'});
    this.spacer = el('div', {class: 'spacer'}, this.drawing);
    this.scroller = el('div', {
      class: 'scroller', tabindex: 0, role: 'group', 'aria-label': 'swim-lanes; left and right go from event to event',
      onscroll: () => this.later(), onclick: (click) => this.clicked(click),
    }, this.spacer);
    this.node = el('div', {class: 'lanes'}, this.tools(), el('div', {class: 'board'}, this.gutter(), this.scroller));
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  tools() {
    this.scaleButton = button('scale: order', () => this.setScale(this.scale === 'order' ? 'time' : 'order'), {title: 'order of events or time (t)'});
    return el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'drawing'},
      this.scaleButton,
      button('−', () => this.setZoom(this.zoom / 1.6), {'aria-label': 'zoom out'}),
      button('+', () => this.setZoom(this.zoom * 1.6), {'aria-label': 'zoom in'}),
      button('fit', () => this.fit()),
      legend());
  }

  gutter() {
    const names = svg('svg', {height: this.height, class: 'gutter', 'aria-hidden': 'true'});
    for (const l of this.lanes) {
      if (l.height === 0) continue;
      const name = {run: 'steps', agent: oneLine(l.agent, 10)}[l.lane] || l.lane;
      put(names, {}, [svg('text', {x: 6, y: l.top + (l.lane === 'agent' ? 13 : 18), class: l.lane}, name, svg('title', {}, l.agent))]);
    }
    return names;
  }

  // x is where an event stands, from the left end of everything.
  x(i) {
    if (this.scale === 'order') return (i + 0.5) * this.step();
    const events = this.m.events;
    return 8 + (events[i].at_us - events[0].at_us) * this.perMicrosecond();
  }

  step() { return baseStep * this.zoom; }

  perMicrosecond() {
    const events = this.m.events, whole = Math.max(1, events.at(-1).at_us - events[0].at_us);
    return Math.max(100, this.width - 24) * this.zoom / whole;
  }

  total() { return this.m.events.length ? this.x(this.m.events.length - 1) + Math.max(8, this.step() / 2) : 0; }

  setScale(scale) {
    this.scale = scale;
    this.zoom = this.startingZoom();
    this.scaleButton.textContent = 'scale: ' + scale;
    this.spread();
    this.left = -1; // whatever is in sight is drawn anew
    this.show(this.seq);
  }

  setZoom(zoom) {
    const middle = (this.scroller.scrollLeft + this.width / 2) / this.total();
    this.zoom = Math.min(60, Math.max(this.scale === 'order' ? 0.02 : 1, zoom));
    this.spread();
    this.scroller.scrollLeft = middle * this.total() - this.width / 2;
    this.draw();
  }

  fit() { this.setZoom(this.scale === 'time' ? 1 : this.fitting()); }

  resize() {
    const first = !this.width;
    this.width = this.scroller.clientWidth;
    if (first) this.zoom = this.startingZoom();
    this.spread();
    this.draw();
    if (first) this.show(this.seq);
  }

  // spread gives the drawing as much room to scroll as its scale needs.
  spread() { this.spacer.style.width = `${Math.max(this.total(), this.width)}px`; }

  // startingZoom shows the whole of a run, unless that is too much for one look.
  startingZoom() {
    const least = this.m.events.length > mostAtOneLook ? 0.75 : 0;
    return this.scale === 'time' ? 1 : Math.min(2, Math.max(least, this.fitting()));
  }

  fitting() { return (this.width - 8) / Math.max(1, this.m.events.length * baseStep); }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }

  // show selects an event and brings it into sight.
  show(seq) {
    this.seq = seq;
    const e = this.m.bySeq.get(seq);
    if (!this.width) return; // resize comes back here once there is room
    const x = e ? this.x(e.i) : 0, left = this.scroller.scrollLeft;
    if (e && (x < left + 30 || x > left + this.width - 30)) this.scroller.scrollLeft = x - this.width / 2;
    if (this.scroller.scrollLeft === this.left) this.drawChosen(); else this.draw();
  }

  clicked(click) {
    const marked = click.target.closest('[data-i]');
    const box = this.drawing.getBoundingClientRect();
    const e = marked ? this.m.events[marked.dataset.i] : this.nearest(click.clientX - box.left + this.left, click.clientY - box.top);
    if (e) this.select(e.seq);
  }

  // nearest is the event of the lane at y that is nearest to x.
  nearest(x, y) {
    const lane = this.lanes.find((l) => y >= l.top && y < l.top + l.height) || {};
    let best, far = Infinity;
    for (const e of this.m.events) {
      const here = lane.lane === 'run' ? e.lane === 'run' : (e.lane === lane.lane || e.toward === lane.lane) && e.agent === lane.agent;
      const distance = Math.abs(this.x(e.i) - x) + (here ? 0 : 1000);
      if (distance < far) [best, far] = [e, distance];
    }
    return best;
  }

  // range is the first and the last event in sight, with one more at each end.
  range() {
    const first = this.search(this.left) - 1, last = this.search(this.left + this.width) + 1;
    return [Math.max(0, first), Math.min(this.m.events.length - 1, last)];
  }

  // search is the number of events left of x: positions grow with the order.
  search(x) {
    let low = 0, high = this.m.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x(middle) < x) low = middle + 1; else high = middle;
    }
    return low;
  }
}
