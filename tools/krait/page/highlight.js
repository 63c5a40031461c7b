// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax colours. A language is a list of rules, tried in order at each position of a line: a class, or a function that gives one, and a
// sticky pattern. The pieces of a line, joined, are the line. Classes: k keyword or instruction, t type, f function or label, s string,
// n number, c comment, v value or register, d directive.
'use strict';

const setOf = (text) => new Set(text.split(' '));

const cppKeywords = setOf('alignas alignof asm auto break case catch class concept const consteval constexpr constinit const_cast continue ' +
  'co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern false final for friend goto if ' +
  'inline mutable namespace new noexcept nullptr operator override private protected public register reinterpret_cast requires return ' +
  'sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union using ' +
  'virtual volatile while');
const cppTypes = setOf('bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t ptrdiff_t ' +
  'int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t string string_view vector array view value var f16 bf16');
const wgslKeywords = setOf('alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if ' +
  'let loop override requires return struct switch true var while');
const wgslTypes = setOf('array atomic bool f16 f32 i32 u32 ptr vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u');

const identifier = /[A-Za-z_]\w*/y, string = /"(?:\\.|[^"\\])*"?/y;
const isCall = (line, end) => line[end] === '(';
const wordOf = (keywords, types) => (text, line, end) => (keywords.has(text) ? 'k' : types.has(text) ? 't' : isCall(line, end) ? 'f' : '');
const scalar = /\b(?:[iuf]\d+|bf16|f8e4m3|f8e5m2|bool|view|ptr|void|half|float|double|bytes|argument|shared|local)\b/y;

const languages = {
  cpp: [
    ['c', /\/\/.*/y],
    ['k', /^\s*#\s*\w+/y],
    ['s', /(?<=^\s*#\s*include\s*)<[^>]*>/y],
    ['s', /(?:u8|[uUL])?"(?:\\.|[^"\\])*"?/y],
    ['s', /(?:u8|[uUL])?'(?:\\.|[^'\\])+'/y],
    ['n', /(?:0[xX][\da-fA-F'.]+(?:[pP][-+]?\d+)?|0[bB][01']+|\d[\d']*\.?[\d']*(?:[eE][-+]?\d+)?|\.\d[\d']*(?:[eE][-+]?\d+)?)\w*/y],
    [wordOf(cppKeywords, cppTypes), identifier],
  ],
  kir: [
    ['c', /;.*/y],
    ['s', string],
    ['f', /@[\w.$]+/y],
    ['v', /%\d+/y],
    ['t', scalar],
    ['k', /(?<=(?:^[-+ ]?\s*|= ))[a-z]\w*(?:\.\w+)?/y],
    ['n', /-?(?:0x[\da-f.]+(?:p[-+]?\d+)?|\d[\d.]*(?:e[-+]?\d+)?)\b/y],
    ['d', identifier],
  ],
  llvm: [
    ['c', /;.*/y],
    ['s', /c?"[^"]*"?/y],
    ['d', /![\w.]*|#\d+/y],
    ['f', /@(?:[\w.$-]+|"[^"]*")|^[\w.$-]+:/y],
    ['v', /%(?:[\w.$-]+|"[^"]*")/y],
    ['t', scalar],
    ['k', /(?<=(?:^\s*|= |= tail |= musttail |= notail ))[a-z]\w*/y],
    ['n', /-?(?:0x[\dA-FKLMHR]+|\d[\d.]*(?:e[-+]?\d+)?)\b/y],
    ['d', /[a-z_]\w*/y],
  ],
  asm: [
    ['c', /#.*/y],
    ['f', /^[\w.$]+:/y],
    ['d', /^\s*\.\w+/y],
    ['s', string],
    ['k', /(?<=^\s*(?:\{\w+\}\s*)?(?:lock\s+|rep\w*\s+)?)[a-z]\w*/y],
    ['v', /%\w+/y],
    ['n', /\$?-?(?:0x[\da-f]+|\d+)\b/y],
    ['f', /\$?\.L\w+|[A-Za-z_.]\w*/y],
  ],
  ptx: [
    ['c', /\/\/.*/y],
    ['f', /^\$?\w+:/y],
    ['s', string],
    ['v', /@?!?%\w+(?:\.\w+)?/y],
    ['d', /(?<![\w])\.\w+/y],
    ['k', /(?<=^\s*(?:\{\s*)?(?:@!?%\w+\s+)?)[a-z][\w.:]*/y],
    ['n', /-?(?:0[xXfFdD][\da-fA-F]+|\d[\d.]*)\b/y],
    ['f', /\$?[A-Za-z_][\w$]*/y],
  ],
  sass: [
    ['c', /\/\*.*?\*\/|\/\/.*/y],
    ['f', /^\s*\.?\w[\w.]*:/y],
    ['v', /@?!?\b(?:U?R\d+|U?P\d+|[RU]?[RP]Z|PT|UPT|B\d+|SR_[\w.]+)\b(?:\.\w+)*/y],
    ['k', /\b[A-Z][A-Z\d]+(?:\.[\w.]+)?\b/y],
    ['n', /-?(?:0x[\da-f]+|\d[\d.]*)\b/y],
    ['d', /\.\w+/y],
  ],
  spirv: [
    ['c', /;.*/y],
    ['s', string],
    ['k', /\bOp\w+/y],
    ['v', /%\w+/y],
    ['n', /-?(?:0x[\da-fA-F.]+(?:p[-+]?\d+)?|\d[\d.]*)\b/y],
    ['t', identifier],
  ],
  wgsl: [
    ['c', /\/\/.*/y],
    ['d', /@\w+/y],
    ['n', /(?:0[xX][\da-fA-F.]+|\d[\d.]*(?:e[-+]?\d+)?)[iufh]?\b/y],
    [wordOf(wgslKeywords, wgslTypes), identifier],
  ],
};
languages.c = languages.cpp;

/** Where a comment or a raw string begins that may go on over lines: its class and its end. */
function opening(line, at) {
  if (line.startsWith('/*', at)) return { name: 'c', end: '*/', length: 2 };
  const raw = /(?:u8|[uUL])?R"([^\s()\\]{0,16})\(/y;
  raw.lastIndex = at;
  const m = raw.exec(line);
  return m && { name: 's', end: `)${m[1]}"`, length: m[0].length };
}

/** The lines of a text, each as a list of [class, text]. */
function coloured(language, lines) {
  const rules = languages[language];
  let open = null;
  return lines.map((line) => {
    const pieces = [];
    let at = 0;
    const put = (name, end) => {
      const text = line.slice(at, end), last = pieces.at(-1);
      if (last?.[0] === name) last[1] += text;
      else if (text) pieces.push([name, text]);
      at = end;
    };
    if (!rules || line.length > 4000) return [['', line]];
    while (at < line.length) {
      const begun = !open && (language === 'cpp' || language === 'wgsl') ? opening(line, at) : null;
      if (begun) open = begun;
      if (open) {
        const end = line.indexOf(open.end, at + (begun?.length ?? 0)), name = open.name;
        if (end >= 0) put(name, end + open.end.length), open = null;
        else put(name, line.length);
        continue;
      }
      const found = rules.some(([name, pattern]) => {
        pattern.lastIndex = at;
        const m = pattern.exec(line);
        if (!m?.[0]) return false;
        put(typeof name === 'string' ? name : name(m[0], line, at + m[0].length), at + m[0].length);
        return true;
      });
      if (!found) put('', at + 1);
    }
    return pieces;
  });
}
