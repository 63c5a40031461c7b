#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/coming-from-*.md from tests/docs/coming_from/*.cpp, which are compiled and run, the messages of docs/traps.md, and the
idioms of docs/code-generation.md from lib/support/idioms.def.

usage: docs/make_tables.py [--check]

A page has the lines `<!-- rows: FILE | HEAD -->` and `<!-- /rows -->`; what lies between them is made from FILE, and HEAD is the first column's
head. In FILE, `// section: TITLE` begins a table and `// row: LEFT -- NOTE` a row. The row's right side is the code that follows, up to an empty line, the
next mark, or a line that compares or stores a result. --check compares, writes nothing, and fails where a page differs or has too few rows.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST = {"coming-from-numpy.md": 60, "coming-from-cuda.md": 60}  # others: 25
BEGIN = re.compile(r"<!-- rows: (\S+) \| (.+) -->")
END = "<!-- /rows -->"
STOP = re.compile(r"(has|expect|out|to)\(|(to|counts)\[|if \(!|std::remove|\}")
NAMED = re.compile(r"auto \w+ = (.*);", re.DOTALL)


def fail(path, line, what):
    sys.exit(f"{path}:{line}: {what}")


def code_of(path, lines, start):
    """The lines of code after a mark, without their common indentation."""
    code, depth = [], 0
    for line in lines[start:]:
        text = line.strip()
        if text.startswith("// row: ") or text.startswith("// section: "):
            break
        if depth == 0 and (not text or (STOP.match(text) and (code or text[0] == "}"))):
            break
        code.append(line.rstrip())
        depth += sum(text.count(c) for c in "({[") - sum(text.count(c) for c in ")}]")
    if not code:
        fail(path, start, "a row without code")
    indent = min(len(line) - len(line.lstrip()) for line in code)
    code = [line[indent:] for line in code]
    if depth > 0:
        code[-1] += " … });"
    alone = NAMED.fullmatch("\n".join(code))
    if alone and not re.search(r";|, \w+ = ", alone.group(1)):
        code = alone.group(1).split("\n")
    return [line.strip() for line in code]


def span(code):
    return "`" + code.replace("|", "\\|") + "`"


def sections_of(path):
    """[(title, [(left, code, note)])] of a source file."""
    lines, found = (ROOT / path).read_text().splitlines(), []
    for i, line in enumerate(lines):
        text = line.strip()
        if text.startswith("// section: "):
            found.append((text[len("// section: "):], []))
        elif text.startswith("// row: "):
            if not found:
                fail(path, i + 1, "a row before the first section")
            left, _, note = text[len("// row: "):].partition(" -- ")
            found[-1][1].append((left, code_of(path, lines, i + 1), note))
    return found


def tables(path, head):
    text, count = [], 0
    for title, rows in sections_of(path):
        text += [f"## {title}", "", f"| {head} | Krait | |", "|---|---|---|"]
        for left, code, note in rows:
            shown = left.replace("|", "\\|") if "`" in left else span(left)
            text.append(f"| {shown} | {'<br>'.join(span(line) for line in code)} | {note} |")
            count += 1
        text.append("")
    return text, count


def written(page):
    """The page with its tables made anew, and its number of rows."""
    lines, out, count = page.read_text().splitlines(), [], 0
    inside = False
    for number, line in enumerate(lines, 1):
        begin = BEGIN.fullmatch(line)
        if begin:
            text, rows = tables(begin.group(1), begin.group(2))
            out += [line, ""] + text
            count, inside = count + rows, True
        elif line == END:
            inside = False
            out.append(line)
        elif not inside:
            out.append(line)
    if inside:
        fail(page, len(lines), f"no line {END}")
    return "\n".join(out) + "\n", count


def with_messages(page):
    """The page with the block after each `<!-- message: NAME -->` made anew."""
    def block(match):
        source = ROOT / "tests/errors/compile" / f"{match.group(1)}.cpp"
        if not source.exists():
            fail(page, page.read_text()[:match.start()].count("\n") + 1, f"no {source}")
        said = re.findall(r"^// error: (.*)$", source.read_text(), re.MULTILINE)[-1]
        return f"<!-- message: {match.group(1)} -->\n```\nerror: … {said}\n```\n"
    return re.sub(r"<!-- message: (\w+) -->\n(?:```\n.*?```\n)?", block, page.read_text(), flags=re.DOTALL)


def with_idioms(page):
    """The page with the table between `<!-- idioms -->` and `<!-- /idioms -->` made anew."""
    source = (ROOT / "lib/support/idioms.def").read_text()
    rows = re.findall(r'^IDIOM\(\s*\w+, (\w+),\s*"(.*?)",\s*"(.*?)",\s*"(.*?)"\)', source, re.MULTILINE | re.DOTALL)
    if len(rows) != len(re.findall(r"^IDIOM\(", source, re.MULTILINE)):
        fail("lib/support/idioms.def", 1, "a row that is not read")
    table = ["| `KRAIT_CPU=-…` | matches | asks | file |", "|---|---|---|---|"]
    for word, matches, asks, code in rows:
        folder = "lib" if code.startswith("passes/") else "lib/codegen/cpu"
        if not (ROOT / folder / code).exists():
            fail("lib/support/idioms.def", 1, f"{word}: no {folder}/{code}")
        table.append(f"| `{word}` | {matches} | {asks} | `{code}` |".replace("|a - b|", "\\|a - b\\|"))
    made = "<!-- idioms -->\n" + "\n".join(table) + "\n<!-- /idioms -->"
    return re.sub(r"<!-- idioms -->.*<!-- /idioms -->", lambda _: made, page.read_text(), flags=re.DOTALL)


def main():
    check, wrong, total = sys.argv[1:] == ["--check"], [], 0
    pages = sorted((ROOT / "docs").glob("coming-from-*.md"))
    for page in pages:
        text, count = written(page)
        least = LEAST.get(page.name, 25)
        if count < least:
            wrong.append(f"{page.name}: {count} rows, fewer than {least}")
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            wrong.append(f"{page.name} is not what its source gives: run docs/make_tables.py")
        total += count
    for page, make, source in [(ROOT / "docs/traps.md", with_messages, "tests/errors/compile"),
                               (ROOT / "docs/code-generation.md", with_idioms, "lib/support/idioms.def")]:
        text = make(page)
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            wrong.append(f"{page.name} is not what {source} gives: run docs/make_tables.py")
    print("\n".join(wrong) if wrong else f"{total} rows on {len(pages)} pages")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
