// A request as the conversation that it is, against the request before it.

function requestView(m, at, e) {
  const d = e.data, before = d.incremental ? undefined : e.before;
  const input = itemsOf(d, 'input'), old = before ? itemsOf(before.data, 'input') : [];
  return [
    el('p', {class: 'quiet'},
      before ? ['Against the request before it, ', eventLink(m, at, before.seq), ': '] : d.incremental ? 'It continues the response before it: only what is new is in it. ' : 'The first of its conversation. ',
      before && changesOf(input, old)),
    conversation(input, old, before),
    otherMembers(d, before),
    folded('headers', () => long(Object.entries(d.header || {}).map(([name, values]) => `${name}: ${values.join(', ')}`).join('\n') || 'none')),
    folded('whole body', () => long(pretty(bodyText(d)), 20000), {class: 'whole'}),
    folded('what the provider made of it', () => fieldList({...d, body: undefined, header: undefined})),
  ];
}

function itemsOf(d, name) { return (d.body.find((member) => member.name === name) || {}).items || []; }

const bare = new Map();

// bareOf is an item without its id, which a client may give anew to what is old.
function bareOf(index) {
  if (!bare.has(index)) {
    const value = parsed(page.pool[index]);
    bare.set(index, value && value.id !== undefined ? JSON.stringify({...value, id: undefined}) : page.pool[index]);
  }
  return bare.get(index);
}

function alignItems(old, input) { return align(old.map(bareOf), input.map(bareOf)); }

function changesOf(input, old) {
  const count = {'=': 0, '+': 0, '-': 0};
  for (const part of alignItems(old, input)) count[part.op]++;
  return `${count['=']} the same, ${count['+']} new, ${count['-']} gone.`;
}

// conversation shows new and gone items whole, and those between them folded.
function conversation(input, old, before) {
  const out = [];
  let same = [];
  const fold = () => {
    if (same.length === 0) return;
    const items = same;
    same = [];
    out.push(folded(`${counted(items.length, 'item')} as in request ${before.data.id}`, () => items.map((i) => item(i, 'opsame')), {class: 'unchanged'}));
  };
  for (const part of alignItems(old, input)) {
    if (part.op === '=') { same.push(input[part.b]); continue; }
    fold();
    out.push(part.op === '+' ? item(input[part.b], before ? 'opnew' : '') : item(old[part.a], 'opgone', 400));
  }
  fold();
  return el('div', {class: 'conversation'}, out);
}

const opNames = {opnew: 'new', opgone: 'gone'};

function item(index, op, most = brief) {
  const raw = page.pool[index], value = parsed(raw) || {};
  const type = value.type || 'message';
  const role = value.role || type.replace(/_/g, ' ');
  return el('article', {class: `item ${value.role || type.replace(/[^a-z]+/g, '-')} ${op}`},
    el('header', {}, el('strong', {}, role), value.name && ` ${value.name}`, value.call_id && el('span', {class: 'quiet'}, ` ${value.call_id}`),
      opNames[op] && el('span', {class: 'op'}, opNames[op])),
    itemText(value, type, raw, most));
}

const brief = 1500;

function itemText(value, type, raw, most) {
  if (type === 'message') return content(value.content, most);
  if (type === 'function_call') return long(pretty(value.arguments));
  if (type === 'custom_tool_call') return long(String(value.input));
  if (type.endsWith('_output')) return content(value.output, most);
  if (type === 'reasoning') return [content(value.summary, most), value.encrypted_content && el('p', {class: 'quiet'}, `encrypted, ${counted(value.encrypted_content.length, 'character')}`)];
  return long(pretty(raw), most);
}

function content(parts, most) {
  if (typeof parts === 'string') return long(parts, most);
  if (!Array.isArray(parts)) return parts == null ? null : long(pretty(parts));
  return parts.map((part) => {
    if (typeof part?.text === 'string') return long(part.text, most);
    if (typeof part?.image_url === 'string') return el('p', {class: 'quiet'}, `image, ${counted(part.image_url.length, 'character')}: ${oneLine(part.image_url, 60)}`);
    return long(pretty(part));
  });
}

// otherMembers lists what stands beside the input, changed members first.
function otherMembers(d, before) {
  const old = new Map((before ? before.data.body : []).map((member) => [member.name, member]));
  const mine = d.body.filter((member) => member.name !== 'input');
  const gone = [...old.values()].filter((member) => member.name !== 'input' && !mine.some((other) => other.name === member.name));
  const changed = before ? mine.filter((member) => !same(member, old.get(member.name))) : [];
  const row = (member, op) => folded(`${member.name || 'body'}${op ? ' · ' + op : ''}: ${oneLine(memberText(member), 60)}`,
    () => [op === 'changed' && old.has(member.name) && compared(pretty(memberText(old.get(member.name))).split('\n'), pretty(memberText(member)).split('\n'), 'before', 'now'),
      op !== 'changed' && long(pretty(memberText(member)))], {class: op ? 'member ' + op : 'member'});
  return el('div', {class: 'members'},
    changed.map((member) => row(member, old.has(member.name) ? 'changed' : 'added')),
    gone.map((member) => row(member, 'dropped')),
    mine.filter((member) => !changed.includes(member)).map((member) => row(member, '')));
}

function same(a, b) { return b !== undefined && a.value === b.value && String(a.items) === String(b.items); }

function memberText(member) {
  return member.items ? '[' + member.items.map((i) => page.pool[i]).join(',') + ']' : page.pool[member.value];
}

function bodyText(d) {
  if (d.body.length === 1 && d.body[0].name === '') return memberText(d.body[0]);
  return '{' + d.body.map((member) => JSON.stringify(member.name) + ':' + memberText(member)).join(',') + '}';
}
