// The detail: all that is known of one event.

function detail(m, at, e) {
  const box = el('section', {class: 'detail', id: 'detail', tabindex: -1, 'aria-label': 'the selected event'});
  if (!e) return put(box, {}, [el('p', {class: 'quiet'}, 'Select an event: click it, or use the arrow keys.')]);
  const faults = m.faults.get(e.seq);
  return put(box, {'data-seq': e.seq}, [
    el('h3', {}, `${e.seq} · ${e.kind}`, e.agent && el('span', {class: 'axes'}, e.agent)),
    el('p', {class: 'lead', dir: 'auto'}, summary(e)),
    el('p', {class: 'quiet'}, `at ${moment(e.at_us)}, in step ${e.step}`, e.toward && `, ${e.lane} to ${e.toward}`),
    faults && el('p', {class: 'bad'}, '✗ ', faults.join(', ')),
    related(m, at, e),
    (contents[e.kind] || fields)(m, at, e),
  ]);
}

// related links what belongs to the same request, send or call.
function related(m, at, e) {
  const all = relatives(m, e).filter((other) => other !== e);
  const parts = all.filter((other) => other.kind === 'Sent'), rest = all.filter((other) => other.kind !== 'Sent');
  return [
    rest.length > 0 && el('p', {class: 'links'}, 'with ', rest.map((other) => eventLink(m, at, other.seq))),
    parts.length > 0 && folded(counted(parts.length, 'part') + ' of the answer', () => el('p', {class: 'links'}, parts.map((other) => eventLink(m, at, other.seq)))),
  ];
}

function relatives(m, e) {
  if (e.lane === 'provider' || e.kind === 'Request') return m.events.filter((o) => o.data.id === e.data.id && (o.lane === 'provider' || o.kind === 'Request'));
  if (e.data.send !== undefined) return m.events.filter((o) => o.data.send === e.data.send);
  if (e.kind.startsWith('Call')) return m.events.filter((o) => o.kind.startsWith('Call') && o.agent === e.agent && o.data.step === e.data.step);
  if (e.kind === 'Row') return m.events.filter((o) => o.kind === 'Row' && o.agent === e.agent && (o.data.seq === e.data.seq || (e.data.item && o.data.item === e.data.item)));
  if (e.kind === 'Turn') return m.events.filter((o) => o.kind === 'Turn' && o.agent === e.agent && o.data.id === e.data.id);
  return [e.answer, e.asked].filter(Boolean);
}

const contents = {
  Request: (m, at, e) => requestView(m, at, e),
  Sent: (m, at, e) => e.data.data ? json(e.data.data) : null,
  ToCodex: (m, at, e) => json(e.data.line),
  FromCodex: (m, at, e) => json(e.data.line),
  Rollout: (m, at, e) => e.data.lines.map((line, i) => folded(`${i + 1} ${oneLine(line, 90)}`, () => json(line))),
};

// json shows JSON set out, and what came over the wire below it.
function json(raw) {
  const set = pretty(raw);
  return [long(set, 20000), set !== raw && folded('as it was on the wire', () => long(raw))];
}

// folded makes its content when it is opened for the first time.
function folded(label, content, attributes) {
  const box = el('details', {...attributes, ontoggle: () => fill()}, el('summary', {}, label));
  const fill = () => {
    if (box.open && box.childElementCount === 1) put(box, {}, [content()]);
  };
  fill();
  return box;
}

function fields(m, at, e) { return fieldList(e.data); }

function fieldList(data) {
  return el('dl', {}, Object.entries(data).map(([name, value]) => [
    el('dt', {}, name),
    el('dd', {}, typeof value === 'string' ? long(value) : value !== null && typeof value === 'object' ? long(pretty(value)) : value),
  ]));
}
