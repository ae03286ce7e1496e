// Search: in all that an event has, request bodies too.

// matcher says whether an event has the query in it, letter case aside. Wire
// lines and bodies are JSON, so the query is looked for as JSON writes it, too.
function matcher(m, query) {
  if (!query) return () => true;
  const plain = query.toLowerCase(), quoted = JSON.stringify(query).slice(1, -1).toLowerCase();
  const has = (hay) => hay.includes(plain) || (quoted !== plain && hay.includes(quoted));
  const pool = lowerPool().map(has);
  return (e) => has(haystack(e)) || (e.data.body || []).some((member) => (member.items || [member.value]).some((i) => pool[i]));
}

let lowered;

function lowerPool() { return lowered ??= page.pool.map((part) => part.toLowerCase()); }

function haystack(e) {
  if (e.hay === undefined) {
    const words = [e.kind, e.agent, summary(e)];
    gather(e.kind === 'Request' ? {...e.data, body: e.data.body.map((member) => member.name)} : e.data, words);
    e.hay = words.join('\n').toLowerCase();
  }
  return e.hay;
}

function gather(value, words) {
  if (value !== null && typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) words.push(name);
      gather(inner, words);
    }
  } else words.push(String(value));
}
