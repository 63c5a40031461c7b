#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds for each message that a user may read the test that holds its exact text: tools/messages.py [--missing].

A message is a literal of lib, include and tools/krait of several words. Literals beside each other, and those joined by +, are
one message. FOREIGN names the literals that are not messages. A test holds the text when one literal of tests, or one line of
another file there, has all of it, with anything in the place of each value. tests/messages.txt lists the messages without such a
test, below the reason. Exit status 1 where another message has no test, or a line of that list is not needed. --missing prints
the messages without a test, as that list has them."""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])+'|\#\s*include[^\n]*|\#?\w[\w.']*|(?:\s|\\\n)+|.",
    re.DOTALL,
)
VALUE = "\x01"  # stands for a value between literals
# Literals in these calls state a defect of Krait itself, as do those of kind internal.
DEFECTS = {"defect", "assert", "broken", "take"}
# In these calls two words are a message; elsewhere it takes three.
SAYING = {"fail", "fail_usage", "fail_device", "fail_at", "misuse", "found.misuse", "r.found.misuse", "warn", "unsupported", "Failure", "error", "static_assert",
          "report", "needs", "wrong", "expected", "skip"}
# Files, and patterns of their literals that no user reads: code in other languages, keys of the cache, and what stops the build.
FOREIGN = [
    ("lib/math/*", "."),
    ("lib/codegen/nvptx/*", r"[;$%]|^(begin inline asm|Spec|Straight|Merge|Expand|Replace|Partially|GPU|Machine)"),
    ("lib/codegen/wgsl/*", r"^(?!\{\}: [a-zA-Z]|the kernel |the block of|WGSL is)"),
    ("lib/ship/web/examples.cpp", "."),
    ("lib/ship/web/module.cpp", r"^// Krait|^(export function |, [a-z]+: |\s*\{\{ (name|fault)|, at: |\{\} extends|bigint |\s*sites: )"),
    ("lib/codegen/llvm/session.cpp", "Debug Info Version"),
    ("lib/codegen/llvm/machine_passes.cpp", "^(Krait: |Compressing EVEX)"),
    ("lib/runtime/cpu/debug.cpp", "%zx"),
    ("lib/host/jit.cpp", "^{}code for {}"),
    ("lib/devices/tracing.cpp", '"ph": |displayTimeUnit'),
    ("lib/runtime/*/p*.cpp", r"^(pipeline of|what OpenCL does)"),
    ("lib/runtime/opencl/*", "^(OpenCL program\\ndevice|what OpenCL drivers|-x spir)"),
    ("lib/support/target.cpp", r"FeatureSet has|^\{\} features=\{\} "),
    ("lib/ir/*.cpp", r"^\W*$"),
    ("lib/trace/native.cpp", r"[;]|^\.param|ld\.param"),
    ("tools/krait/doctor.cpp", "^kir 1"),
    ("tools/krait/devices.cpp", r"^(\{\}\n  )?( *\{\{)"),
    ("lib/files/npy.cpp", "^{{'descr"),
]


class Text:
    def __init__(self, line, text, calls):
        self.line, self.text, self.calls = line, text, calls


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def tokens(text):
    line = 1
    for match in TOKEN.finditer(text):
        token, raw = match.group(0), match.group("raw")
        if token.strip(" \t\r\n\\") and not token.startswith(("//", "/*")) and not re.match(r"#\s*include", token):
            literal = raw if raw is not None else unescaped(token[1:-1]) if token.startswith('"') else None
            yield token, line, literal
        line += token.count("\n")


def texts(source):
    """Each literal with those joined to it, and the names of the calls around it, the innermost last."""
    all_tokens = list(tokens(source))
    taken, opened = set(), []
    for i, (token, line, literal) in enumerate(all_tokens):
        if literal is None:
            if token in "([{":
                opened.append([all_tokens[i - 1][0] if i else "", False])
            elif token in ")]}" and opened:
                opened.pop()
            elif token == "internal" and opened:
                opened[-1][1] = True
        elif i not in taken:
            calls = [name + (":internal" if internal else "") for name, internal in opened]
            yield Text(line, joined(all_tokens, i, taken), calls)


def joined(all_tokens, i, taken):
    """The text of the literals that begin at token i and follow in the same expression."""
    text, depth, between = "", 0, False
    for at in range(i, len(all_tokens)):
        token, _, literal = all_tokens[at]
        if depth == 0 and literal is not None:
            text += (VALUE if between == "value" else "") + literal
            taken.add(at)
            between = False
        elif depth == 0 and token.startswith("#"):
            text += VALUE
        elif token in "([{":
            depth += 1
            between = between and "value"
        elif token in ")]}":
            depth -= 1
            if depth < 0:
                if token != ")" or at + 1 >= len(all_tokens) or all_tokens[at + 1][0] != "+":
                    break
                depth = 0
        elif depth == 0:
            if token == "+":
                between = "value" if between == "value" else "plus"
            elif token in ",;?:":
                if token == ":" and ":" in (all_tokens[at - 1][0], all_tokens[at + 1][0]) and between:
                    continue
                break
            elif not between:
                break
            else:
                between = "value"
    return text + (VALUE if between == "value" else "")


def messages_with_calls():
    """(file, line, text, names of the calls around it) of each message."""
    for folder in ("include", "lib", "tools/krait"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            inside = str(path.relative_to(ROOT))
            for t in texts(path.read_text()):
                calls = t.calls[-4:]
                words = 2 if SAYING & set(calls) else 3
                if len(t.text.split()) < words or not re.search("[A-Za-z]{2}", t.text):
                    continue
                if DEFECTS & set(calls) or any(call.endswith(":internal") for call in calls):
                    continue
                if any(fnmatch.fnmatch(inside, files) and re.search(pattern, t.text) for files, pattern in FOREIGN):
                    continue
                yield inside, t.line, t.text.replace(VALUE, "{}"), calls


def messages():
    """(file, line, text) of each message."""
    return (found[:3] for found in messages_with_calls())


def template(text):
    """The longest part of a message without values, and its pattern: the words as they are, anything in the place of a value."""
    parts = re.split(r"\{\d*(?::[^{}]*)?\}|%(?:zu|s|d)", text.strip("\n"))
    parts = [p.replace("{{", "{").replace("}}", "}") for p in parts]
    return max(parts, key=len), re.compile(".*?".join(re.escape(p) for p in parts), re.DOTALL)


def plain_line(line):
    """A line of a script, without its escapes."""
    return re.sub(r"\\\\(.)", r"\1", line).replace('\\"', '"')


def held():
    """The literals of tests, the texts of programs that must not compile, and the lines of the other files."""
    found = set()
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            source = path.read_text()
            found |= {t.text for t in texts(source)} | set(re.findall("^ *// error: (.*)", source, re.M))
        elif path.suffix in {".kir", ".txt", ".sh", ".cmake", ".py"} and path.name != "messages.txt":
            found |= {plain_line(line) for line in path.read_text().splitlines()}
    return "".join(text + "\0" for text in sorted(found) if len(text) > 4)


def is_held(blob, longest, pattern):
    """Whether a text has the pattern; `blob` is all texts, with zeros between them."""
    at = blob.find(longest)
    while at >= 0:
        end = blob.find("\0", at)
        if pattern.search(blob[blob.rfind("\0", 0, at) + 1 : end]):
            return True
        at = blob.find(longest, end)
    return False


def listed():
    """The lines of tests/messages.txt that are texts."""
    lines = (ROOT / "tests/messages.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main():
    tests, allowed, every, without = held(), listed(), set(), {}
    for path, line, text in messages():
        longest, pattern = template(text)
        every.add(text)
        if not is_held(tests, longest, pattern):
            without.setdefault(text.replace("\n", "\\n").strip(), f"{path}:{line}")
    if "--missing" in sys.argv:
        print("\n".join(without))
        return 0
    failed = False
    for text, place in without.items():
        if text not in allowed:
            failed = True
            print(f"{place}: no test has the exact text: {text}", file=sys.stderr)
    for text in sorted(allowed - set(without)):
        failed = True
        print(f"tests/messages.txt: has a test, or is no message any more: {text}", file=sys.stderr)
    print(f"{len(every)} messages, {len(every) - len(without)} with a test of their exact text, {len(without)} without")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
