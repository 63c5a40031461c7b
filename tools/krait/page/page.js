// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page: panes of stages, whose lines light up together; kernels, search, keys.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent), byId = (id) => document.getElementById(id);
const sources = new Map(Object.entries(data.sources)), refused = new Map(Object.entries(data.refused));
// The user's kernels come first.
const kernels = [...data.kernels.filter((k) => !k.own), ...data.kernels.filter((k) => k.own)];
const phone = matchMedia('(max-width: 700px)');
const main = byId('panes');

const make = (name, attributes = {}, ...inside) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...inside);
  return e;
};
const isShown = (line) => line.offsetParent !== null;

// Choices outlive the page where the browser keeps them; from files some do not.
const kept = {
  read: (name) => { try { return localStorage.getItem(`krait-${name}`); } catch { return null; } },
  write: (name, value) => { try { localStorage.setItem(`krait-${name}`, value); } catch { /* they last as long as the page */ } },
};

// ---- panes
/** Of the kernel on show: name, title, language, lines, places, and once it was open its elements. */
let panes = [];
let linesAt = new Map(), hues = new Map();
let current = 0, alone = null;

const paneOf = (line) => panes.find((p) => p.text === line.closest('.text'));
const opened = () => panes.filter((p) => p.open && (!alone || p === alone));

/** Columns of at least 380 pixels, in as few rows as that takes. */
function lay() {
  const shown = opened();
  for (const p of panes) {
    p.section.hidden = !shown.includes(p);
    p.chip.setAttribute('aria-pressed', String(p.open));
    p.most.setAttribute('aria-pressed', String(p === alone));
  }
  const fit = Math.max(1, Math.floor(main.clientWidth / 380)), rows = Math.ceil(shown.length / fit) || 1;
  main.style.setProperty('--rows', rows);
  main.style.setProperty('--columns', Math.ceil(shown.length / rows) || 1);
}

function open(pane, on) {
  if (phone.matches && pane.name !== 'source') for (const p of panes) if (p.name !== 'source') p.open = false;
  pane.open = on || (phone.matches && pane.name !== 'source');
  const wasFilled = pane.filled;
  if (pane.open) fill(pane);
  alone = null;
  lay();
  if (phone.matches) pane.chip.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  else kept.write('stages', JSON.stringify(panes.filter((p) => p.open).map((p) => p.name)));
  if (pane.open && !wasFilled) beginWithKernel(pane);
  if (pane.open && pinned) bringIntoSight(pane);
}

/** At first: those of the last time, else what fits, the ends of the pipeline first. */
function openFirst() {
  const last = JSON.parse(kept.read('stages') ?? 'null'), has = (name) => panes.some((p) => p.name === name);
  const wanted = ['source', 'final', 'asm', 'ir', 'passes', 'ptx', 'llvm', 'spirv', 'wgsl', ...panes.map((p) => p.name)].filter(has);
  const first = new Set(phone.matches ? ['source', has('ir') ? 'ir' : wanted.find((n) => n !== 'source')]
    : last?.some(has) ? last : [...new Set(wanted)].slice(0, main.clientWidth > 1900 ? 8 : 6));
  for (const p of panes) p.open = first.has(p.name);
}

function newPane(name, title, language) {
  const text = make('div', { class: 'text', tabindex: '0', 'aria-label': title });
  const most = make('button', { title: 'This stage alone  m', 'aria-label': `${title} alone`, 'aria-pressed': 'false' }, '⤢');
  const head = make('div', { class: 'head' }, make('h2', {}, title), make('span', { class: 'space' }), most);
  const section = make('section', { id: `stage-${name}`, 'aria-label': title, class: ['asm', 'ptx', 'sass'].includes(language) ? 'asm' : language ?? '' }, head, text);
  const chip = make('button', { 'aria-pressed': 'true', title: `Show or hide  ${panes.length + 1}` }, title, make('sup'));
  const pane = { name, title, language, text, most, head, section, chip, open: false, filled: false };
  chip.addEventListener('click', () => open(pane, !pane.open));
  most.addEventListener('click', () => { alone = alone ? null : pane; lay(); });
  byId('stages').append(chip);
  main.append(section);
  panes.push(pane);
  return pane;
}

// ---- lines
/** A line's end that is a detail begins here. */
const cutOf = (language, text) => { const at = text.search(details[language] ?? /$^/); return at < 0 ? text.length : at; };

function codeOf(pieces, rest) {
  const code = make('code');
  for (const [name, text] of pieces)
    for (const part of text.split(/(\t)/)) {
      if (!part) continue;
      if (part === '\t') code.append(make('span', { class: 'tab' }, part));
      else code.append(name ? make('span', { class: name }, part) : part);
    }
  if (rest) code.append(make('span', { class: 'detail c' }, rest));
  return code;
}

function lineOf(pane, number, pieces, { text, at, rest = '', detail = false, classes = '' }) {
  const line = make('div', { class: `l ${classes}${detail ? ' detail' : ''}` }, make('i', {}, number ? String(number) : ''));
  if (pane.name !== 'source') line.append(make('b', {}, at && !detail ? at.slice(at.lastIndexOf(':') + 1) : ''));
  line.append(codeOf(pieces, rest));
  const indent = /^[-+]?\s*/.exec(text)[0].replace(/\t/g, pane.section.classList.contains('asm') ? '  ' : '    ').length;
  if (indent) line.style.setProperty('--in', indent);
  if (at && !detail) {
    line.dataset.at = line.title = at;
    line.style.setProperty('--h', hues.get(at) ?? 0);
    if (!linesAt.has(at)) linesAt.set(at, []);
    linesAt.get(at).push(line);
  }
  return line;
}

/** Makes the lines of a stage, when it is opened first. */
function fill(pane) {
  if (pane.filled) return;
  pane.filled = true;
  if (pane.name === 'source') fillSource(pane);
  else if (pane.name === 'passes' || pane.name === 'diff') fillPasses(pane);
  else {
    const { lines } = pane, cuts = lines.map((l) => cutOf(pane.language, l)), few = isDetail[pane.language]?.(lines) ?? [];
    const pieces = coloured(pane.language, lines.map((l, n) => l.slice(0, cuts[n])));
    number(pane, lines.length);
    pane.text.append(...lines.map((text, n) => lineOf(pane, n + 1, pieces[n], { text, at: pane.places[n], rest: text.slice(cuts[n]), detail: few[n] })));
  }
  if (pinned) for (const line of linesAt.get(pinned) ?? []) line.classList.add('pinned');
}

/** The columns of numbers are as wide as the largest number. */
function number(pane, count) {
  const digits = (n) => String(n).length, places = (pane.places ?? []).filter(Boolean).map((at) => at.length - at.lastIndexOf(':') - 1);
  pane.section.style.setProperty('--digits', digits(count));
  pane.section.style.setProperty('--places', Math.max(0, ...new Set(places)));
}

function fillPasses(pane) {
  const { lines } = pane, jump = make('select', { 'aria-label': 'Pass' }), only = make('input', { type: 'checkbox', checked: '' });
  pane.head.querySelector('.space').before(jump, make('label', {}, only, 'changes only'));
  const cuts = lines.map((l) => cutOf('kir', l)), pieces = coloured('kir', lines.map((l, n) => l.slice(0, cuts[n])));
  let from = 0, first = true, longest = 1;
  lines.forEach((text, n) => {
    const pass = /^; ---- (.*)/.exec(text);
    if (pass) from = n, first = n === 0;
    longest = Math.max(longest, n - from);
    const mark = pass ? 'pass' : { '+': 'add', '-': 'gone' }[text[0]] ?? (first ? '' : 'stays');
    const line = lineOf(pane, n - from, pieces[n], { text, at: pane.places[n], rest: text.slice(cuts[n]), classes: mark });
    if (pass) {
      const option = make('option', {}, pass[1]);
      option.line = line;
      jump.append(option);
    }
    pane.text.append(line);
  });
  number(pane, longest);
  const show = () => pane.text.classList.toggle('changes', only.checked);
  only.addEventListener('change', show);
  show();
  jump.addEventListener('change', () => pane.text.scrollTo({ top: jump.selectedOptions[0].line.offsetTop }));
}

function fillSource(pane) {
  const files = new Map();
  for (const at of hues.keys()) {
    const cut = at.lastIndexOf(':'), file = at.slice(0, cut);
    files.set(file, [...(files.get(file) ?? []), Number(at.slice(cut + 1))]);
  }
  const say = (text) => pane.text.append(lineOf(pane, 0, [['c', text]], { text }));
  let longest = 1;
  for (const [file, places] of files) {
    const text = sources.get(file);
    if (files.size > 1 || text === undefined) pane.text.append(lineOf(pane, 0, [['', file]], { text: file, classes: 'file' }));
    if (text === undefined) {
      say(refused.has(file) ? `source not shown: ${refused.get(file)}` : 'the file was not found: --sources FOLDER says where it is');
      for (const n of places) pane.text.append(lineOf(pane, n, [['c', '']], { text: '', at: `${file}:${n}` }));
      longest = Math.max(longest, ...places);
      continue;
    }
    const lines = text.replace(/\n$/, '').split(/\r?\n/), pieces = coloured('cpp', lines);
    longest = Math.max(longest, lines.length);
    lines.forEach((line, n) => {
      const at = `${file}:${n + 1}`;
      pane.text.append(lineOf(pane, n + 1, pieces[n], { text: line, at: hues.has(at) ? at : null }));
    });
  }
  number(pane, longest);
  pane.head.querySelector('.space').before(make('span', { class: 'file' }, [...files.keys()].join(', ')));
}

// ---- lines of one place light up together; a click keeps them, and brings them into sight
let lit = null, pinned = null;
const mark = (at, name, on) => (linesAt.get(at) ?? []).forEach((line) => line.classList.toggle(name, on));

function light(at) {
  if (at === lit) return;
  mark(lit, 'lit', false);
  lit = at;
  mark(lit, 'lit', true);
}

/** The first line of the place in a pane, or the one given, a third from the top. */
function bringIntoSight(pane, line = (linesAt.get(pinned) ?? []).find((l) => l.closest('.text') === pane.text && isShown(l))) {
  if (line) pane.text.scrollTo({ top: line.offsetTop - pane.text.clientHeight / 3 });
}

/** At first a pane shows the first line that has a place; the source always, the others where it is far down. */
function beginWithKernel(pane) {
  const first = [...pane.text.children].find((l) => l.dataset.at && isShown(l));
  if (first && (pane.name === 'source' || first.offsetTop > pane.text.clientHeight / 2)) pane.text.scrollTo({ top: first.offsetTop - 54 });
}

const address = () => {
  const at = new URLSearchParams();
  if (current) at.set('kernel', current);
  if (pinned) at.set('at', pinned);
  history.replaceState(null, '', `#${at}`);
};

/** Beside the source's title. */
const placeButton = make('button', { id: 'place', title: 'Let go of this line  Esc' });
placeButton.addEventListener('click', () => pin(pinned));

function pin(at, from) {
  mark(pinned, 'pinned', false);
  pinned = at === pinned ? null : at;
  mark(pinned, 'pinned', true);
  placeButton.hidden = !pinned;
  placeButton.textContent = pinned ?? '';
  placeButton.style.setProperty('--h', hues.get(pinned) ?? 0);
  address();
  if (pinned) for (const pane of opened()) if (pane.text !== from?.closest('.text')) bringIntoSight(pane);
}

const lineUnder = (event) => event.target.closest?.('.l[data-at]');
main.addEventListener('pointerover', (event) => light(lineUnder(event)?.dataset.at ?? null));
main.addEventListener('pointerleave', () => light(null));
main.addEventListener('click', (event) => {
  const line = lineUnder(event);
  if (line && getSelection().isCollapsed) pin(line.dataset.at, line);
});

// ---- search
let hits = [], now = -1;

function search(text) {
  for (const line of hits) line.classList.remove('hit', 'now');
  const wanted = text.toLowerCase();
  hits = [], now = -1;
  for (const pane of panes) {
    let count = 0;
    if (wanted && pane.filled) {
      const found = [...pane.text.children].filter((line) => line.lastChild.textContent.toLowerCase().includes(wanted) && (pane.section.hidden || isShown(line)));
      count = found.length;
      if (!pane.section.hidden) hits.push(...found);
    } else if (wanted) count = pane.lines?.filter((line) => line.toLowerCase().includes(wanted)).length ?? 0;
    pane.chip.lastChild.textContent = count ? String(count) : '';
  }
  for (const line of hits) line.classList.add('hit');
  byId('found').textContent = wanted ? `${hits.length} line${hits.length === 1 ? '' : 's'}` : '';
}

function next(step) {
  if (!hits.length) return;
  hits[now]?.classList.remove('now');
  now = (now + step + hits.length) % hits.length;
  hits[now].classList.add('now');
  bringIntoSight(paneOf(hits[now]), hits[now]);
  byId('found').textContent = `${now + 1} of ${hits.length} lines`;
}

byId('search').addEventListener('input', (event) => search(event.target.value));
byId('search').addEventListener('keydown', (event) => {
  if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') search(event.target.value = ''), event.target.blur();
  event.stopPropagation();
});

// ---- kernels
const nameOf = (what) => /^(?:kernel )?(.*?)(?: \((.*?)([^/()]*:\d+)\))?$/.exec(what);

function list() {
  const own = byId('own').checked, seen = new Map(), groups = [make('optgroup', { label: 'Kernels of the program' }), make('optgroup', { label: "Krait's own" })];
  kernels.forEach((k, n) => {
    const [, name, , at] = nameOf(k.what), label = at ? `${name} — ${at}` : name, times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    if (!k.own || own) groups[k.own ? 1 : 0].append(make('option', { value: String(n) }, times > 1 ? `${label} (${times})` : label));
  });
  const filled = groups.filter((g) => g.children.length);
  byId('kernel').replaceChildren(...(kernels.some((k) => k.own) ? filled : [...filled[0].children]));
  byId('kernel').value = String(current);
  if (byId('kernel').selectedIndex < 0) show(0);
  const options = [...byId('kernel').options];
  byId('previous').hidden = byId('next').hidden = options.length < 2;
  byId('previous').disabled = byId('kernel').selectedIndex === 0;
  byId('next').disabled = byId('kernel').selectedIndex === options.length - 1;
}

function step(by) {
  const option = byId('kernel').options[byId('kernel').selectedIndex + by];
  if (option) show(Number(option.value));
}

/** One hue after the other, so that lines nearby differ; none is the red of an error. */
const palette = [212, 42, 285, 170, 322, 85, 250, 195];

function hueOfPlaces() {
  const all = [...new Set(panes.flatMap((p) => p.places).filter(Boolean))].map((at) => [at.slice(0, at.lastIndexOf(':')), Number(at.slice(at.lastIndexOf(':') + 1)), at]);
  all.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
  hues = new Map(all.map(([, , at], n) => [at, palette[n % palette.length]]));
}

function show(n) {
  const kernel = kernels[n], notices = new Set();
  current = n;
  panes = [], linesAt = new Map(), lit = pinned = alone = null, hits = [];
  main.replaceChildren(), byId('stages').replaceChildren();
  document.title = `${nameOf(kernel.what)[1]} — krait dump`;
  const source = newPane('source', 'source', 'cpp');
  for (const { name, text } of kernel.stages) {
    const lines = text.replace(/\n$/, '').split('\n');
    if (lines[0].startsWith('; lines: ')) notices.add(lines.shift().slice(9));
    const language = languageOf(name, text), pane = newPane(name, titleOf(name, text), language);
    Object.assign(pane, { lines, places: (readers[language] ?? (() => []))(lines) });
  }
  Object.assign(source, { lines: [], places: [] });
  hueOfPlaces();
  if (!hues.size) panes.shift(), source.section.remove(), source.chip.remove();
  byId('notice').textContent = [...notices].join(' ');
  byId('notice').hidden = !notices.size;
  source.most.before(placeButton);
  placeButton.hidden = true;
  openFirst();
  for (const p of panes) if (p.open) fill(p);
  lay();
  for (const p of opened()) beginWithKernel(p);
  search(byId('search').value);
  address();
  if (byId('kernel').options.length) list();
}

const owned = kernels.filter((k) => k.own).length;
byId('own-switch').hidden = !owned;
byId('own-switch').lastChild.textContent = `Krait's own (${owned})`;
byId('own').checked = owned === kernels.length;
byId('own').addEventListener('change', list);
byId('kernel').addEventListener('change', (event) => show(Number(event.target.value)));
byId('previous').addEventListener('click', () => step(-1));
byId('next').addEventListener('click', () => step(1));

// ---- options
function toggle(id, name) {
  const set = (on) => {
    main.classList.toggle(name, on);
    byId(id).setAttribute('aria-pressed', String(on));
  };
  set((kept.read(id) ?? byId(id).getAttribute('aria-pressed')) === 'true');
  byId(id).addEventListener('click', () => {
    const on = !main.classList.contains(name);
    set(on), kept.write(id, on);
  });
}
toggle('wrap', 'wrap');
toggle('details', 'all');
const paint = (theme) => { if (theme) document.documentElement.dataset.theme = theme; };
paint(kept.read('theme'));
byId('theme').addEventListener('click', () => {
  const dark = document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const theme = dark === 'dark' ? 'light' : 'dark';
  paint(theme), kept.write('theme', theme);
});
byId('help').addEventListener('click', () => byId('keys').showModal());

// ---- keys
function walk(line, by) {
  const all = [...line.parentElement.children].filter(isShown);
  focusOn(all[Math.max(0, Math.min(all.length - 1, all.indexOf(line) + by))]);
}

function focusOn(line) {
  if (!line) return;
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
  line.scrollIntoView({ block: 'nearest' });
  light(line.dataset.at ?? null);
}

/** The same place in the stage beside. */
function sideways(text, by, at) {
  const shown = opened(), pane = shown[shown.findIndex((p) => p.text === text) + by];
  if (!pane) return;
  const lines = [...pane.text.children].filter(isShown);
  focusOn(lines.find((l) => at && l.dataset.at === at) ?? lines.find((l) => l.dataset.at) ?? lines[0]);
}

function keyInText(event) {
  const text = event.target.closest?.('.text'), line = event.target.closest?.('.l');
  if (!text) return false;
  const first = () => focusOn([...text.children].find((l) => isShown(l) && (pinned ? l.dataset.at === pinned : l.dataset.at)) ?? text.firstChild);
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
  if (event.key in moves) line ? walk(line, moves[event.key]) : first();
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') sideways(text, event.key === 'ArrowLeft' ? -1 : 1, line?.dataset.at);
  else if ((event.key === 'Enter' || event.key === ' ') && line?.dataset.at) pin(line.dataset.at, line);
  else return false;
  return true;
}

const keys = {
  '/': () => byId('search').focus(), '?': () => byId('keys').showModal(), '[': () => step(-1), ']': () => step(1),
  o: () => { if (owned) byId('own').click(); }, w: () => byId('wrap').click(), d: () => byId('details').click(), t: () => byId('theme').click(),
  m: () => { alone = alone ? null : panes.find((p) => p.text.contains(document.activeElement)) ?? opened()[0]; lay(); },
  Escape: () => { if (pinned) pin(pinned); else if (alone) alone = null, lay(); },
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  if (keyInText(event)) return event.preventDefault();
  const pane = /^[1-9]$/.test(event.key) && panes[Number(event.key) - 1];
  if (pane) open(pane, !pane.open);
  else if (keys[event.key]) keys[event.key](), event.preventDefault();
});

addEventListener('resize', lay);
phone.addEventListener('change', () => {
  openFirst();
  for (const p of panes) if (p.open) fill(p);
  lay();
});

const asked = new URLSearchParams(location.hash.slice(1)), chosen = Number(asked.get('kernel') ?? 0);
if (kernels[chosen]?.own) byId('own').checked = true;
show(kernels[chosen] ? chosen : 0);
list();
if (asked.has('find')) byId('search').value = asked.get('find'), search(asked.get('find')), next(1);
if (asked.has('at') && hues.has(asked.get('at'))) pin(asked.get('at'));
