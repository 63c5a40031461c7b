// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `krait dump --html` in headless Chromium, from a file, and what is refused: node dump_page.mjs KRAIT KERNEL.kir PROGRAM [PICTURES]
//   PICTURES: a folder for pictures of the page, dark, light and as wide as a phone
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { missing } from './dawn.mjs';

const [krait, kernel, program, pictures] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'krait-dump-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const dump = (...options) => spawnSync(krait, ['dump', ...options], { encoding: 'utf8' });
const page = (name) => path.join(folder, name);

// What is refused, and what is kept of a program that fails.
const wrong = dump('--html', page('none/x.html'), kernel);
assert.equal(wrong.status, 1);
assert.equal(wrong.stderr, `krait: ${page('none/x.html')} cannot be written: No such file or directory\n`);
assert.equal(dump('--html', page('x.html'), '--run', 'true').stderr, 'krait dump: true compiled no kernel: there is nothing to show\n');
assert.equal(dump(kernel, '--html', page('x.html'), '--emit', 'spv').status, 2);
fs.writeFileSync(page('broken.kir'), 'kir 1\nkernel one\n');
assert.match(dump('--html', page('x.html'), page('broken.kir')).stderr, /^krait: .*broken\.kir: 2:8: expected 'fp'/);
const failing = dump('--html', page('failing.html'), '--run', 'sh', '-c', `"${program}"; exit 3`);
assert.equal(failing.status, 3, failing.stderr);
assert.match(fs.readFileSync(page('failing.html'), 'utf8'), /"what":"kernel saxpy \(/);

// Changes of passes as text: those alone, and all of the IR with marks.
const changes = dump(kernel, '--emit', 'diff', '--target', 'cpu').stdout;
assert.match(changes, /^; ---- contract\n {2}…\n(.*\n)*- .* = mul .*\n(.*\n)*\+ .* = fma /m);
assert.ok(changes.length < dump(kernel, '--emit', 'passes', '--target', 'cpu').stdout.length);

assert.equal(dump('--html', page('file.html'), kernel).status, 0);
assert.equal(dump('--html', page('run.html'), '--sources', path.resolve(path.dirname(kernel), '..'), '--run', program).status, 0);

function chromium(url, ...options) {
  const ran = spawnSync('chromium', ['--headless=new', '--no-sandbox', `--user-data-dir=${page('profile')}`, '--hide-scrollbars', ...options, url],
    { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ran.error) missing('chromium is not installed: ./bootstrap packages');
  return ran.stdout;
}
/** Of each stage, how many lines have the class. */
function lines(dom, name) {
  const stages = dom.split(/<section id="stage-/).slice(1).map((s) => [s.slice(0, s.indexOf('"')), s.split('</section>')[0]]);
  return Object.fromEntries(stages.map(([stage, text]) => [stage, (text.match(new RegExp(`<div class="[^"]*\\b${name}\\b`, 'g')) ?? []).length]));
}

const dom = chromium(`file://${page('file.html')}#find=fma&at=saxpy.cpp:21`, '--dump-dom');
const pinned = lines(dom, 'pinned'), hits = lines(dom, 'hit');
console.log('lines of saxpy.cpp:21:', pinned, 'lines with fma:', hits);
assert.deepEqual(Object.keys(pinned), ['source', 'ir', 'passes', 'final', 'llvm', 'asm', 'ptx', 'spirv', 'wgsl']);
for (const [stage, count] of Object.entries(pinned)) assert.ok(count > 0, `${stage} has no line of saxpy.cpp:21`);
for (const stage of ['passes', 'final', 'ptx', 'wgsl']) assert.ok(hits[stage] > 0, `${stage} has no line with fma`);
assert.equal(hits.ir, 0);
assert.ok(lines(dom, 'gone').passes > 0 && lines(dom, 'add').passes > 0);
assert.match(dom, /<span id="found" role="status">1 of \d+ lines/);
// All that it shows came with it.
assert.equal(/(src|href)="?https?:|fetch\(|url\(/.test(fs.readFileSync(page('file.html'), 'utf8')), false);

const ran = chromium(`file://${page('run.html')}`, '--dump-dom');
assert.match(ran, /<option value="0">kernel saxpy \(/);
assert.match(ran.split('stage-ir')[0], /y\[i\] = a \* x\[i\] \+ y\[i\];/);  // the program's own source

if (pictures) {
  const source = /"what":"kernel saxpy \([^:]*?([^/:]*):(\d+)\)"/.exec(fs.readFileSync(page('run.html'), 'utf8'));
  const at = `file://${page('run.html')}#at=${source[1]}:${Number(source[2]) + 2}`;
  fs.writeFileSync(page('phone.html'), `<!DOCTYPE html><body style="margin:0;background:#808080"><iframe src="${at}" style="border:0;display:block;width:390px;height:800px"></iframe></body>`);
  for (const [name, scheme, size, url] of [['dark', 0, '1500,800', at], ['light', 1, '1500,800', at], ['phone', 0, '500,800', `file://${page('phone.html')}`]])
    chromium(url, `--blink-settings=preferredColorScheme=${scheme}`, `--window-size=${size}`, '--force-device-scale-factor=0.8',
      `--screenshot=${path.resolve(pictures)}/dump-${name}.png`);
}
process.exit(0);
