// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page that checks itself: runs every example on the visitor's device, compares what comes back with what Krait's interpreter or its CPU
// back end computed when the page was made, and shows it. `check` and `compare` need no page: tests call them.
import { arrayOfType, bytesOf, requestDevice } from './krait.mjs';

const bitsOf = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };
const floats = { f16: [5, 10], bf16: [8, 7], f8e4m3: [4, 3], f8e5m2: [5, 2], f32: [8, 23], f64: [11, 52] };

/** The number that an element's bits are. */
function numberOf(type, array, i) {
  if (array instanceof Float32Array || array instanceof Float64Array || !floats[type]) return array[i];
  const [exponentBits, fraction] = floats[type], bits = array[i], bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits >> (exponentBits + fraction) ? -1 : 1, exponent = (bits >> fraction) % 2 ** exponentBits, rest = bits % 2 ** fraction;
  if (type === 'f8e4m3' ? bits % 128 === 127 : exponent === 2 ** exponentBits - 1 && rest) return NaN;
  if (type !== 'f8e4m3' && exponent === 2 ** exponentBits - 1) return sign * Infinity;
  return sign * (exponent ? (1 + rest / 2 ** fraction) * 2 ** (exponent - bias) : rest * 2 ** (1 - bias - fraction));
}

/** Elements that are wrong, the first of them, and how many right ones have other bits. `within`: the relative and absolute
 * error allowed, and the share of elements that may be beyond. */
export function compare(type, got, want, [relative, absolute, except] = [0, 0, 0]) {
  const kind = bitsOf[got.BYTES_PER_ELEMENT], g = new kind(got.buffer, got.byteOffset, got.length), w = new kind(want.buffer, want.byteOffset, want.length);
  const result = { elements: want.length, wrong: 0, first: null, other: 0 };
  if (got.length !== want.length) return { ...result, wrong: want.length, right: false, first: { index: 0, got: `${got.length} elements`, want: `${want.length} elements` } };
  for (let i = 0; i < g.length; ++i) {
    if (g[i] === w[i]) continue;
    const x = numberOf(type, got, i), y = numberOf(type, want, i);
    if (floats[type] && ((Number.isNaN(x) && Number.isNaN(y)) || Math.abs(x - y) <= absolute + relative * Math.abs(y))) {
      if (!Number.isNaN(x)) result.other += 1;
      continue;
    }
    if (result.wrong === 0) result.first = { index: i, got: x, want: y };
    result.wrong += 1;
  }
  return { ...result, right: result.wrong <= except * result.elements };
}

const argumentOf = (a) => (a?.type && a.shape ? { shape: a.shape, ...(a.data !== undefined && { data: arrayOfType(a.type, bytesOf(a.data)) }) }
  : a?.bytes !== undefined ? bytesOf(a.bytes) : a);

/** Runs an example; gives the arrays that it wrote, the comparison and the time of its second run. */
export async function check(example, device) {
  const given = example.given.map(argumentOf), timing = {};
  const run = async (options) => [await example.kernel(device, ...given, { ...example.launch, ...options })].flat();
  let results = await run({});
  if (example.expected.length === 0) results = [];
  await run({ timing });
  const compared = example.expected.map((e, n) => ({ name: e.name, ...compare(e.type, results[n], arrayOfType(e.type, bytesOf(e.data)), example.within) }));
  return { results, timing, compared, right: compared.every((c) => c.right) };
}

/** A word on the comparison. */
export function verdict(outcome) {
  const wrong = outcome.compared.find((c) => !c.right);
  if (wrong)
    return `${wrong.name}[${wrong.first.index}] is ${wrong.first.got}, expected ${wrong.first.want}; ${wrong.wrong} of ${wrong.elements} elements are wrong`;
  const sum = (name) => outcome.compared.reduce((n, c) => n + c[name], 0), elements = sum('elements'), other = sum('other'), beyond = sum('wrong');
  if (beyond) return `${elements - beyond} of ${elements} elements are right; ${beyond} lie on a border, where a rounding decides`;
  return other ? `${elements} elements are right, ${other} of them within the bound` : `${elements} elements have the expected bits`;
}

// ---- the page

const element = (name, attributes = {}, ...inside) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...inside);
  return e;
};
const byId = (id) => document.getElementById(id);

function say(state, text) {
  byId('state').dataset.state = state;
  byId('state').textContent = state === 'running' ? 'running' : state.toUpperCase();
  byId('summary').textContent = text;
  document.title = state === 'pass' ? 'PASS' : state === 'fail' ? `FAIL: ${text}` : text;
}

// Where colours go from the smallest value to the largest: red, green and blue.
const stops = [[10, 12, 40], [70, 20, 110], [165, 44, 96], [229, 92, 48], [251, 164, 40], [252, 245, 180]];

function draw(values, type, width, height) {
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': 'what the kernel computed' });
  const picture = new ImageData(width, height), count = width * height;
  let least = Infinity, most = -Infinity;
  for (let i = 0; i < count; ++i) {
    const v = Number(numberOf(type, values, i));
    if (Number.isFinite(v)) least = Math.min(least, v), most = Math.max(most, v);
  }
  for (let i = 0; i < count; ++i) {
    const v = Number(numberOf(type, values, i));
    const at = most > least ? Math.sqrt(Math.min(1, Math.max(0, (v - least) / (most - least) || 0))) * (stops.length - 1) : 0;
    const k = Math.min(Math.floor(at), stops.length - 2), part = at - k;
    for (let c = 0; c < 3; ++c) picture.data[4 * i + c] = stops[k][c] + part * (stops[k + 1][c] - stops[k][c]);
    picture.data[4 * i + 3] = 255;
  }
  canvas.getContext('2d').putImageData(picture, 0, 0);
  return canvas;
}

const timeText = ({ milliseconds, clock }) =>
  `${milliseconds >= 1 ? `${milliseconds.toFixed(milliseconds >= 100 ? 0 : 2)} ms` : `${(1000 * milliseconds).toFixed(0)} µs`}, ${clock === 'gpu' ? "by the GPU's clock" : 'with the way to the GPU and back'}`;

function cardOf(example) {
  const mark = element('span', { class: 'mark' }, '…'), result = element('p', { class: 'result' }, 'waits'), time = element('p', { class: 'time' });
  const { grid, block } = example.launch, shape = (d) => d.join(' × ').replace(/( × 1)+$/, '');
  const card = element('article', {},
    element('h2', {}, mark, ` ${example.title}`),
    element('p', { class: 'where' }, `${example.kernel.description.source ? `${example.kernel.description.source}, ` : ''}grid ${shape(grid)}, block ${shape(block)}`),
    result, time);
  const picture = element('div', { class: 'picture' });
  if (example.image) picture.style.aspectRatio = `${example.image[0]} / ${example.image[1]}`, card.append(picture);
  card.append(element('details', {}, element('summary', {}, 'WGSL'), element('pre', {}, element('code', {}, example.kernel.description.code.trim()))));
  byId('kernels').append(card);
  return { card, mark, result, time, picture };
}

function show(example, outcome, parts) {
  parts.card.dataset.state = outcome.right ? 'pass' : 'fail';
  parts.mark.textContent = outcome.right ? '✓' : '✗';
  parts.result.textContent = verdict(outcome);
  parts.time.textContent = timeText(outcome.timing);
  if (!example.image) return;
  const [width, height] = example.image, at = outcome.results.findIndex((r) => r.length === width * height);
  if (at >= 0) parts.picture.replaceChildren(draw(outcome.results[at], example.expected[at].type, width, height));
}

function describe(device) {
  const info = device.adapterInfo ?? {}, limits = device.limits, megabytes = (n) => `${Math.round(n / 2 ** 20).toLocaleString('en')} MiB`;
  const rows = [['Adapter', [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(' ') || 'not told'],
    ['Largest array', megabytes(limits.maxStorageBufferBindingSize)], ['Arrays of a kernel', limits.maxStorageBuffersPerShaderStage],
    ['Workgroup memory', `${limits.maxComputeWorkgroupStorageSize / 1024} KiB`], ['Threads of a block', limits.maxComputeInvocationsPerWorkgroup],
    ['Timestamps', device.features.has('timestamp-query') ? 'yes' : 'no'],
    ['Half precision', device.features.has('shader-f16') ? 'yes' : 'no'], ['Subgroups', device.features.has('subgroups') ? 'yes' : 'no']];
  byId('device').replaceChildren(...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, String(value)))));
}

function progress(done, of) {
  byId('progress').max = of;
  byId('progress').value = done;
  byId('count').textContent = `${done} of ${of}`;
}

export async function main(examples) {
  const parts = examples.map(cardOf);
  progress(0, examples.length);
  say('running', 'Looks for a GPU');
  let device;
  try {
    device = await requestDevice();
  } catch (error) {
    byId('missing').hidden = false;
    byId('why').textContent = error.message;
    say('no WebGPU', 'No kernel was run: there is no WebGPU here');
    return;
  }
  describe(device);
  let wrong = 0;
  for (const [n, example] of examples.entries()) {
    say('running', `Runs ${example.title}`);
    try {
      const outcome = await check(example, device);
      wrong += outcome.right ? 0 : 1;
      show(example, outcome, parts[n]);
    } catch (error) {
      wrong += 1;
      parts[n].card.dataset.state = 'fail', parts[n].mark.textContent = '✗', parts[n].result.textContent = error.message;
    }
    progress(n + 1, examples.length);
  }
  say(wrong ? 'fail' : 'pass', wrong ? `${wrong} of ${examples.length} launches are wrong` : `${examples.length} launches are right`);
}
