// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of an exported folder in headless Chromium, with WebGPU by the driver that comes with it, and without WebGPU:
//   node page.mjs FOLDER [PICTURES]     PICTURES: a folder for pictures of the page, dark, light and as wide as a phone
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

import { missing } from './dawn.mjs';

const [folder, pictures] = process.argv.slice(2);
const types = { '.html': 'text/html', '.mjs': 'text/javascript' };
const asked = [];
// Chromium takes a page as loaded when its last picture is there: this one comes when the kernels have run.
const waits = `<img src="/wait" alt="" hidden><script>
const waiting = setInterval(() => {
  if (/^(PASS|FAIL|No kernel)/.test(document.title)) clearInterval(waiting), fetch('/done');
}, 50);
</script></body>`;
// Chromium's windows are 500 wide at least, and phones are not.
const phone = '<!DOCTYPE html><body style="margin:0;background:#808080"><iframe src="/" style="border:0;display:block;width:390px;height:2300px"></iframe></body>';
let held = null;
const server = http.createServer((request, response) => {
  if (request.url === '/wait') return void (held = response);
  if (request.url === '/phone') return response.writeHead(200, { 'content-type': 'text/html' }).end(phone);
  if (request.url === '/done') return held.writeHead(404).end(), response.end();
  asked.push(request.url);
  const file = path.join(folder, request.url === '/' ? 'index.html' : request.url), type = types[path.extname(file)] ?? 'application/octet-stream';
  if (!fs.existsSync(file)) return response.writeHead(404).end();
  const bytes = fs.readFileSync(file);
  return response.writeHead(200, { 'content-type': type }).end(type === 'text/html' ? bytes.toString().replace('</body>', waits) : bytes);
});
await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
const address = `http://localhost:${server.address().port}/`;

function chromium(options, url = '') {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'krait-page-'));
  const child = spawn('chromium', ['--headless=new', '--no-sandbox', `--user-data-dir=${profile}`, '--hide-scrollbars',
    ...options, address + url], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (data) => { text += data; });
    child.on('error', () => missing('chromium is not installed: ./bootstrap packages'));
    child.on('close', () => {
      fs.rmSync(profile, { recursive: true, force: true });
      resolve(text);
    });
  });
}
const web = ['--use-webgpu-adapter=swiftshader', '--enable-unsafe-webgpu'];
const inside = (text, id) => text.match(new RegExp(`id="${id}"[^>]*>([^<]*)`))?.[1];

const page = await chromium([...web, '--dump-dom']);
console.log(inside(page, 'summary'));
for (const result of page.matchAll(/class="result">([^<]*)/g)) console.log(`  ${result[1]}`);
assert.equal(page.match(/<title>([^<]*)/)?.[1], 'PASS');
assert.match(page, /<dt>Adapter<\/dt><dd>[^<]*swiftshader/);
assert.match(page, /<canvas width="320" height="240"/);
assert.match(page, /<progress[^>]* value="6"/);
// All that it loads came with it.
assert.deepEqual([...new Set(asked)].filter((url) => !fs.existsSync(path.join(folder, url))), []);
assert.equal(/(src|href)="https?:/.test(page), false);

const without = await chromium(['--disable-features=WebGPU', '--disable-blink-features=WebGPU', '--dump-dom']);
assert.equal(without.match(/<title>([^<]*)/)?.[1], 'No kernel was run: there is no WebGPU here');
assert.match(inside(without, 'why'), /^This browser has/);
assert.equal(/<section id="missing" hidden/.test(without), false);

if (pictures) {
  fs.mkdirSync(pictures, { recursive: true });
  for (const [name, scheme, size, url] of [['dark', 0, '1200,1330', ''], ['light', 1, '1200,1330', ''], ['phone', 0, '500,2300', 'phone']])
    await chromium([...web, `--blink-settings=preferredColorScheme=${scheme}`, `--window-size=${size}`, '--force-device-scale-factor=0.8',
      `--screenshot=${path.resolve(pictures)}/web-${name}.png`], url);
}
server.close();
process.exit(0);
