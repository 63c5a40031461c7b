// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs Krait's kernels on a WebGPU device: the part that all kernels share. A kernel's own module gives `kernel` its WGSL and what its arguments
// are; docs/webgpu.md says how to call what comes back. Nothing here is specific to browsers: it runs wherever `device` is a GPUDevice.

const elements = { bool: [Uint8Array], i8: [Int8Array], u8: [Uint8Array, Uint8ClampedArray], i16: [Int16Array], u16: [Uint16Array], i32: [Int32Array],
  u32: [Uint32Array], i64: [BigInt64Array], u64: [BigUint64Array], f8e4m3: [Uint8Array], f8e5m2: [Uint8Array],
  f16: [Uint16Array, globalThis.Float16Array].filter(Boolean), bf16: [Uint16Array], f32: [Float32Array],
  f64: [Float64Array], bytes: [Uint8Array] };

const integers = { i8: [-(2 ** 7), 2 ** 7 - 1], u8: [0, 2 ** 8 - 1], i16: [-(2 ** 15), 2 ** 15 - 1], u16: [0, 2 ** 16 - 1],
  i32: [-(2 ** 31), 2 ** 31 - 1], u32: [0, 2 ** 32 - 1], f8e4m3: [0, 255], f8e5m2: [0, 255] };
const longs = { i64: [-(2n ** 63n), 2n ** 63n - 1n], u64: [0n, 2n ** 64n - 1n] };

const usage = { mapRead: 0x1, copySrc: 0x4, copyDst: 0x8, uniform: 0x40, storage: 0x80, queryResolve: 0x200 };
const compute = 0x4;  // GPUShaderStage.COMPUTE

/** An adapter's device with the limits for arrays that it has, subgroups and timestamps where it has them. */
export async function requestDevice() {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) throw new Error('This browser has no WebGPU, or the page was not loaded from https or localhost');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('This browser has WebGPU, but gives no adapter: its GPU or driver is not supported, or is switched off');
  return deviceOf(adapter);
}

/** The same of an adapter that the caller chose. */
export async function deviceOf(adapter) {
  const requiredLimits = {};
  for (const name of ['maxStorageBuffersPerShaderStage', 'maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupStorageSize',
    'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ'])
    requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = ['timestamp-query', 'subgroups', 'shader-f16'].filter((name) => adapter.features.has(name));
  return adapter.requestDevice({ requiredFeatures, requiredLimits });
}

// ---- what is kept of a device: whether it is lost, what it does with f32, pipelines and tables of kernels

const devices = new WeakMap();

function stateOf(device) {
  if (!devices.has(device)) {
    const state = { lost: null, probed: null, kernels: new Map() };
    device.lost.then((info) => { state.lost = info; });
    devices.set(device, state);
  }
  return devices.get(device);
}

/** What the device does with f32, by a kernel: a module's constants. */
export async function probe(device) {
  const cases = [[1 + 2 ** -12, 1 + 2 ** -12, -(1 + 2 ** -11)], [2 ** -100, 2 ** -40, 0], [2 ** -140, 3, 2 ** -141], [1, 3, 0], [2 ** -130, 3, 1],
    [3, 7, 1], [1.1, 1.3, 2], [2 ** 127, 2, -(2 ** 127)], [5, 2 ** 127, 0], [0.1, 10, -1], [1e-38, 1.7, 3e-39]].map((c) => c.map(Math.fround));
  const code = `
@group(0) @binding(0) var<storage, read_write> x: array<vec3f>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, 5>>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = x[id.x];
  results[id.x] = array(bitcast<u32>(fma(c.x, c.y, c.z)), bitcast<u32>(c.x / c.y), bitcast<u32>(sqrt(c.x)), bitcast<u32>(c.x * c.y),
    select(0u, 1u, c.x == 0.0f));
}`;
  const pipeline = device.createComputePipeline({ label: 'krait: probe', layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const make = (size, use) => device.createBuffer({ label: 'krait: probe', size, usage: use });
  const x = make(16 * cases.length, usage.storage | usage.copyDst), y = make(20 * cases.length, usage.storage | usage.copySrc);
  const copy = make(y.size, usage.mapRead | usage.copyDst);
  device.queue.writeBuffer(x, 0, new Float32Array(cases.flatMap((c) => [...c, 0])));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0),
    entries: [x, y].map((buffer, binding) => ({ binding, resource: { buffer } })) }));
  pass.dispatchWorkgroups(cases.length);
  pass.end();
  encoder.copyBufferToBuffer(y, 0, copy, 0, y.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  const got = new Float32Array(copy.getMappedRange().slice(0)), zero = new Uint32Array(got.buffer);
  for (const buffer of [x, y, copy]) buffer.destroy();
  // Double holds a product of floats; only the second rounding of the sums above could differ, and in none of them it does.
  const same = (k, exact) => cases.every((c, n) => Object.is(got[5 * n + k], Math.fround(exact(...c))));
  return { exact_fma: +same(0, (a, b, c) => a * b + c), exact_division: +same(1, (a, b) => a / b), exact_root: +same(2, (a) => Math.sqrt(a)),
    flushes: +(!same(3, (a, b) => a * b) || cases.some((c, n) => zero[5 * n + 4] !== 0)) };
}

// ---- arguments

const shown = (x) => (x === null || x === undefined ? String(x) : typeof x === 'object' ? x.constructor?.name ?? 'an object' : typeof x);
const list = (names) => names.map((t) => t.name).join(' or ');
const labelOf = (buffer) => (buffer.label ? ` "${buffer.label}"` : '');
const isBuffer = (x) => typeof x === 'object' && x !== null && typeof x.mapAsync === 'function' && typeof x.usage === 'number';

/** The bits of a float of 16 bits, rounded to nearest even. */
function halfBits(x, exponentBits, fraction) {
  const bias = 2 ** (exponentBits - 1) - 1, sign = Object.is(Math.sign(x), -0) || x < 0 ? 0x8000 : 0, size = Math.abs(x);
  if (Number.isNaN(x)) return (2 ** exponentBits - 1) * 2 ** fraction + 2 ** (fraction - 1);
  const exponent = Math.max(size === 0 || size === Infinity ? -Infinity : Math.floor(Math.log2(size)), 1 - bias);
  const unit = 2 ** (exponent - fraction), scaled = size === Infinity ? Infinity : size / unit;
  let whole = Math.floor(scaled);
  const rest = scaled - whole;
  if (rest > 0.5 || (rest === 0.5 && whole % 2 === 1)) whole += 1;
  const bits = whole + (exponent + bias - 1) * 2 ** fraction;
  return sign + Math.min(bits, (2 ** exponentBits - 1) * 2 ** fraction);
}

function writeNumber(what, type, x, block, at) {
  if (type === 'bool') {
    if (typeof x !== 'boolean') throw new TypeError(`${what} is a bool: pass true or false, not ${shown(x)}`);
    block.setUint8(at, x ? 1 : 0);
  } else if (longs[type]) {
    if (typeof x !== 'bigint' && !Number.isSafeInteger(x)) throw new TypeError(`${what} is an ${type}: pass a bigint or a whole number, not ${shown(x)}`);
    const [least, most] = longs[type];
    if (x < least || x > most) throw new RangeError(`${what} is ${x}, and an ${type} is ${least} to ${most}`);
    block.setBigUint64(at, BigInt.asUintN(64, BigInt(x)), true);
  } else if (typeof x !== 'number') {
    throw new TypeError(`${what} is of type ${type}: pass a number, not ${shown(x)}`);
  } else if (integers[type]) {
    const [least, most] = integers[type];
    if (!Number.isInteger(x) || x < least || x > most)
      throw new RangeError(`${what} is ${x}, and values of type ${type} are whole numbers from ${least} to ${most}`);
    if (most < 2 ** 8) block.setUint8(at, x);
    else if (most < 2 ** 16) block.setUint16(at, x, true);
    else block.setUint32(at, x, true);
  } else if (type === 'f32') {
    block.setFloat32(at, x, true);
  } else if (type === 'f64') {
    block.setFloat64(at, x, true);
  } else {
    block.setUint16(at, type === 'f16' ? halfBits(x, 5, 10) : halfBits(Math.fround(x), 8, 7), true);
  }
}

function writeBytes(what, p, x, block) {
  if (!(x instanceof Uint8Array)) throw new TypeError(`${what} is ${p.bytes} bytes: pass a Uint8Array, not ${shown(x)}`);
  if (x.length !== p.bytes) throw new RangeError(`${what} is ${p.bytes} bytes, but ${x.length} are passed`);
  new Uint8Array(block.buffer, block.byteOffset + p.at, p.bytes).set(x);
}

function shapeOf(what, p, given, count) {
  const wanted = given?.shape;
  if (wanted === undefined) {
    if (p.rank !== 1) throw new TypeError(`${what} has ${p.rank} dimensions: pass { data, shape: [${Array(p.rank).fill('n').join(', ')}] }`);
    return [count];
  }
  if (!Array.isArray(wanted) || wanted.length !== p.rank || !wanted.every((n) => Number.isInteger(n) && n >= 0))
    throw new TypeError(`${what} has ${p.rank} dimension${p.rank > 1 ? 's' : ''}, and its shape is [${wanted}]`);
  return wanted;
}

function checkAttached(what, array) {
  try {
    new Uint8Array(array.buffer);
  } catch {
    throw new TypeError(`${what}: its ArrayBuffer is detached: it was transferred, and its elements are elsewhere`);
  }
}

/** An array that was passed: its memory, here or on the device, and its shape. */
function arrayOf(what, p, given) {
  const a = { p, what, data: null, buffer: null, offset: 0, bytes: 0, shape: [], made: false };
  const inside = isBuffer(given) || ArrayBuffer.isView(given) || given === null || typeof given !== 'object' ? given
    : given.data ?? given.buffer;
  if (isBuffer(inside)) {
    a.buffer = inside;
    a.offset = given === inside ? 0 : given.offset ?? 0;
    a.bytes = (given === inside ? undefined : given.size) ?? inside.size - a.offset;
    if (!(inside.usage & usage.storage)) throw new TypeError(`${what}: the GPUBuffer${labelOf(inside)} lacks the usage STORAGE`);
    if (inside.mapState !== undefined && inside.mapState !== 'unmapped') throw new TypeError(`${what}: the GPUBuffer${labelOf(inside)} is mapped: unmap it first`);
    if (!Number.isInteger(a.offset) || a.offset < 0 || a.offset + a.bytes > inside.size)
      throw new RangeError(`${what}: bytes ${a.offset} to ${a.offset + a.bytes} are asked for of a GPUBuffer of ${inside.size}`);
    if (a.offset % Math.max(p.cell, p.bytes) || (a.offset + a.bytes) % 4)
      throw new RangeError(`${what}: a GPUBuffer's part begins at a multiple of ${Math.max(p.cell, p.bytes)} bytes and ends at a multiple of 4`);
  } else if (inside !== undefined && inside !== null) {
    const types = elements[p.type];
    if (!types.some((type) => inside instanceof type))
      throw new TypeError(`${what} has elements of type ${p.type}: pass a ${list(types)} or a GPUBuffer, not ${shown(inside)}`);
    checkAttached(what, inside);
    a.data = inside, a.bytes = inside.byteLength;
  } else if (given === null || typeof given !== 'object' || given.shape === undefined) {
    throw new TypeError(`${what} is an array: pass a ${list(elements[p.type])}, a GPUBuffer or { shape }, not ${shown(given)}`);
  }
  const count = Math.floor(a.bytes / p.bytes);
  if (inside && a.bytes % p.bytes) throw new RangeError(`${what}: ${a.bytes} bytes are not a whole number of elements of ${p.bytes}`);
  a.shape = shapeOf(what, p, given, count);
  a.count = a.shape.reduce((product, n) => product * n, 1);
  if (!inside) a.bytes = a.count * p.bytes;
  else if (a.count > count || (a.data && a.count !== count))
    throw new RangeError(`${what}: the shape [${a.shape}] is ${a.count} elements, but ${count} are passed`);
  if (a.count >= 2 ** 31) throw new RangeError(`${what} has ${a.count} elements: kernels in browsers take fewer than 2^31`);
  return a;
}

/** What an element-wise function gives: an array as long as those that it takes, or memory of the caller's. */
function resultArray(what, p, arrays, into) {
  const [{ count }] = arrays;
  if (into === undefined) return { p, what, data: null, buffer: null, offset: 0, bytes: count * p.bytes, shape: [count], count };
  if (!isBuffer(into) && !isBuffer(into?.buffer)) throw new TypeError(`${what}: into is a GPUBuffer or { buffer, offset }, not ${shown(into)}`);
  return arrayOf(what, p, { ...(isBuffer(into) ? { buffer: into } : into), shape: [count] });
}

function checkLengths(k, arrays) {
  const [first] = arrays, other = arrays.find((a) => a.count !== first.count);
  if (other)
    throw new RangeError(`${k.name}: ${first.p.name} has ${first.count} elements, and ${other.p.name} has ${other.count}: an element-wise function takes arrays of one length`);
}

/** Buffers that the caller made and that overlap, one of them written. */
function checkApart(arrays) {
  for (const a of arrays)
    for (const b of arrays)
      if (a !== b && a.p.written && a.buffer && a.buffer === b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes)
        throw new TypeError(`${a.what} is written, and ${b.what.split(': ')[1]} is the same memory: copy one of them`);
}

// ---- what a kernel prints and checks: records in a buffer of words, first those of lines, then those of faults. Each part's head is where the next
// record goes, where the part ends, and how many records found no room. A record is the kernel's number, the place in `sites`, of a fault
// the thread and block, and the values.

const head = 4, lineWords = 2 ** 16, faultWords = 2 ** 10;

function emptyReports() {
  const words = new Uint32Array(2 * head + lineWords + faultWords), faults = 2 * head + lineWords;
  words.set([2 * head, faults, 0, 0, faults, words.length]);
  return words;
}

/** A float as C++ writes it: the fewest digits that give it back. */
function shownFloat(x) {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x < 0 ? '-inf' : 'inf';
  let text = '';
  for (let n = 0; n === 0 || Math.fround(Number(text)) !== x; ++n) text = x.toExponential(n);
  const [fraction, exponent] = text.split('e').map((part, n) => (n ? Number(part) : part));
  const sign = Object.is(x, -0) ? '-' : '';
  if (exponent < -4 || exponent >= 16) return `${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  return sign + Number(text).toFixed(Math.max(0, fraction.replace(/[-.]/g, '').length - 1 - exponent));
}

/** A float of less than 32 bits by its bits. */
function narrowFloat(bits, exponentBits, fractionBits, infinities) {
  const size = bits & (2 ** (exponentBits + fractionBits) - 1), sign = size === bits ? 1 : -1, most = 2 ** exponentBits - 1;
  const exponent = size >> fractionBits, fraction = size & (2 ** fractionBits - 1), bias = 2 ** (exponentBits - 1) - 1;
  if (infinities && exponent === most) return fraction ? NaN : sign * Infinity;
  if (!infinities && size === 2 ** (exponentBits + fractionBits) - 1) return NaN;
  return sign * (exponent ? 2 ** fractionBits + fraction : fraction) * 2 ** (Math.max(exponent, 1) - bias - fractionBits);
}

function shownValue(type, low, high) {
  if (type === 'bool') return String(low !== 0);
  if (type === 'i64') return String(BigInt.asIntN(64, BigInt(high) << 32n | BigInt(low)));
  if (type === 'u64') return String(BigInt(high) << 32n | BigInt(low));
  if (type === 'f32') return shownFloat(new Float32Array(Uint32Array.of(low).buffer)[0]);
  const narrow = { f16: [5, 10, true], bf16: [8, 7, true], f8e5m2: [5, 2, true], f8e4m3: [4, 3, false] }[type];
  if (narrow) return shownFloat(narrowFloat(low, ...narrow));
  return String(type[0] === 'i' ? low << (32 - Number(type.slice(1))) >> (32 - Number(type.slice(1))) : low);
}

/** The records of a part as texts, and how many found no room. */
function readReports(k, words, fault) {
  const first = fault ? head : 0, end = Math.min(words[first], words[first + 1]), texts = [];
  const numbers = (at, n) => [...words.subarray(at, at + n)];
  for (let at = fault ? words[1] : 2 * head; at + 2 <= end;) {
    const site = k.sites[words[at + 1]];
    if (words[at] !== 1 || site?.fault !== fault) break;
    const [x, yz, block, high, ...rest] = numbers(at + 2, 6);
    at += fault ? 8 : 2;
    let text = (fault ? `${k.name}${site.where && ` (${site.where})`}: ` : '') + site.parts[0];
    site.types.forEach((type, n) => {
      text += shownValue(type, words[at], words[at + 1]) + site.parts[n + 1];
      at += /64$/.test(type) ? 2 : 1;
    });
    if (fault) text += `, block (${[high * 2 ** 32 + block, ...rest].join(', ')}), thread (${[x, yz & 0xffff, yz >>> 16].join(', ')})`;
    if (at <= end) texts.push(text);
  }
  return { texts, lost: words[first + 3] * 2 ** 32 + words[first + 2] };
}

/** Prints a launch's lines; its first fault is an error. */
function tellReports(k, words, print) {
  const lines = readReports(k, words, false), faults = readReports(k, words, true), more = faults.texts.length + faults.lost - 1;
  for (const text of lines.texts) print(text);
  if (lines.lost) print(`… ${lines.lost} further message${lines.lost === 1 ? '' : 's'} dropped`);
  if (faults.texts.length)
    throw new Error(`${faults.texts[0]}${more ? `; and ${more} further fault${more === 1 ? '' : 's'}` : ''}`);
}

// ---- the launch

function dimsOf(what, given, name) {
  const all = typeof given === 'number' ? [given] : [...given];
  if (all.length < 1 || all.length > 3 || !all.every((n) => Number.isInteger(n) && n >= 0))
    throw new RangeError(`${what}: ${name} is [${all}]: give one to three whole numbers, x first`);
  return [...all, 1, 1].slice(0, 3);
}

/** Grid and block of a launch. */
function shapeOfLaunch(k, options, arrays) {
  const block = dimsOf(k.name, options.block ?? k.block, 'block');
  if (k.fixed && block.some((n, d) => n !== k.block[d])) throw new RangeError(`${k.name} was compiled for blocks of [${k.block}], not of [${block}]`);
  const covered = arrays.find((a) => a.p.name === k.covers);
  const threads = options.threads ?? (options.grid === undefined && covered ? covered.count : undefined);
  const grid = threads === undefined ? dimsOf(k.name, options.grid ?? k.grid, 'grid')
    : dimsOf(k.name, threads, 'threads').map((n, d) => Math.ceil(n / block[d]));
  if (grid.some((n, d) => n * block[d] >= 2 ** 31)) throw new RangeError(`${k.name}: a grid of [${grid}] blocks has 2^31 threads or more in a dimension`);
  return { grid, block };
}

function checkLimits(k, device, block, arrays) {
  const limits = device.limits, needs = (what, needed, name) => {
    if (needed > limits[name])
      throw new RangeError(`${k.name} needs ${what}, and the device has ${limits[name]}: ask for more by requestDevice({ requiredLimits: { ${name}: ${needed} } })`);
  };
  const bound = k.parameters.filter((p) => p.binding !== undefined).length, threads = block[0] * block[1] * block[2];
  needs(`${bound} storage buffers`, bound, 'maxStorageBuffersPerShaderStage');
  needs(`${k.shared} bytes of workgroup memory`, k.shared, 'maxComputeWorkgroupStorageSize');
  needs(`${threads} threads in a block`, threads, 'maxComputeInvocationsPerWorkgroup');
  block.forEach((n, d) => needs(`blocks of ${n} in ${'xyz'[d]}`, n, `maxComputeWorkgroupSize${'XYZ'[d]}`));
  for (const a of arrays)
    if (a.p.binding !== undefined) needs(`${a.bytes} bytes for ${a.p.name}`, a.bytes, 'maxStorageBufferBindingSize');
  for (const feature of k.features)
    if (!device.features.has(feature))
      throw new TypeError(`${k.name} needs the feature ${feature}: ask for it by requestDevice({ requiredFeatures: ['${feature}'] })`);
}

/** Of a device: the module, pipelines by their constants, and memory of tables. */
function keptOf(k, device, state) {
  if (!state.kernels.has(k)) {
    const layout = device.createBindGroupLayout({ label: k.name, entries: [{ binding: 0, visibility: compute, buffer: { type: 'uniform' } },
      ...k.parameters.filter((p) => p.binding !== undefined).map((p) => ({ binding: p.binding, visibility: compute,
        buffer: { type: p.written ? 'storage' : 'read-only-storage' } }))] });
    device.pushErrorScope('validation');  // what is wrong with a module is the error of its pipelines
    const module = device.createShaderModule({ label: k.name, code: k.code });
    device.popErrorScope().catch(() => {});
    state.kernels.set(k, { layout, module, pipelines: new Map(), tables: new Map() });
  }
  return state.kernels.get(k);
}

function pipelineOf(k, device, kept, constants) {
  const key = JSON.stringify(constants);
  if (!kept.pipelines.has(key)) {
    const made = device.createComputePipelineAsync({ label: k.name,
      layout: device.createPipelineLayout({ label: k.name, bindGroupLayouts: [kept.layout] }),
      compute: { module: kept.module, entryPoint: k.entry, constants } });
    kept.pipelines.set(key, made);
    made.catch(() => kept.pipelines.delete(key));
  }
  return kept.pipelines.get(key);
}

const roomFor = (bytes) => Math.max(16, Math.ceil(bytes / 16) * 16);

function bufferOf(device, label, bytes, use, data) {
  const size = roomFor(bytes), buffer = device.createBuffer({ label, size, usage: use, mappedAtCreation: data !== null });
  if (data) {
    new Uint8Array(buffer.getMappedRange(), 0, data.byteLength).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    buffer.unmap();
  }
  return buffer;
}

/** Fills in the argument block's places of an array; gives what is bound. */
function bind(device, kept, a, block) {
  const { p } = a;
  p.extents.forEach((at, d) => (p.wide ? block.setBigInt64(at, BigInt(a.shape[d]), true) : block.setUint32(at, a.shape[d], true)));
  p.strides?.forEach((at, d) => block.setBigInt64(at, BigInt(a.shape.slice(d + 1).reduce((product, n) => product * n, 1)), true));
  if (p.binding === undefined) return null;
  const label = a.what, use = usage.storage | usage.copySrc;
  if (p.table) {
    if (!kept.tables.has(p)) kept.tables.set(p, bufferOf(device, label, a.bytes, use, a.data));
    return { buffer: kept.tables.get(p) };
  }
  if (!a.buffer || a.bytes === 0) {
    if (a.data) checkAttached(a.what, a.data);  // it may have been transferred since the call
    a.own = bufferOf(device, label, a.bytes, use, a.bytes ? a.data : null);
    return { buffer: a.own };
  }
  const begin = a.offset % device.limits.minStorageBufferOffsetAlignment;
  block.setUint32(p.begin, begin / p.cell, true);
  return { buffer: a.buffer, offset: a.offset - begin, size: a.bytes + begin };
}

/** Encodes and submits; nothing in here waits, so that the error scopes are this launch's own. */
function submit(k, device, kept, pipeline, arrays, block, grid, folded, timed) {
  const own = [], keep = (buffer) => (own.push(buffer), buffer);
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  try {
    const entries = [];
    for (const a of arrays) {
      const resource = bind(device, kept, a, block);
      if (a.own) keep(a.own);
      if (resource) entries.push({ binding: a.p.binding, resource });
    }
    const uniform = keep(bufferOf(device, `${k.name}: arguments`, block.buffer.byteLength, usage.uniform, new Uint8Array(block.buffer)));
    entries.push({ binding: 0, resource: { buffer: uniform } });
    const group = device.createBindGroup({ label: k.name, layout: kept.layout, entries });
    const encoder = device.createCommandEncoder({ label: k.name });
    const set = timed && device.features.has('timestamp-query') ? device.createQuerySet({ type: 'timestamp', count: 2 }) : null;
    const pass = encoder.beginComputePass({ label: k.name,
      ...(set && { timestampWrites: { querySet: set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } }) });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    const all = grid[0] * grid[1] * grid[2], most = device.limits.maxComputeWorkgroupsPerDimension;
    if (folded) pass.dispatchWorkgroups(Math.min(all, most), Math.ceil(all / most));
    else if (all) pass.dispatchWorkgroups(...grid);
    pass.end();
    const reads = arrays.map((a) => {
      if (!a.own || !a.p.written || a.bytes === 0) return null;
      const copy = keep(device.createBuffer({ label: a.what, size: roomFor(a.bytes), usage: usage.mapRead | usage.copyDst }));
      encoder.copyBufferToBuffer(a.own, 0, copy, 0, copy.size);
      return copy;
    });
    let times = null;
    if (set) {
      const resolved = keep(device.createBuffer({ size: 16, usage: usage.queryResolve | usage.copySrc }));
      times = keep(device.createBuffer({ size: 16, usage: usage.mapRead | usage.copyDst }));
      encoder.resolveQuerySet(set, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, times, 0, 16);
    }
    device.queue.submit([encoder.finish()]);
    set?.destroy();
    return { own, reads, times };
  } finally {
    own.memory = device.popErrorScope(), own.invalid = device.popErrorScope();
  }
}

async function timeOf(times, began, device) {
  if (!times) {
    await device.queue.onSubmittedWorkDone();
    return { milliseconds: performance.now() - began, clock: 'host' };
  }
  await times.mapAsync(1);
  const [from, to] = new BigUint64Array(times.getMappedRange());
  return { milliseconds: Number(to - from) / 1e6, clock: 'gpu' };
}

/** A written array as the caller gets it: where it passed a GPUBuffer, that. */
async function resultOf(a, read) {
  if (a.buffer) return a.buffer;
  const type = a.data?.constructor ?? elements[a.p.type][0];
  if (!read) return new type(0);
  await read.mapAsync(1);
  return new type(read.getMappedRange().slice(0, a.bytes));
}

const passedOf = (k) => k.parameters.filter((p) => !p.table && !p.reports && p.number === undefined && !p.result);

function checkOptions(k, options) {
  const known = ['grid', 'block', 'threads', 'timing', ...(k.parameters.some((p) => p.result) ? ['into'] : []), ...(k.sites ? ['print'] : [])];
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new TypeError(`${k.name} has no option ${wrong}: its options are ${known.join(', ')}`);
}

async function launch(k, device, given, options) {
  const state = stateOf(device), passed = passedOf(k), into = [options.into].flat();
  if (given.length !== passed.length) throw new TypeError(`${k.name} takes ${passed.length} arguments (${passed.map((p) => p.name).join(', ')}), but gets ${given.length}`);
  const block = new DataView(new ArrayBuffer(roomFor(16 + k.bytes))), args = new DataView(block.buffer, 16), arrays = [];
  k.parameters.forEach((p, n) => {
    const what = `${k.name}: ${p.name}`;
    if (p.result) {
      if (n === passed.length) checkLengths(k, arrays);
      arrays.push(resultArray(what, p, arrays, into[n - passed.length]));
    } else if (p.table) arrays.push({ p, what, data: p.table, bytes: p.table.byteLength, shape: [p.table.byteLength / p.bytes] });
    else if (p.reports) {
      const data = emptyReports();
      arrays.push({ p, what, data, bytes: data.byteLength, shape: [data.length] });
    } else if (p.number !== undefined) writeNumber(what, p.type, p.number, args, p.at);
    else if (p.rank) arrays.push(arrayOf(what, p, given[n]));
    else if (p.type === 'bytes') writeBytes(what, p, given[n], args);
    else writeNumber(what, p.type, given[n], args, p.at);
  });
  checkApart(arrays);
  const { grid, block: threads } = shapeOfLaunch(k, options, arrays);
  checkLimits(k, device, threads, arrays);
  grid.forEach((n, d) => block.setUint32(4 * d, n, true));
  const empty = [...grid, ...threads].some((n) => n === 0), folded = grid.some((n) => n > device.limits.maxComputeWorkgroupsPerDimension);
  if (k.probed) state.probed ??= probe(device);
  const constants = { block_x: threads[0] || 1, block_y: threads[1] || 1, block_z: threads[2] || 1, folded: +folded, ...(k.probed && await state.probed) };
  const kept = keptOf(k, device, state), pipeline = await pipelineOf(k, device, kept, constants);
  const began = performance.now();
  const sent = submit(k, device, kept, pipeline, arrays, args, empty ? [0, 1, 1] : grid, folded, options.timing);
  return { sent, arrays, began };
}

/** Who is to blame for a launch that the device refused, where it is a buffer of another device. */
async function foreignOf(device, arrays) {
  for (const { what, buffer } of arrays) {
    if (!buffer) continue;
    device.pushErrorScope('validation');
    const layout = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: compute, buffer: { type: 'read-only-storage' } }] });
    device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    if (await device.popErrorScope()) return `${what}: the GPUBuffer${labelOf(buffer)} is of another device`;
  }
  return null;
}

async function finish(k, device, { sent: { own, reads, times }, arrays, began }, options) {
  try {
    const wrong = await own.memory ?? await own.invalid;
    if (wrong) throw new Error(await foreignOf(device, arrays) ?? `${k.name}: ${wrong.message}`);
    if (options.timing) Object.assign(options.timing, await timeOf(times, began, device));
    const results = [];
    for (const [n, a] of arrays.entries()) {
      if (a.p.reports) tellReports(k, await resultOf(a, reads[n]), options.print ?? console.log);
      else if (a.p.written) results.push(await resultOf(a, reads[n]));
    }
    return results.length > 1 ? results : results[0];
  } finally {
    for (const buffer of own) buffer.destroy();
  }
}

async function call(k, device, given) {
  if (typeof device?.createComputePipelineAsync !== 'function') throw new TypeError(`${k.name}: the first argument is a GPUDevice, not ${shown(device)}`);
  const last = given.at(-1);
  const options = given.length === passedOf(k).length + 1 && Object.getPrototypeOf(Object(last)) === Object.prototype ? given.pop() ?? {} : {};
  checkOptions(k, options);
  const state = stateOf(device);
  const alive = () => {
    if (state.lost)
      throw new Error(`${k.name}: the device is lost (${state.lost.reason}${state.lost.message ? `: ${state.lost.message}` : ''}): request a new one from a new adapter`);
  };
  try {
    await null;  // a device that is lost already has said so
    alive();
    const result = await finish(k, device, await launch(k, device, given, options), options);
    alive();
    return result;
  } catch (error) {
    await new Promise((resolve) => { setTimeout(resolve); });
    alive();
    throw error;
  }
}

/** Makes the function that a kernel's module exports. */
export function kernel(description) {
  const run = (device, ...given) => call(description, device, given);
  return Object.assign(Object.defineProperty(run, 'name', { value: description.name }), { description });
}

/** The bytes of a text in base64. */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** An array of a type's elements over bytes. */
export function arrayOfType(type, bytes) {
  return new elements[type][0](bytes.buffer, bytes.byteOffset, bytes.byteLength / elements[type][0].BYTES_PER_ELEMENT);
}
