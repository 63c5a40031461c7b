// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declarations of an exported folder (examples/28_web.cpp), as the TypeScript compiler takes them: node types.mjs FOLDER
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { missing } from './dawn.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), folder = path.resolve(process.argv[2]);
const { default: ts } = await import('typescript').catch(() => missing('the npm package typescript is not installed: ./bootstrap packages'));
const sample = path.join(folder, 'types_sample.mts');
fs.copyFileSync(path.join(here, 'types_sample.mts'), sample);
const files = [sample, ...fs.readdirSync(folder).filter((f) => f.endsWith('.d.mts')).map((f) => path.join(folder, f))];
const program = ts.createProgram(files, { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext, typeRoots: [path.join(here, 'node_modules/@webgpu')], types: ['types'] });
const said = ts.getPreEmitDiagnostics(program);
for (const d of said) {
  const at = d.file ? `${path.basename(d.file.fileName)}:${d.file.getLineAndCharacterOfPosition(d.start).line + 1}: ` : '';
  console.log(at + ts.flattenDiagnosticMessageText(d.messageText, '\n'));
}
console.log(`${files.length} files, ${said.length} messages of TypeScript ${ts.version}`);
process.exit(said.length ? 1 : 0);
