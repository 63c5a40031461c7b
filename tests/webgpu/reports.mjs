// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print and check, as a page gets it: node reports.mjs FOLDER of krait_web_reports
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { findGpu } from './dawn.mjs';

const folder = pathToFileURL(`${path.resolve(process.argv[2])}/`);
const gpu = await findGpu();
const load = (name) => import(new URL(name, folder));
const { deviceOf } = await load('krait.mjs'), { speaks } = await load('speaks.mjs'), { guarded } = await load('guarded.mjs');
const device = await deviceOf(await gpu.requestAdapter());

const lines = [], print = (line) => lines.push(line);
const x = Float32Array.of(1.5, -0, 1 / 3, 1e7, 999999, 2 ** -20, -Infinity, NaN, 12345.678), n = x.length;
await speaks(device, x, Int32Array.from(x, (_, i) => i - 4), { grid: 1, block: n, print });
assert.deepEqual(lines.sort(), [
  '{0}: 1.5 is true, 1.5 1.5 -4 18446744073709551612', '{1}: -0 is false, -0 -0 -3 18446744073709551613',
  '{2}: 0.33333334 is true, 0.33325195 0.33398438 -2 18446744073709551614', '{3}: 10000000 is true, inf 10027008 -1 18446744073709551615',
  '{4}: 999999 is true, inf 999424 0 0', '{5}: 9.536743e-07 is true, 9.536743e-07 9.536743e-07 1 1', '{6}: -inf is false, -inf -inf 2 2',
  '{7}: nan is false, nan nan 3 3', '{8}: 12345.678 is true, 12344 12352 4 4']);

// More lines than find room.
lines.length = 0;
const many = 1 << 14;
await speaks(device, new Float32Array(many), new Int32Array(many), { grid: many / 64, block: 64, print });
const words = 2 + 2 + 1 + 1 + 1 + 1 + 1 + 2, fit = Math.floor(2 ** 16 / words);
assert.equal(lines.length, fit + 1);
assert.equal(lines.at(-1), `… ${many - fit} further messages dropped`);

const fault = async (at, message) => assert.rejects(guarded(device, Int32Array.from(at), new Float32Array(8)), (error) => {
  assert.equal(error.message.replace(/\(\S*reports_site\.cpp:/, '(PLACE:'), message);
  return true;
});
assert.deepEqual(await guarded(device, Int32Array.of(0, 1, 2, 7), new Float32Array(8)), Float32Array.of(1, 1, 1, 0, 0, 0, 0, 1));
await fault([0, 1, 2, 8], 'guarded (PLACE:25): out of bounds: store to parameter 2 at (8), extents (8), block (0, 0, 0), thread (3, 0, 0)');
await fault([0, 3, 1, 2], 'guarded (PLACE:26): three, said thread 1, block (0, 0, 0), thread (1, 0, 0)');
await assert.rejects(guarded(device, Int32Array.of(-1, -1, -1, -1), new Float32Array(8)), /; and 3 further faults$/);
await assert.rejects(speaks(device, x, new Int32Array(n), { lines }), { message: 'speaks has no option lines: its options are grid, block, threads, timing, print' });
console.log('lines and faults are right');
process.exit(0);
