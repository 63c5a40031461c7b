// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dawn for Node for tests: what a page has as `navigator.gpu`. Ends the process with 77 where it is missing and KRAIT_TEST_BACK_ENDS does not
// name webgpu.
import fs from 'node:fs';

// What Debian's chromium brings, where no driver is named.
const software = '/usr/lib/chromium/vk_swiftshader_icd.json';
if (!process.env.VK_DRIVER_FILES && fs.existsSync(software)) process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES = software;

export function missing(why) {
  console.log(`skipped: ${why}`);
  process.exit((process.env.KRAIT_TEST_BACK_ENDS ?? '').split(',').includes('webgpu') ? 1 : 77);
}

export async function findGpu() {
  const dawn = await import('webgpu').catch(() => missing('the npm package webgpu is not installed: ./bootstrap packages'));
  Object.assign(globalThis, dawn.globals);
  const gpu = dawn.create([]);
  if (!(await gpu.requestAdapter())) missing('Dawn finds no adapter: install chromium, which brings a driver, or name one by VK_DRIVER_FILES');
  return gpu;
}
