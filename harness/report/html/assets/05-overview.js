// The overview: every variant with its verdict; and the summary above a variant.

const verdicts = {
  pass: ['✓', 'pass'], fail: ['✗', 'fail'], known_failure: ['◆', 'known failure'],
  unexpected_pass: ['!', 'unexpected pass'], skip: ['–', 'skip'], error: ['‼', 'error'],
};

function badge(verdict) {
  const [glyph, name] = verdicts[verdict] || ['?', verdict];
  return el('span', {class: 'badge ' + (verdicts[verdict] ? verdict : 'error')}, el('span', {'aria-hidden': 'true'}, glyph), ' ', oneLine(name, 30));
}

// pairs are the lines of the overview: for each variant its index on every
// side, undefined where a side has it not.
function pairs() {
  const lines = new Map();
  page.reports.forEach((report, side) => report.variants.forEach((v, index) => {
    const base = JSON.stringify([v.result.scenario, v.result.variant]);
    let key = base;
    for (let again = 1; lines.get(key)?.[side] !== undefined; again++) key = base + again;
    if (!lines.has(key)) lines.set(key, []);
    lines.get(key)[side] = index;
  }));
  return [...lines.values()];
}

const lines = pairs();

function sideName(side) { return page.reports[side].name || (side ? 'right' : 'left'); }

function resultsOf(line) {
  return page.reports.map((report, side) => line[side] === undefined ? undefined : report.variants[line[side]].result);
}

function overview(query) {
  const shown = lines.map((line, at) => ({at, results: resultsOf(line)})).filter(({results}) => matchesResult(results, query));
  const slowest = Math.max(1, ...lines.flatMap(resultsOf).map((r) => r?.duration_ms || 0));
  const head = ['verdict', 'scenario', 'time', 'compactions', 'requests', 'messages'];
  return el('main', {id: 'main', class: 'overview'},
    page.reports.map(totals),
    query && el('p', {role: 'status'}, `${counted(shown.length, 'variant')} of ${lines.length} with “${query}”`),
    el('table', {},
      el('thead', {}, el('tr', {}, head.map((h) => el('th', {scope: 'col'}, h)))),
      el('tbody', {}, shown.map(({at, results}) => overviewLines(at, results, slowest)))));
}

function matchesResult(results, query) {
  return !query || results.some((r) => r && JSON.stringify(r).toLowerCase().includes(query.toLowerCase()));
}

function totals(report) {
  const count = {};
  for (const v of report.variants) count[v.result.verdict] = (count[v.result.verdict] || 0) + 1;
  return el('p', {class: 'totals'},
    report.name && el('strong', {}, report.name),
    Object.keys(verdicts).filter((v) => count[v]).map((v) => el('span', {}, badge(v), ' × ' + count[v])),
    el('span', {class: 'quiet'}, `${counted(report.variants.length, 'variant')} in ${duration(report.elapsed_ms)}`),
    report.interrupted && el('strong', {class: 'bad'}, 'interrupted: what was finished is here'));
}

function overviewLines(at, results, slowest) {
  return results.map((r, side) => {
    const name = page.reports.length > 1 && sideName(side);
    if (!r) return el('tr', {class: 'missing'}, el('td', {}, '—'), el('td', {colspan: 5}, `not in ${name}`));
    return overviewLine(at, side, r, name, slowest);
  });
}

function overviewLine(at, side, r, name, slowest) {
  const c = r.compactions;
  const bar = el('span', {class: 'bar', 'aria-hidden': 'true'});
  bar.style.width = `${Math.max(2, 100 * r.duration_ms / slowest)}%`;
  const why = r.reason || (r.failures[0] && 'fails: ' + r.failures.map((f) => f.what).join(', '));
  return el('tr', {class: side === 0 ? 'first' : ''},
    el('td', {}, badge(r.verdict)),
    el('td', {}, el('a', {href: hash({variant: at, side})}, r.scenario), ' ', el('span', {class: 'axes'}, variantName(r)),
      el('div', {class: 'quiet'}, [name, r.codex.version && `codex ${r.codex.version} ${r.codex.mode}`, why].filter(Boolean).join(' · '))),
    cell('time', duration(r.duration_ms), bar),
    cell('compactions', `${c.started} started`, c.aborted > 0 && el('strong', {class: 'bad'}, `, ${c.aborted} aborted`)),
    cell('requests', Object.entries(r.requests).map(([kind, n]) => `${n} ${kind}`).join(', ') || 'none'),
    cell('messages', `${r.delivered.length} delivered`, r.lost.length > 0 && el('strong', {class: 'bad'}, `, ${r.lost.length} lost`)));
}

function cell(label, ...children) { return el('td', {'data-label': label}, children); }
