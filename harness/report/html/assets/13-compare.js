// Two runs of a variant beside each other: what they have in common, and not.

function comparison(left, right) {
  if (!left || !right) return null;
  const parts = [
    ['timeline', (m) => (m.result.timeline || []).map((row) => (row.agent ? row.agent + ' ' : '') + row.text)],
    ['requests', (m) => m.events.filter((e) => e.kind === 'Request').map((e) => `${requestName(e.data)}: ${(e.data.texts || []).join(' · ')}`)],
    ['failures', (m) => m.result.failures.map((f) => `${f.what}: ${oneLine(f.got)}`)],
  ];
  return el('section', {class: 'comparison', 'aria-label': 'comparison'}, parts.map(([name, list]) => {
    const a = list(left), b = list(right);
    const equal = a.length === b.length && a.every((line, i) => line === b[i]);
    return el('details', {open: !equal}, el('summary', {}, `${name}: ${equal ? 'the same' : 'different'}`), compared(a, b, sideName(left.side), sideName(right.side)));
  }));
}
