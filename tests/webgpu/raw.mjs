// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is given in WGSL (examples/33_raw_kernel.cpp), as a page calls it: node raw.mjs FOLDER
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { findGpu } from './dawn.mjs';

const folder = pathToFileURL(`${path.resolve(process.argv[2])}/`);
const gpu = await findGpu();
const load = (name) => import(new URL(name, folder));
const { deviceOf } = await load('krait.mjs'), { check } = await load('page.mjs'), { examples } = await load('examples.mjs');
const { saxpy } = await load('saxpy.mjs');
const device = await deviceOf(await gpu.requestAdapter());

// What the CPU computed by the same kernel in LLVM IR.
assert.equal(examples.length, 1);
const outcome = await check(examples[0], device);
assert.ok(outcome.right, JSON.stringify(outcome));

const x = new Float32Array(1000).map((_, i) => i), y = new Float32Array(1000).fill(1);
assert.deepEqual(await saxpy(device, 2, x, y), x.map((v) => 2 * v + 1));
// Blocks beyond 65,535 in a row are folded.
assert.deepEqual(await saxpy(device, 3, x, y, { grid: 70000, block: 1 }), x.map((v) => 3 * v + 1));
