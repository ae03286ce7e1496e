// align compares two lists. Its answer leads from a to b: entries with op '=',
// '-' (only in a) or '+' (only in b), and the indices in both.
function align(a, b) {
  const out = [];
  let start = 0, endA = a.length, endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) {
    out.push({op: '=', a: start, b: start});
    start++;
  }
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  out.push(...middle(a, b, start, endA, endB));
  for (let i = endA, j = endB; i < a.length; i++, j++) out.push({op: '=', a: i, b: j});
  return out;
}

const mostCells = 4e6;

function middle(a, b, start, endA, endB) {
  const rows = endA - start, columns = endB - start, out = [];
  let i = 0, j = 0;
  if (rows * columns <= mostCells) {
    const common = commonTable(a, b, start, rows, columns), width = columns + 1;
    while (i < rows && j < columns) {
      if (a[start + i] === b[start + j]) out.push({op: '=', a: start + i++, b: start + j++});
      else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) out.push({op: '-', a: start + i++});
      else out.push({op: '+', b: start + j++});
    }
  }
  while (i < rows) out.push({op: '-', a: start + i++});
  while (j < columns) out.push({op: '+', b: start + j++});
  return out;
}

// commonTable[i][j] is how many entries the tails from i and j have in common.
function commonTable(a, b, start, rows, columns) {
  const width = columns + 1, table = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      table[i * width + j] = a[start + i] === b[start + j]
        ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  return table;
}

// compared shows two lists as one.
function compared(a, b, labelA, labelB) {
  const lines = align(a, b).map((line) => el('li', {class: 'op' + {'=': 'same', '-': 'gone', '+': 'new'}[line.op]},
    el('span', {class: 'op', 'aria-label': {'=': 'both', '-': labelA, '+': labelB}[line.op]}, line.op === '=' ? '\u00a0' : line.op),
    el('span', {dir: 'auto'}, line.op === '+' ? b[line.b] : a[line.a])));
  return el('div', {},
    el('p', {class: 'legend'}, el('span', {class: 'opgone'}, '− ' + labelA), ' ', el('span', {class: 'opnew'}, '+ ' + labelB)),
    el('ol', {class: 'compared'}, lines));
}
