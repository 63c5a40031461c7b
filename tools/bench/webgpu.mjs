// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of Krait beside WGSL written by hand, on one device in one run, by turns and by the GPU's clock:
//   bench_webgpu_site FOLDER && node tools/bench/webgpu.mjs FOLDER [ROUNDS]
// Prints for each the median times and how fast Krait's is: the median of the rounds' time by hand / time of Krait, which other work of the
// machine moves least. What both compute has to be equal within 1e-3.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { findGpu } from '../../tests/webgpu/dawn.mjs';

const folder = pathToFileURL(`${path.resolve(process.argv[2])}/`), rounds = Number(process.argv[3] ?? 15);
const gpu = await findGpu();
const load = async (name) => (await import(new URL(`${name}.mjs`, folder))).default;
const { deviceOf } = await import(new URL('krait.mjs', folder));
const device = await deviceOf(await gpu.requestAdapter());

const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
function bufferOf(values) {
  const buffer = device.createBuffer({ size: values.byteLength, usage: storage });
  device.queue.writeBuffer(buffer, 0, values);
  return buffer;
}

/** A function that launches WGSL on these buffers and gives the milliseconds. */
async function byHand(code, blocks, buffers) {
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) });
  const set = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const times = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  return async () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass({ timestampWrites: { querySet: set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...blocks);
    pass.end();
    encoder.resolveQuerySet(set, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, times, 0, 16);
    device.queue.submit([encoder.finish()]);
    await times.mapAsync(GPUMapMode.READ);
    const [from, to] = new BigUint64Array(times.getMappedRange());
    times.unmap();
    return Number(to - from) / 1e6;
  };
}

function byKrait(kernel, given, options) {
  return async () => {
    const timing = {};
    await kernel(device, ...given, { ...options, timing });
    return timing.milliseconds;
  };
}

async function read(buffer, type) {
  const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  return new type(copy.getMappedRange().slice(0));
}

const median = (values) => values.sort((x, y) => x - y)[values.length >> 1];

let slow = false;
async function measure(name, krait, hand, [kraits, hands], type) {
  await krait(), await hand();
  const [x, y] = [await read(kraits, type), await read(hands, type)];
  const wrong = x.filter((v, i) => Math.abs(v - y[i]) > 1e-3 * Math.max(1, Math.abs(y[i]))).length;
  if (wrong > x.length / 100) throw new Error(`${name}: ${wrong} of ${x.length} elements differ`);
  const pairs = [];
  for (let round = 0; round < rounds; ++round) {
    const first = round % 2 ? await hand() : await krait(), second = round % 2 ? await krait() : await hand();
    pairs.push(round % 2 ? [second, first] : [first, second]);
  }
  const ratio = median(pairs.map(([mine, own]) => own / mine));
  slow ||= ratio < 0.95;
  const [mine, other] = [0, 1].map((k) => median(pairs.map((pair) => pair[k])).toFixed(2).padStart(8));
  console.log(`${name.padEnd(12)} Krait ${mine} ms, by hand ${other} ms: ${ratio.toFixed(2)} of its speed`);
}

const numbers = (n, of) => Float32Array.from({ length: n }, (_, i) => of(i));

{
  const n = 1 << 22, x = bufferOf(numbers(n, (i) => i % 100)), ys = [0, 0].map(() => bufferOf(new Float32Array(n)));
  await measure('saxpy', byKrait(await load('saxpy'), [2, x, ys[0]], { grid: 1024, block: 64 }), await byHand(`
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> a: f32;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  for (var i = id.x; i < arrayLength(&y); i += grid.x * 64u) { y[i] = fma(a, x[i], y[i]); }
}`, [1024], [x, ys[1], (() => {
    const a = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(a, 0, Float32Array.of(2));
    return a;
  })()]), ys, Float32Array);
}
{
  const width = 768, height = 512, outs = [0, 0].map(() => bufferOf(new Int32Array(width * height)));
  await measure('mandelbrot', byKrait(await load('mandelbrot'), [{ buffer: outs[0], shape: [height, width] }, 200], { threads: [width, height], block: [16, 16] }), await byHand(`
@group(0) @binding(0) var<storage, read_write> result: array<i32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ${width}u || id.y >= ${height}u) { return; }
  let cr = -2f + 3f * f32(id.x) / ${width}f;
  let ci = -1.5f + 3f * f32(id.y) / ${height}f;
  var zr = 0f;
  var zi = 0f;
  var k = 0i;
  while (k < 200 && zr * zr + zi * zi < 4f) {
    let next = zr * zr - zi * zi + cr;
    zi = 2f * zr * zi + ci;
    zr = next;
    k++;
  }
  result[id.y * ${width}u + id.x] = k;
}`, [width / 16, height / 16], [outs[1]]), outs, Int32Array);
}
{
  const n = 4096, p = [1, 2, 3].map((k) => bufferOf(numbers(n, (i) => Math.sin(i * k)))), outs = [0, 0].map(() => bufferOf(new Float32Array(n)));
  await measure('n-body', byKrait(await load('bodies'), [...p, outs[0]], { grid: 64, block: 64 }), await byHand(`
@group(0) @binding(0) var<storage, read> px: array<f32>;
@group(0) @binding(1) var<storage, read> py: array<f32>;
@group(0) @binding(2) var<storage, read> pz: array<f32>;
@group(0) @binding(3) var<storage, read_write> ax: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  var sum = 0f;
  for (var j = 0u; j < arrayLength(&px); j++) {
    let d = vec3f(px[j] - px[i], py[j] - py[i], pz[j] - pz[i]);
    let weight = inverseSqrt(dot(d, d) + 0.01f);
    sum += d.x * (weight * weight * weight);
  }
  ax[i] = sum;
}`, [64], [...p, outs[1]]), outs, Float32Array);
}
{
  const n = 256, [a, b] = [37, 53].map((k) => bufferOf(numbers(n * n, (i) => ((i * k) % 101) / 101 - 0.5))), outs = [0, 0].map(() => bufferOf(new Float32Array(n * n)));
  const square = (buffer) => ({ buffer, shape: [n, n] });
  await measure('product', byKrait(await load('product'), [square(a), square(b), square(outs[0])], { threads: [n, n], block: [16, 16] }), await byHand(`
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> a_tile: array<f32, 256>;
var<workgroup> b_tile: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) t: vec3u) {
  var sum = 0f;
  for (var first = 0u; first < ${n}u; first += 16u) {
    a_tile[t.y * 16u + t.x] = a[id.y * ${n}u + first + t.x];
    b_tile[t.y * 16u + t.x] = b[(first + t.y) * ${n}u + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) { sum = fma(a_tile[t.y * 16u + k], b_tile[k * 16u + t.x], sum); }
    workgroupBarrier();
  }
  c[id.y * ${n}u + id.x] = sum;
}`, [n / 16, n / 16], [a, b, outs[1]]), outs, Float32Array);
}
process.exit(slow ? 1 : 0);
