// The summary of one played variant: facts, failures, timeline.

function summaryOf(m, at) {
  const r = m.result;
  return el('section', {class: 'summary', 'aria-label': 'summary'},
    page.reports.length > 1 && el('h3', {}, sideName(m.side)),
    el('p', {class: 'facts'}, badge(r.verdict), facts(r).map((f) => el('span', {}, f))),
    r.reason && el('p', {class: 'bad'}, r.reason),
    r.known_failure && el('p', {}, knownWords(r)),
    (r.notes || []).map((note) => el('p', {class: 'quiet'}, note)),
    r.not_played && el('p', {class: 'bad'}, r.not_played + '.'),
    r.lost.length > 0 && el('p', {class: 'bad'}, 'Lost: ' + r.lost.join(' · ')),
    el('div', {class: 'columns'}, r.failures.length > 0 && el('div', {}, r.failures.map((f, i) => failure(m, at, f, i))), timeline(m, at)),
    r.command && el('p', {class: 'quiet'}, 'Play it again: ', el('code', {}, r.command)));
}

function knownWords(r) {
  const fails = r.known_failure.fails.join(' and ');
  const how = r.verdict === 'known_failure' ? `it fails as it is known to, in ${fails}` : `it is known to fail in ${fails}, and did not fail so`;
  return `Known failure ${r.known_failure.issue}: ${how}.`;
}

function facts(r) {
  const c = r.compactions;
  return [
    duration(r.duration_ms), r.codex.version && `codex ${r.codex.version}, ${r.codex.mode}`,
    `compactions: ${c.started} started, ${c.completed} completed, ${c.aborted} aborted`,
    `requests: ${Object.entries(r.requests).map(([kind, n]) => `${n} ${kind}`).join(', ') || 'none'}`,
    `${r.delivered.length} delivered, ${r.lost.length} lost`,
    r.golden && `golden: ${r.golden}`, r.spoilt && `spoilt and played again: ${r.spoilt} ×`,
  ].filter(Boolean);
}

function failure(m, at, f, i) {
  const where = f.line ? `${f.file}:${f.line}` : f.file;
  const lists = f.want.includes('\n') || f.got.includes('\n');
  return el('article', {class: 'failure'},
    el('h4', {}, '✗ ', f.what, ' ', el('code', {class: 'quiet'}, where)),
    lists ? compared(f.want.split('\n'), f.got.split('\n'), 'wanted', 'seen')
      : el('dl', {}, el('dt', {}, 'wanted'), el('dd', {dir: 'auto'}, f.want), el('dt', {}, 'seen'), el('dd', {dir: 'auto'}, f.got)),
    f.follows && el('p', {class: 'quiet'}, `it may fail only because ${f.follows} failed`),
    f.detail && long(f.detail),
    m.places[i]?.length > 0 && el('p', {class: 'links'}, 'see ', m.places[i].map((seq) => eventLink(m, at, seq))));
}

function eventLink(m, at, seq) {
  const e = m.bySeq.get(seq);
  return el('a', {href: hash({variant: at, side: m.side, seq}), class: 'event', title: e && summary(e)},
    `${seq} `, el('span', {class: 'quiet'}, e ? oneLine(summary(e), 40) : ''));
}

function timeline(m, at) {
  const rows = m.result.timeline || [];
  if (rows.length === 0) return null;
  return el('details', {class: 'timeline', open: rows.length <= 14 && page.reports.length === 1},
    el('summary', {}, `timeline, ${counted(rows.length, 'row')}`),
    el('ol', {}, rows.map((row, i) => el('li', {class: row.mark ? 'bad' : ''},
      row.agent && el('span', {class: 'axes'}, row.agent), row.agent && ' ',
      m.rows[i] ? el('a', {href: hash({variant: at, side: m.side, seq: m.rows[i]})}, oneLine(row.text)) : oneLine(row.text),
      row.mark && ` ← ${row.mark}`))));
}
