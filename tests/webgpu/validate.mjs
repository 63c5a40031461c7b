// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that no driver here can run, which Tint takes without a warning: node validate.mjs AT_LEAST FOLDER…. Dawn's back end "null" has all
// features and runs nothing.
import fs from 'node:fs';
import path from 'node:path';

import { missing } from './dawn.mjs';

const [least, ...folders] = process.argv.slice(2);
const dawn = await import('webgpu').catch(() => missing('the npm package webgpu is not installed: ./bootstrap packages'));
Object.assign(globalThis, dawn.globals);
const gpu = dawn.create(['backend=null']), adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shader-f16', 'subgroups'] });
let modules = 0, wrong = 0;
for (const file of folders.flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))) {
  const code = fs.readFileSync(file, 'utf8').split('; ----\n').at(-1);  // behind the kernel that a file of tests/codegen/wgsl has
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const said = (await module.getCompilationInfo()).messages.map((m) => `${m.type}, line ${m.lineNum}: ${m.message}`);
  await device.popErrorScope();
  modules += 1, wrong += said.length > 0;
  if (said.length) console.log(`${file}: ${said.join('\n')}`);
}
console.log(`${modules} modules, ${wrong} that Tint does not take or warns of`);
process.exit(wrong || modules < Number(least) ? 1 : 0);
