// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of an exported folder (examples/28_web.cpp), called as a page calls them: node modules.mjs FOLDER
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { findGpu } from './dawn.mjs';

const folder = pathToFileURL(`${path.resolve(process.argv[2])}/`);
const gpu = await findGpu();
const load = (name) => import(new URL(name, folder));
const { deviceOf, kernel, probe } = await load('krait.mjs');
const { check, compare, verdict } = await load('page.mjs');
const { examples } = await load('examples.mjs');
const { saxpy } = await load('saxpy.mjs'), { mandelbrot } = await load('mandelbrot.mjs'), { ripples } = await load('ripples.mjs');
const device = await deviceOf(await gpu.requestAdapter());
const rejects = (work, message) => assert.rejects(work, (error) => {
  assert.equal(error.message, message);
  return true;
});

for (const example of examples) {
  const module = device.createShaderModule({ code: example.kernel.description.code });
  assert.deepEqual((await module.getCompilationInfo()).messages.map((m) => `${m.lineNum}: ${m.message}`), [], example.title);
  const outcome = await check(example, device);
  console.log(`${example.title}: ${verdict(outcome)}, ${outcome.timing.milliseconds.toFixed(2)} ms (${outcome.timing.clock})`);
  assert.ok(outcome.right, example.title);
}

// What the driver that comes with Chromium does with f32; others do something else.
const probed = await probe(device);
console.log('the device:', probed);
if (device.adapterInfo.architecture === 'swiftshader') assert.deepEqual(probed, { exact_fma: 0, exact_division: 0, exact_root: 0, flushes: 1 });
else assert.ok(Object.values(probed).every((is) => is === 0 || is === 1));

// Typed arrays in, typed arrays out; what was passed stays.
const x = new Float32Array(1000).map((_, i) => i), y = new Float32Array(1000).fill(1);
const sum = await saxpy(device, 2, x, y);
assert.ok(sum instanceof Float32Array);
assert.deepEqual(sum, x.map((v) => 2 * v + 1));
assert.ok(y.every((v) => v === 1));
// Another length, and a launch of its own.
assert.deepEqual(await saxpy(device, 3, x.subarray(0, 10), y.subarray(0, 10), { grid: 1, block: 32 }), x.subarray(0, 10).map((v) => 3 * v + 1));
assert.equal((await saxpy(device, 3, x.subarray(0, 0), y.subarray(0, 0))).length, 0);
// Blocks beyond 65,535 in a row are folded.
assert.deepEqual(await saxpy(device, 2, x, y, { grid: 70000, block: 1 }), x.map((v) => 2 * v + 1));
// A picture from a shape alone.
const small = await mandelbrot(device, { shape: [8, 16] }, 50);
assert.equal(small.length, 128);
assert.equal(Math.max(...small), 50);

// An element-wise function gives an array as long as those that it takes.
const four = Float32Array.of(-1, 0, 1, 2), waves = await ripples(device, four, four);
assert.ok(waves instanceof Float32Array && waves.every((v, i) =>
  Math.abs(v - Math.sin(9 * Math.hypot(four[i] - 1, four[i])) - Math.sin(9 * Math.hypot(four[i] + 1, four[i]))) < 1e-4), waves);
assert.equal((await ripples(device, four.subarray(0, 0), four.subarray(0, 0))).length, 0);

// GPUBuffers, wholly and in part.
const bufferOf = (data) => {
  const buffer = device.createBuffer({ label: 'mine', size: data.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
};
async function read(buffer) {
  const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  return new Float32Array(copy.getMappedRange().slice(0));
}
const onDevice = bufferOf(y);
assert.equal(await saxpy(device, 2, bufferOf(x), onDevice), onDevice);
assert.deepEqual(await read(onDevice), x.map((v) => 2 * v + 1));
await saxpy(device, 1, x.subarray(0, 4), { buffer: onDevice, offset: 8, size: 16 });
assert.deepEqual((await read(onDevice)).subarray(0, 8), Float32Array.of(1, 3, 5 + 0, 7 + 1, 9 + 2, 11 + 3, 13, 15));
await saxpy(device, 1, x.subarray(0, 2), { buffer: onDevice, offset: 512, shape: [2] });
assert.deepEqual((await read(onDevice)).subarray(127, 131), Float32Array.of(255, 257, 259 + 1, 261));

const written = bufferOf(new Float32Array(256));
assert.equal(await ripples(device, bufferOf(four), bufferOf(four), { into: { buffer: written, offset: 256 } }), written);
assert.deepEqual((await read(written)).subarray(62, 70), Float32Array.of(0, 0, ...waves, 0, 0));

// Wrong calls.
await rejects(saxpy({}, 2, x, y), 'saxpy: the first argument is a GPUDevice, not Object');
await rejects(saxpy(device, 2, x), 'saxpy takes 3 arguments (a, x, y), but gets 2');
await rejects(saxpy(device, '2', x, y), 'saxpy: a is of type f32: pass a number, not string');
await rejects(saxpy(device, 2, [1, 2], y), 'saxpy: x is an array: pass a Float32Array, a GPUBuffer or { shape }, not Array');
await rejects(saxpy(device, 2, new Float64Array(4), y), 'saxpy: x has elements of type f32: pass a Float32Array or a GPUBuffer, not Float64Array');
await rejects(saxpy(device, 2, x, null), 'saxpy: y is an array: pass a Float32Array, a GPUBuffer or { shape }, not null');
await rejects(saxpy(device, 2, { data: x, shape: [2000] }, y), 'saxpy: x: the shape [2000] is 2000 elements, but 1000 are passed');
await rejects(saxpy(device, 2, { data: x, shape: [10, 100] }, y), 'saxpy: x has 1 dimension, and its shape is [10,100]');
await rejects(mandelbrot(device, new Int32Array(128), 50), 'mandelbrot: out has 2 dimensions: pass { data, shape: [n, n] }');
await rejects(mandelbrot(device, { shape: [8, 16] }, 1.5),
  'mandelbrot: limit is 1.5, and values of type i32 are whole numbers from -2147483648 to 2147483647');
await rejects(saxpy(device, 2, onDevice, onDevice), 'saxpy: y is written, and x is the same memory: copy one of them');
await rejects(saxpy(device, 2, { buffer: onDevice, offset: 2, size: 8 }, y),
  "saxpy: x: a GPUBuffer's part begins at a multiple of 4 bytes and ends at a multiple of 4");
await rejects(saxpy(device, 2, { buffer: onDevice, offset: 0, size: 8000 }, y), 'saxpy: x: bytes 0 to 8000 are asked for of a GPUBuffer of 4000');
await rejects(saxpy(device, 2, device.createBuffer({ label: 'target', size: 16, usage: GPUBufferUsage.COPY_DST }), y),
  'saxpy: x: the GPUBuffer "target" lacks the usage STORAGE');
await rejects(saxpy(device, 2, x, y, { block: 2048 }),
  `saxpy needs 2048 threads in a block, and the device has ${device.limits.maxComputeInvocationsPerWorkgroup}: ask for more by requestDevice({ requiredLimits: { maxComputeInvocationsPerWorkgroup: 2048 } })`);
await rejects(saxpy(device, 2, { buffer: onDevice, shape: [2000] }, y), 'saxpy: x: the shape [2000] is 2000 elements, but 1000 are passed');
await rejects(saxpy(device, 2, x, y, { blocks: 3 }), 'saxpy has no option blocks: its options are grid, block, threads, timing');
await rejects(saxpy(device, 2, x, y, onDevice), 'saxpy takes 3 arguments (a, x, y), but gets 4');
await rejects(ripples(device, four, x), 'ripples: x has 4 elements, and y has 1000: an element-wise function takes arrays of one length');
await rejects(ripples(device, four, four, { into: four }), 'ripples: result: into is a GPUBuffer or { buffer, offset }, not Float32Array');
await rejects(ripples(device, x, x, { into: { buffer: onDevice, offset: 4 } }), 'ripples: result: the shape [1000] is 1000 elements, but 999 are passed');
const moved = Float32Array.of(1, 2, 3), late = Float32Array.of(1, 2, 3), detached = (name) =>
  `saxpy: ${name}: its ArrayBuffer is detached: it was transferred, and its elements are elsewhere`;
structuredClone(moved, { transfer: [moved.buffer] });
await rejects(saxpy(device, 2, moved, y), detached('x'));
const begun = saxpy(device, 2, late, late.slice());
structuredClone(late, { transfer: [late.buffer] });
await rejects(begun, detached('x'));
const foreign = await deviceOf(await gpu.requestAdapter());
const elsewhere = foreign.createBuffer({ label: 'elsewhere', size: 4000, usage: GPUBufferUsage.STORAGE });
await rejects(saxpy(device, 2, elsewhere, y), 'saxpy: x: the GPUBuffer "elsewhere" is of another device');
const gone = bufferOf(x);
gone.destroy();
await assert.rejects(saxpy(device, 2, gone, y), /^Error: saxpy: .*"mine".* destroyed/);
const mapped = device.createBuffer({ label: 'mapped', size: 4000, usage: GPUBufferUsage.STORAGE, mappedAtCreation: true });
await rejects(saxpy(device, 2, mapped, y), 'saxpy: x: the GPUBuffer "mapped" is mapped: unmap it first');
await rejects(kernel({ ...saxpy.description, name: 'halves', features: ['shader-f16'] })(device, 2, x, y),
  "halves needs the feature shader-f16: ask for it by requestDevice({ requiredFeatures: ['shader-f16'] })");
await rejects(saxpy(device, 2, x, y, { grid: [1, 2, 3, 4] }), 'saxpy: grid is [1,2,3,4]: give one to three whole numbers, x first');
const broken = kernel({ ...saxpy.description, name: 'broken', code: 'fn main( {' });
await assert.rejects(broken(device, 2, x, y), /broken/);
// After all of that the device works.
assert.deepEqual(await saxpy(device, 2, x, y), sum);

// A comparison finds what is wrong.
assert.deepEqual(compare('f32', Float32Array.of(1, NaN, 3), Float32Array.of(1, NaN, 4)),
  { elements: 3, wrong: 1, first: { index: 2, got: 3, want: 4 }, other: 0, right: false });
assert.equal(compare('f32', Float32Array.of(1, 2.0001), Float32Array.of(1, 2), [1e-4, 0, 0]).other, 1);
const [first] = examples, spoilt = { ...first, given: [3, ...first.given.slice(1)] }, outcome = await check(spoilt, device);
assert.equal(verdict(outcome), 'y[1] is 999.75, expected 999.5; 999 of 1000 elements are wrong');

// The documentation's code, where `navigator.gpu` is Dawn.
Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
fs.copyFileSync(new URL('snippet.mjs', import.meta.url), new URL('snippet.mjs', folder));
assert.deepEqual((await load('snippet.mjs')).y, Float32Array.of(12, 24, 36));

// A lost device.
const other = await deviceOf(await gpu.requestAdapter());
assert.deepEqual(await saxpy(other, 2, x, y), sum);
const running = saxpy(other, 2, x, y);
other.destroy();
await assert.rejects(running, /^Error: saxpy: the device is lost \(destroyed.*\): request a new one from a new adapter$/);
await assert.rejects(saxpy(other, 2, x, y), /^Error: saxpy: the device is lost \(destroyed.*\): request a new one from a new adapter$/);
console.log('all modules are right');
process.exit(0);
