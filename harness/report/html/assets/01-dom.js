'use strict';

// All foreign text comes to the screen through text(): as a text node, with
// what is invisible or turns the reading order round shown as an escape.

const unseen = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

function visible(value) {
  return String(value).replace(unseen, (c) => {
    const code = c.codePointAt(0).toString(16);
    return code.length > 4 ? '\\U' + code.padStart(8, '0') : code.length > 2 ? '\\u' + code.padStart(4, '0') : '\\x' + code.padStart(2, '0');
  });
}

function text(value) { return document.createTextNode(visible(value)); }

// oneLine is the start of a text for a place that has one line.
function oneLine(value, most = 200) {
  const line = visible(String(value).slice(0, most + 1)).replace(/\s+/g, ' ');
  return line.length > most ? line.slice(0, most) + '…' : line;
}

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) node.append(child instanceof Node ? child : text(child));
  }
  return node;
}

function el(tag, attributes, ...children) {
  return put(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return put(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function button(label, onclick, attributes) {
  return el('button', {type: 'button', onclick, ...attributes}, label);
}

// long shows a long text's start, and the rest when asked.
function long(value, most = 4000) {
  const pre = el('pre', {class: 'text', dir: 'auto'}, value.slice(0, most));
  if (value.length <= most) return pre;
  const more = button(`show all ${value.length.toLocaleString('en')} characters`, () => {
    pre.replaceChildren(text(value));
    more.remove();
  }, {class: 'more'});
  return el('div', {}, pre, more);
}

function parsed(json) {
  try { return JSON.parse(json); } catch { return undefined; }
}

function pretty(json) {
  const value = typeof json === 'string' ? parsed(json) : json;
  return value === undefined ? String(json) : JSON.stringify(value, null, 2);
}

function counted(n, noun) { return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`; }

function duration(ms) {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`;
}

function moment(us) { return us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(3)} s`; }
