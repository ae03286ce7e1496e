// The model: what the page knows of each played variant.

const page = JSON.parse(document.getElementById('data').textContent);

const laneNames = ['user', 'manager', 'codex', 'provider'];

// Where an event stands, and where it goes to when it is a message.
const places = {
  SendBegan: ['user', 'manager'], SendAnswered: ['manager', 'user'],
  CallBegan: ['user', 'manager'], CallAnswered: ['manager', 'user'],
  AgentCalled: ['codex', 'manager'], AgentAnswered: ['manager', 'codex'],
  State: ['manager'], Row: ['manager'], Turn: ['manager'], Undelivered: ['manager'],
  Permission: ['manager'], Notice: ['manager'], WireActed: ['codex'], ToolHeld: ['codex'], ToolReleased: ['codex'],
  ToCodex: ['manager', 'codex'], FromCodex: ['codex', 'manager'],
  Started: ['codex'], Exited: ['codex'], Stderr: ['codex'], Rollout: ['codex'],
  Request: ['codex', 'provider'], Sent: ['provider', 'codex'],
  Held: ['provider'], Released: ['provider'], Gone: ['provider'], Ended: ['provider'],
  Refused: ['provider'], Breach: ['provider'],
};

// The filters of the list, and the kinds that each of them is for. The run has
// all that no other has.
const groups = {
  run: [], user: ['SendBegan', 'SendAnswered', 'CallBegan', 'CallAnswered'],
  manager: ['State', 'Row', 'Turn', 'Undelivered', 'Permission', 'Notice', 'AgentCalled', 'AgentAnswered'],
  wire: ['ToCodex', 'FromCodex', 'WireActed'], codex: ['Started', 'Exited', 'Stderr', 'Rollout', 'ToolHeld', 'ToolReleased'],
  requests: ['Request', 'Held', 'Released', 'Gone', 'Ended', 'Refused', 'Breach'], streams: ['Sent'],
};

const groupOf = {};
for (const [group, kinds] of Object.entries(groups)) for (const kind of kinds) groupOf[kind] = group;

const models = new Map();

// model is the variant's model, made when it is first looked at.
function model(side, index) {
  const key = side + '/' + index;
  if (!models.has(key)) models.set(key, makeModel(page.reports[side].variants[index], side, index));
  return models.get(key);
}

function makeModel(raw, side, index) {
  const m = {
    side, index, result: raw.result, rows: raw.rows || [], places: raw.places || [], events: raw.events,
    agents: [], bySeq: new Map(), requests: new Map(), methods: new Map(), faults: new Map(),
  };
  m.events.forEach((e, i) => prepare(m, e, i));
  if (m.agents.length === 0) m.agents.push('');
  m.places.forEach((seqs, f) => seqs.forEach((seq) => {
    if (!m.faults.has(seq)) m.faults.set(seq, []);
    m.faults.get(seq).push(m.result.failures[f].what);
  }));
  m.spans = spans(m);
  return m;
}

function prepare(m, e, i) {
  e.i = i;
  m.bySeq.set(e.seq, e);
  e.group = groupOf[e.kind] || 'run';
  [e.lane, e.toward] = places[e.kind] || ['run'];
  if (e.agent && !m.agents.includes(e.agent)) m.agents.push(e.agent);
  if (e.kind === 'Request') {
    e.before = previousRequest(m, e);
    m.requests.set(e.data.id, e);
  }
  if (e.data.line !== undefined) e.rpc = wireMessage(m, e);
}

// previousRequest is the one before it of the same conversation.
function previousRequest(m, e) {
  const key = 'last ' + e.agent + ' ' + (e.data.thread || '');
  const before = m.requests.get(key);
  m.requests.set(key, e);
  return before;
}

// wireMessage reads a line of JSON-RPC; an answer learns what it answers.
function wireMessage(m, e) {
  const message = parsed(e.data.line);
  if (message === null || typeof message !== 'object') return {title: 'not JSON'};
  const call = message.id !== undefined;
  const there = e.agent + e.kind + message.id;
  const asked = m.methods.get(e.agent + (e.kind === 'ToCodex' ? 'FromCodex' : 'ToCodex') + message.id);
  if (message.method !== undefined) {
    if (call) m.methods.set(there, e);
    return {title: String(message.method), about: about(message.params)};
  }
  if (asked) { asked.answer = e; e.asked = asked; }
  const of = asked ? asked.rpc.title : 'an unknown call';
  return message.error ? {title: `error to ${of}`, about: String(message.error.message)} : {title: `answer to ${of}`, about: ''};
}

// about is what a message's parameters say at a glance.
function about(params) {
  if (params === null || typeof params !== 'object') return '';
  const item = params.item || {};
  const said = item.text || params.delta || (params.input || item.content || []).map?.((part) => part.text || part.type).join(' ');
  return [item.type, params.turn?.status, params.status?.type || (typeof params.status === 'string' ? params.status : ''), said]
    .filter((part) => typeof part === 'string' && part !== '').join(' ');
}

const summaries = {
  StepBegan: (d) => `step ${d.index}: ${d.title}`,
  StepFailed: (d) => `step ${d.index} failed: ${d.text}`,
  Settled: () => 'everything has settled',
  Request: (d) => `request ${d.id}: ${requestName(d)}${d.try > 1 ? ' attempt ' + d.try : ''} — ${(d.texts || []).at(-1) ?? d.path}`,
  Held: (d) => `request ${d.id} is held at ${d.gate}`,
  Released: (d) => `request ${d.id} is released at ${d.gate}`,
  Sent: (d) => `request ${d.id} ← ${d.what}`,
  Gone: (d) => `request ${d.id}: the client left`,
  Ended: (d) => `request ${d.id} is answered`,
  Refused: (d) => `request ${d.id} refused: ${d.text}`,
  Breach: (d) => `request ${d.id} breaks ${d.invariant}: ${d.text}`,
  Started: (d) => 'codex runs' + (d.pid ? `, pid ${d.pid}` : ''),
  Exited: (d) => `codex exited: ${d.signal || d.code}`,
  Stderr: (d) => d.text.replace(/\x1b\[[0-9;]*m/g, ''), // its colors; the detail keeps them
  Rollout: (d) => counted(d.lines.length, 'line') + ' of the rollout',
  Outside: (d) => `asked for the outside host ${d.host}`,
  WireActed: (d) => `${d.rule ? 'rule ' + d.rule : 'behind another'}: ${d.action} the ${d.what} ${d.method}${d.gate ? ' at ' + d.gate : ''}`,
  ToolHeld: (d) => `a command is held at ${d.gate}`,
  ToolReleased: (d) => `a command is released at ${d.gate}`,
  State: (d) => d.lifecycle + (d.queued ? `, ${d.queued} queued` : '') + (d.error ? `: ${d.error}` : ''),
  Row: (d) => rowText(d),
  Turn: (d) => `turn ${d.status}` + (d.error ? `: ${d.error}` : ''),
  SendBegan: (d) => d.text,
  SendAnswered: (d) => `send ${d.send}: ${d.error || d.gives}`,
  CallBegan: (d) => `a call of step ${d.step}`,
  CallAnswered: (d) => `the call of step ${d.step}: ${d.error || 'done'}`,
  AgentCalled: (d) => `calls ${d.tool}`,
  AgentAnswered: (d) => `${d.tool}: ${d.error || 'done'}`,
  Undelivered: (d) => `undelivered: ${d.text}`,
  Permission: (d) => d.outcome ? `${d.outcome}: ${d.title || d.request}` : `asked: ${d.title || d.request}`,
  Notice: (d) => `${d.level}: ${d.text}`,
  Trouble: (d) => d.text,
};

// summary is an event in one line.
function summary(e) {
  if (e.summary === undefined) {
    const say = e.rpc ? () => e.rpc.title + (e.rpc.about ? ' — ' + e.rpc.about : '') : summaries[e.kind];
    e.summary = oneLine(say ? say(e.data) : JSON.stringify(e.data));
  }
  return e.summary;
}

function requestName(d) { return `${d.class} ${d.n}`; }

function rowText(d) {
  const kind = d.note ? `${d.kind} (${d.note})` : d.kind;
  if (d.kind === 'tool') return `${kind}: ${d.name} ${d.status}`;
  if (d.kind === 'compaction') return `${kind}: ${d.status === 'running' ? 'started' : d.status}`;
  return `${kind}: ${d.text || ''}`;
}

function variantName(r) {
  return Object.entries(r.variant || {}).map(([axis, value]) => `${axis}=${value}`).join(', ');
}
