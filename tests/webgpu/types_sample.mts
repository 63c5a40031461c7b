// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of exported kernels as TypeScript sees them: what is right compiles, and each line behind @ts-expect-error does not.
import { requestDevice } from './krait.mjs';
import { mandelbrot } from './mandelbrot.mjs';
import { pull } from './pull.mjs';
import { ripples } from './ripples.mjs';
import saxpy from './saxpy.mjs';

const device = await requestDevice(), x = new Float32Array(4), buffer: GPUBuffer = device.createBuffer({ size: 16, usage: 0x80 });
const timing: { milliseconds?: number } = {};
const y: Float32Array = await saxpy(device, 2, x, x, { grid: [1, 1], block: 32, timing });
const kept: GPUBuffer = await saxpy(device, 2, buffer, buffer, { threads: 4 });
const part: GPUBuffer = await saxpy(device, 2, x, { buffer, offset: 0, size: 16 });
const picture: Int32Array = await mandelbrot(device, { shape: [8, 16] }, 50);
const [ax, ay]: [Float32Array, GPUBuffer] = await pull(device, x, x, x, buffer);
const waves: Float32Array = await ripples(device, x, buffer, { timing });
const into: GPUBuffer = await ripples(device, x, buffer, { into: { buffer, offset: 0 } });
// @ts-expect-error
await ripples(device, x, buffer, { into: x });
// @ts-expect-error
await saxpy(device, '2', x, x);
// @ts-expect-error
await saxpy(device, 2, new Float64Array(4), x);
// @ts-expect-error
await saxpy(device, 2, x);
// @ts-expect-error
await saxpy({}, 2, x, x);
// @ts-expect-error
const wrong: Int32Array = await saxpy(device, 2, x, x);
// @ts-expect-error
await saxpy(device, 2, x, x, { blocks: 3 });
export { ax, ay, into, kept, part, picture, waves, wrong, y };
