// The list of events: any number of them, as only the rows in sight exist.

const rowHeight = 26, spare = 12;

class List {
  constructor(m, select) {
    Object.assign(this, {m, select, query: '', hidden: new Set(), seq: 0, shown: m.events});
    this.rows = el('div', {class: 'rows', role: 'none'});
    this.box = el('div', {
      class: 'list', tabindex: 0, role: 'listbox', 'aria-label': 'events', id: 'list',
      onscroll: () => this.later(), onclick: (click) => this.clicked(click),
    }, this.rows);
    this.status = el('span', {class: 'quiet', role: 'status'});
    this.node = el('section', {class: 'events', 'aria-label': 'events'}, this.filters(), this.box);
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.update();
  }

  filters() {
    const chips = Object.keys(groups).map((group) => button(group, (click) => {
      const off = this.hidden.has(group) ? !this.hidden.delete(group) : !!this.hidden.add(group);
      click.currentTarget.setAttribute('aria-pressed', !off);
      this.update();
    }, {'aria-pressed': 'true', class: 'chip ' + group}));
    return el('div', {class: 'tools', role: 'group', 'aria-label': 'show'}, chips, this.status);
  }

  find(query) {
    if (query === this.query) return;
    this.query = query;
    this.update();
  }

  // update takes up what the filters and the search let through.
  update() {
    const matches = matcher(this.m, this.query);
    this.shown = this.m.events.filter((e) => !this.hidden.has(e.group) && matches(e));
    this.status.textContent = this.shown.length === this.m.events.length
      ? counted(this.shown.length, 'event') : `${this.shown.length.toLocaleString('en')} of ${counted(this.m.events.length, 'event')}`;
    this.rows.style.height = `${this.shown.length * rowHeight}px`;
    this.show(this.seq);
  }

  // place is where an event stands in the list, or where it would stand.
  place(seq) {
    const e = this.m.bySeq.get(seq), i = e ? e.i : -1;
    let low = 0, high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shown[middle].i < i) low = middle + 1; else high = middle;
    }
    return low;
  }

  // step is the event that is so many rows further.
  step(by) {
    if (this.shown.length === 0) return 0;
    const at = this.place(this.seq);
    const here = this.shown[at]?.seq === this.seq;
    const next = here ? at + by : by > 0 ? at + by - 1 : at + by;
    return this.shown[Math.min(this.shown.length - 1, Math.max(0, next))].seq;
  }

  show(seq) {
    this.seq = seq;
    const top = this.place(seq) * rowHeight, height = this.box.clientHeight;
    if (seq && (top < this.box.scrollTop || top + rowHeight > this.box.scrollTop + height)) this.box.scrollTop = top - height / 2;
    this.draw();
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }

  draw(all) {
    const first = all ? 0 : Math.max(0, Math.floor(this.box.scrollTop / rowHeight) - spare);
    const last = all ? all : Math.ceil((this.box.scrollTop + this.box.clientHeight) / rowHeight) + spare;
    this.rows.replaceChildren(...this.shown.slice(first, last).map((e, k) => this.row(e, first + k)));
    const chosen = this.rows.querySelector('[aria-selected=true]');
    if (chosen) this.box.setAttribute('aria-activedescendant', chosen.id); else this.box.removeAttribute('aria-activedescendant');
  }

  row(e, at) {
    const chosen = e.seq === this.seq, fault = this.m.faults.get(e.seq);
    const row = el('div', {
      role: 'option', id: 'event' + e.seq, 'aria-selected': String(chosen), 'aria-setsize': this.shown.length, 'aria-posinset': at + 1,
      class: `row ${e.group}${fault ? ' fault' : ''}`, 'data-seq': e.seq,
    },
    el('span', {class: 'seq'}, e.seq), el('span', {class: 'at'}, moment(e.at_us)),
    this.m.agents.length > 1 && el('span', {class: 'agent'}, e.agent),
    el('span', {class: 'kind'}, direction(e) + e.kind),
    el('span', {class: 'what'}, summary(e), fault && el('strong', {class: 'bad'}, ' ✗ ' + fault.join(', '))));
    row.style.top = `${at * rowHeight}px`;
    return row;
  }

  clicked(click) {
    const row = click.target.closest('[data-seq]');
    if (row) this.select(Number(row.dataset.seq));
  }
}

function direction(e) {
  if (!e.toward) return '';
  return laneNames.indexOf(e.toward) > laneNames.indexOf(e.lane) ? '→ ' : '← ';
}
