// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs WGSL kernels for a test program (tests/support/webgpu_device.cpp), which talks to it by the standard streams. A request is the length of
// its head as u32, the head as JSON, and as many bytes as each number of its list `bytes` says:
//   {"do": "hello"}                                         the adapter's name, features and limits
//   {"do": "load", "bindings", "bytes"}                     a module; what Tint says of it, warnings too, is an error
//   {"do": "launch", "module", "constants", "groups", "bytes"}   the uniform block and the bindings' memory, of which comes back what was written
// An answer is the same with lines of a word and its values as the head: right or wrong first, bytes last.
import fs from 'node:fs';

import { probe } from '../../lib/ship/web/krait.mjs';

// What Debian's chromium brings, where no driver is named.
const software = '/usr/lib/chromium/vk_swiftshader_icd.json';
if (!process.env.VK_DRIVER_FILES && fs.existsSync(software))
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES = software;

function readFully(bytes) {
  for (let at = 0; at < bytes.length;) {
    const n = fs.readSync(0, bytes, at, bytes.length - at);
    if (n === 0) process.exit(0);
    at += n;
  }
  return bytes;
}

function read() {
  const size = readFully(Buffer.alloc(4)).readUInt32LE();
  const head = JSON.parse(readFully(Buffer.alloc(size)).toString());
  head.parts = (head.bytes ?? []).map((n) => readFully(Buffer.alloc(n)));
  return head;
}

function write(lines, parts = []) {
  const text = Buffer.from([...lines, `bytes ${parts.map((p) => p.length).join(' ')}`].join('\n'));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  for (const bytes of [size, text, ...parts])
    for (let at = 0; at < bytes.length;) at += fs.writeSync(1, bytes, at);
}

function fail(message) {
  write(['wrong'], [Buffer.from(message)]);
}

function giveUp(message) {
  fail(message);
  process.exit(0);
}

const dawn = await import('webgpu').catch(() => giveUp('the npm package webgpu is not installed: ./bootstrap packages'));
Object.assign(globalThis, dawn.globals);
const gpu = dawn.create([]);
const adapter = await gpu.requestAdapter();
if (!adapter) giveUp('Dawn finds no adapter: install chromium, which brings a driver, or name one by VK_DRIVER_FILES');
const wanted = ['subgroups', 'shader-f16'].filter((f) => adapter.features.has(f));
const limits = {};
for (const name of ['maxStorageBuffersPerShaderStage', 'maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ'])
  limits[name] = adapter.limits[name];
const device = await adapter.requestDevice({ requiredFeatures: wanted, requiredLimits: limits });
device.addEventListener('uncapturederror', (e) => process.stderr.write(`${e.error.message}\n`));
const modules = [];

async function load({ bindings, entry, parts }) {
  const code = parts[0].toString();
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const said = (await module.getCompilationInfo()).messages.map((m) => `${m.type}, line ${m.lineNum}: ${m.message}`);
  const error = await device.popErrorScope();
  if (said.length || error) throw new Error(`${said.join('\n') || error.message}\n${code}`);
  const layout = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } },
      ...bindings.map((b) => ({ binding: b.binding, visibility: GPUShaderStage.COMPUTE,
        buffer: { type: b.written ? 'storage' : 'read-only-storage' } }))],
  });
  modules.push({ module, layout, bindings, entry, pipelines: new Map() });
  return modules.length - 1;
}

async function pipeline(m, constants) {
  const key = JSON.stringify(constants);
  if (!m.pipelines.has(key))
    m.pipelines.set(key, await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [m.layout] }),
      compute: { module: m.module, entryPoint: m.entry, constants },
    }));
  return m.pipelines.get(key);
}

function padded(bytes) {
  const all = Buffer.alloc(Math.max(16, (bytes.length + 15) & ~15));
  bytes.copy(all);
  return all;
}

async function launch({ module, constants, groups, parts }) {
  const m = modules[module];
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const made = await pipeline(m, constants);
  const uniform = padded(parts[0]);
  const block = device.createBuffer({ size: uniform.length, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(block, 0, uniform);
  const buffers = parts.slice(1).map((bytes) => {
    const all = padded(bytes);
    const buffer = device.createBuffer({ size: all.length,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    device.queue.writeBuffer(buffer, 0, all);
    return buffer;
  });
  const group = device.createBindGroup({ layout: m.layout,
    entries: [{ binding: 0, resource: { buffer: block } },
      ...m.bindings.map((b, n) => ({ binding: b.binding, resource: { buffer: buffers[n] } }))] });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(made);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(...groups);
  pass.end();
  const back = buffers.map((buffer, n) => {
    if (!m.bindings[n].written) return null;
    const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  const results = [];
  for (const [n, copy] of back.entries()) {
    if (!copy) {
      results.push(Buffer.alloc(0));
      continue;
    }
    await copy.mapAsync(GPUMapMode.READ);
    results.push(Buffer.from(copy.getMappedRange().slice(0, parts[n + 1].length)));
    copy.destroy();
  }
  await device.queue.onSubmittedWorkDone();
  for (const buffer of [block, ...buffers]) buffer.destroy();
  const memory = await device.popErrorScope();
  const invalid = await device.popErrorScope();
  if (memory || invalid) throw new Error((memory ?? invalid).message);
  return results;
}

const probed = await probe(device);

for (;;) {
  const request = read();
  try {
    if (request.do === 'hello') {
      const { vendor, architecture, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
      write(['right', `name ${[vendor, architecture, description].filter(Boolean).join(' ')}`, `features ${wanted.join(' ')}`,
        `probed , ${Object.entries(probed).map(([name, is]) => `"${name}": ${is}`).join(', ')}`, `buffers ${limits.maxStorageBuffersPerShaderStage}`, `shared ${limits.maxComputeWorkgroupStorageSize}`,
        `threads ${limits.maxComputeInvocationsPerWorkgroup}`,
        `subgroup ${subgroupMinSize === subgroupMaxSize ? subgroupMinSize : 0}`]);
    } else if (request.do === 'load') {
      write(['right', `module ${await load(request)}`]);
    } else {
      write(['right'], await launch(request));
    }
  } catch (error) {
    fail(String(error.message ?? error));
  }
}
