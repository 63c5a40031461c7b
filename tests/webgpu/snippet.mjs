// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/webgpu.md; modules.mjs runs it in an exported folder.
// [call]
import { requestDevice } from './krait.mjs';
import { saxpy } from './saxpy.mjs';

const device = await requestDevice();
const y = await saxpy(device, 2, Float32Array.of(1, 2, 3), Float32Array.of(10, 20, 30));  // 12, 24, 36
// [/call]
export { y };
