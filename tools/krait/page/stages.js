// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a kernel: their titles and languages, which line of the source each line comes from, and which lines are details that only
// few readers look for.
'use strict';

const titles = {
  ir: 'IR', passes: 'passes', diff: 'changes', final: 'final IR', hints: 'hints', stats: 'statistics', llvm: 'LLVM IR', asm: 'assembly', ptx: 'PTX',
  sass: 'SASS', spirv: 'SPIR-V', 'spirv-cl': 'SPIR-V for OpenCL', 'spirv-cl-llvm': 'LLVM IR for OpenCL', wgsl: 'WGSL',
};
const languageOfStage = {
  ir: 'kir', passes: 'kir', diff: 'kir', final: 'kir', hints: 'hints', llvm: 'llvm', ptx: 'ptx', sass: 'sass', spirv: 'spirv', 'spirv-cl': 'spirv',
  'spirv-cl-llvm': 'llvm', wgsl: 'wgsl',
};
/** The stage `asm` is whatever the device's generator writes. */
function languageOf(stage, text) {
  if (stage !== 'asm') return languageOfStage[stage];
  const head = text.slice(0, 4000);
  return /^\s*\.version \d/m.test(head) ? 'ptx' : /\bOpCapability /.test(head) ? 'spirv' : /^@(compute|group)/m.test(text) ? 'wgsl' : 'asm';
}
const titleOf = (stage, text) => (stage === 'asm' ? { ptx: 'PTX', spirv: 'SPIR-V', wgsl: 'WGSL' }[languageOf(stage, text)] : null) ?? titles[stage] ?? stage;

// ---- which line of the source a line of a stage comes from. Generators name files by more or less of their paths: the last part counts.
const place = (file, line) => (file && Number(line) > 0 ? `${file.split('/').at(-1)}:${Number(line)}` : null);

const readers = {
  kir(lines) {
    return lines.map((line) => { const m = / ; (\S[^;]*):(\d+)$/.exec(line); return m && place(m[1], m[2]); });
  },
  hints(lines) {
    return lines.map((line) => { const m = /^(\S[^:]*):(\d+): /.exec(line); return m && place(m[1], m[2]); });
  },
  wgsl(lines) {
    let at = null;
    return lines.map((line) => {
      const m = / \/\/ (\S.*):(\d+)$/.exec(line);
      if (m) at = place(m[1], m[2]);
      if (!line || /^(fn|@compute)/.test(line)) at = null;
      return at;
    });
  },
  asm(lines) {
    const files = {};
    for (const line of lines) {
      const m = /^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?/.exec(line);
      if (m) files[m[1]] = m[3] ?? m[2];
    }
    let at = null;
    return lines.map((line) => {
      const m = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(line);
      if (m) at = place(files[m[1]], m[2]);
      if (/^\s*(\.cfi_endproc|\.section|\})/.test(line)) at = null;
      return at;
    });
  },
  sass(lines) {
    let at = null;
    return lines.map((line) => {
      const m = /^\s*\/\/## File "([^"]*)", line (\d+)/.exec(line);
      if (m) at = place(m[1], m[2]);
      return at;
    });
  },
  spirv(lines) {
    const files = {};
    let at = null;
    return lines.map((line) => {
      const name = /^\s*(%\S+) = OpString "([^"]*)"/.exec(line), m = /OpLine (%\S+) (\d+)/.exec(line);
      if (name) files[name[1]] = name[2];
      if (m) at = place(files[m[1]], m[2]);
      if (/OpNoLine|OpFunctionEnd/.test(line)) at = null;
      return at;
    });
  },
  llvm(lines) {
    const nodes = {}, files = {}, of = (field, node) => new RegExp(`${field}: !?"?([^",)]*)`).exec(node ?? '')?.[1];
    for (const line of lines) {
      const m = /^(!\d+) = (.*)/.exec(line);
      if (m) nodes[m[1]] = m[2];
      if (m && m[2].includes('!DIFile(')) files[m[1]] = of('filename', m[2]);
    }
    const fileOf = (id, depth = 0) => {
      if (depth > 20 || !nodes[id]) return null;
      const file = of('file', nodes[id]);
      return file ? files[`!${file}`] : fileOf(`!${of('scope', nodes[id])}`, depth + 1);
    };
    return lines.map((line) => {
      const id = /!dbg (!\d+)/.exec(line)?.[1];
      return id && nodes[id] ? place(fileOf(`!${of('scope', nodes[id])}`), of('line', nodes[id])) : null;
    });
  },
};
readers.ptx = readers.asm;

// ---- details: whole lines, and the end of a line
const isDetail = {
  asm(lines) {
    let debug = false, constants = false;
    return lines.map((line) => {
      const section = /^\s*\.section\s+"?([^\s",]+)/.exec(line);
      if (section || /^\s*\.text\b/.test(line)) debug = /^\.(debug|note|llvm|symtab)/.test(section?.[1] ?? '');
      if (/^\S+:/.test(line)) constants = !/^\.L(tmp|func|BB)/.test(line);
      if (debug || !line.trim() || /^\s*#/.test(line) || /^\.L(tmp|func|debug|line|info|str|abbrev|sec)\w*:/.test(line)) return true;
      return /^\s*\.(?!L)/.test(line) && !(constants && /^\s*\.(long|quad|byte|short|value|zero|ascii|asciz)\b/.test(line));
    });
  },
  ptx(lines) {
    let debug = false;
    return lines.map((line) => {
      if (/^\s*\.section\s+\.debug/.test(line)) debug = true;
      if (debug) return true;
      return /^\s*(\.loc|\.file|\/\/.*|\$L__(tmp|func_\w+|info\w*)\d*:.*|)$/.test(line.replace(/^(\s*\.(?:loc|file))\b.*/, '$1'));
    });
  },
  llvm: (lines) => lines.map((line) => /^(![\w.]+ = |attributes #|declare |source_filename|target |; ModuleID|\s+#dbg_|; Function Attrs)/.test(line)),
  spirv: (lines) => lines.map((line) => /\bOp(Line|NoLine|String|Source\w*|Name|MemberName|ModuleProcessed)\b/.test(line)),
};
/** Where the details begin that end a line: its place in the source. */
const details = { kir: /\s+; \S[^;]*:\d+$/, llvm: /,? !dbg !\d+/, wgsl: /\s+\/\/ \S.*:\d+$/ };
