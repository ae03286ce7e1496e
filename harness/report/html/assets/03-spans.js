// Spans are what lasts: sends, turns, compactions, processes, requests, holds.

function spans(m) {
  const all = [], open = new Map();
  const begin = (e, key, span) => {
    end(e, key);
    const s = {agent: e.agent, from: e.i, to: m.events.length - 1, open: true, ...span};
    all.push(s);
    open.set(key, s);
  };
  const end = (e, key, state) => {
    const s = open.get(key);
    if (!s) return;
    Object.assign(s, {to: e.i, open: false, state});
    open.delete(key);
  };
  for (const e of m.events) changes[e.kind]?.(e, e.data, begin, end);
  stack(all);
  return all;
}

const changes = {
  SendBegan: (e, d, begin) => begin(e, 'send ' + d.send, {lane: 'user', kind: 'send', label: d.text}),
  SendAnswered: (e, d, begin, end) => end(e, 'send ' + d.send, d.error ? 'bad' : ''),
  CallBegan: (e, d, begin) => begin(e, 'call ' + e.agent + d.step, {lane: 'user', kind: 'send', label: 'call'}),
  CallAnswered: (e, d, begin, end) => end(e, 'call ' + e.agent + d.step, d.error ? 'bad' : ''),
  ToolHeld: (e, d, begin) => begin(e, 'tool ' + e.agent + d.gate, {lane: 'codex', kind: 'wait', label: 'held: ' + d.gate}),
  ToolReleased: (e, d, begin, end) => end(e, 'tool ' + e.agent + d.gate, 'released'),
  WireActed: (e, d, begin, end) => {
    const key = ['wire', e.agent, d.gate, d.method, d.what].join(' ');
    if (d.action === 'held') begin(e, key, {lane: 'codex', kind: 'wait', label: `${d.method} held: ${d.gate}`});
    if (d.action === 'released') end(e, key, 'released');
  },
  Turn: (e, d, begin, end) => {
    if (d.status === 'started') begin(e, 'turn ' + e.agent + d.id, {lane: 'manager', kind: 'turn', label: 'turn'});
    else end(e, 'turn ' + e.agent + d.id, d.status);
  },
  Row: (e, d, begin, end) => {
    if (d.kind !== 'compaction' && d.kind !== 'tool') return;
    const key = ['row', e.agent, d.item || d.seq].join(' '); // the end may be a row of its own
    if (d.status === 'running') begin(e, key, {lane: 'codex', kind: d.kind, label: d.name || d.kind});
    else end(e, key, d.status);
  },
  Started: (e, d, begin) => begin(e, 'process ' + e.agent, {lane: 'codex', kind: 'process', label: ''}),
  Exited: (e, d, begin, end) => end(e, 'process ' + e.agent),
  Request: (e, d, begin) => begin(e, 'request ' + d.id, {
    lane: 'provider', kind: 'request', label: `${d.class.split('.')[0]} ${d.n}${d.try > 1 ? ' attempt ' + d.try : ''}`, class: 'of-' + d.class.split('.')[0], id: d.id,
  }),
  Held: (e, d, begin) => begin(e, 'hold ' + d.id, {lane: 'provider', kind: 'hold', label: 'held: ' + d.gate, id: d.id}),
  Released: (e, d, begin, end) => end(e, 'hold ' + d.id, 'released'),
  Gone: (e, d, begin, end) => { end(e, 'hold ' + d.id, 'gone'); end(e, 'request ' + d.id, 'gone'); },
  Ended: (e, d, begin, end) => { end(e, 'hold ' + d.id, 'gone'); end(e, 'request ' + d.id, 'ended'); },
  Refused: (e, d, begin, end) => end(e, 'request ' + d.id, 'refused'),
};

const mostTracks = 6;

// stack gives requests that are open at once tracks of their own, and a hold
// the track of its request.
function stack(all) {
  const busy = new Map(), tracks = new Map();
  for (const s of all) {
    s.track = 0;
    if (s.kind === 'request') {
      const ends = busy.get(s.agent) || busy.set(s.agent, []).get(s.agent);
      const free = ends.findIndex((to) => to < s.from);
      s.track = Math.min(free < 0 ? ends.length : free, mostTracks - 1);
      ends[s.track] = Math.max(ends[s.track] ?? 0, s.to);
      tracks.set(s.id, s.track);
    }
    if (s.kind === 'hold') s.track = tracks.get(s.id) ?? 0;
  }
}
