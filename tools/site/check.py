# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be found wrong with the pages in seconds, without Sphinx and Doxygen: tools/site/build --check and --snippets.

Names without a docstring are found by tests/docs/public_names.py, by the compiler's own list of names."""
import os
import pathlib
import re
import subprocess
import sys

import error_pages
import pages

ROOT = pages.ROOT


class Page:
    """A Markdown file: its links, headings and quoted code, each with its line."""

    def __init__(self, path, parser):
        self.path = path
        self.links, self.headings, self.quotes = [], set(), []
        self.text = path.read_text()
        tokens = parser.parse(self.text)
        quoted, counts = None, {}
        for at, token in enumerate(tokens):
            line = token.map[0] + 1 if token.map else 0
            if token.type == "inline":
                for child in token.children:
                    if child.type == "link_open":
                        self.links.append((line + self.offset(token, child, tokens), child.attrGet("href")))
                    elif child.type == "image":
                        self.links.append((line, child.attrGet("src")))
                if at and tokens[at - 1].type == "heading_open":
                    words = "".join(c.content for c in token.children if c.type in ("text", "code_inline"))
                    slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
                    count = counts.get(slug, 0)
                    counts[slug] = count + 1
                    self.headings.add(f"{slug}-{count}" if count else slug)
            mark = re.fullmatch(r"<!-- from: (.+?):([\w-]+) -->", token.content.strip()) if token.type == "html_block" else None
            if mark:
                quoted = (mark.group(1), mark.group(2), line)
            elif quoted:
                if token.type == "fence":
                    self.quotes.append((*quoted, token.content, line))
                else:
                    self.quotes.append((*quoted, None, line))
                quoted = None

    @staticmethod
    def offset(token, link, tokens):
        """Lines of the paragraph before the link."""
        lines = 0
        for child in token.children:
            if child is link:
                return lines
            lines += child.type in ("softbreak", "hardbreak")
        return lines


def parsed():
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        print("tools/site/build: not installed (Debian): python3-markdown-it", file=sys.stderr)
        sys.exit(77)
    parser = MarkdownIt("commonmark").enable("table")
    files = [ROOT / "README.md", *pages.sources().values(), *sorted((ROOT / "docs/log").glob("*.md"))]
    return {path: Page(path, parser) for path in files}


def broken_links(found):
    for page in found.values():
        name = page.path.relative_to(ROOT)
        for line, address in page.links:
            if re.match(r"(https?|mailto):", address):
                continue
            file, _, heading = address.partition("#")
            target = pathlib.Path(os.path.normpath(page.path.parent / file)) if file else page.path
            if target.parent == ROOT / "docs" and re.fullmatch(r"(errors(-\w+)?|reference)\.md", target.name):
                continue  # made by the build
            if not target.exists():
                yield f"{name}:{line}: no such file: {address}"
            elif heading and target in found and heading not in found[target].headings:
                yield f"{name}:{line}: no such heading: {address}"


def region(text, name):
    """The lines between the marks `// [name]` and `// [/name]`, without the indentation of the first; and the line of the first mark."""
    inside, out, indent = False, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words in (f"// [/{name}]", f"# [/{name}]"):
            return "".join(out), number
        if inside:
            out.append((line[min(indent, len(line) - len(line.lstrip())) :] if words else "") + "\n")
        if words in (f"// [{name}]", f"# [{name}]"):
            inside, indent, first = True, len(line) - len(line.lstrip()), number
    return None, 0


def wrong_quotes(found):
    for page in found.values():
        name = page.path.relative_to(ROOT)
        for file, mark, line, code, at in page.quotes:
            path = ROOT / file
            if code is None:
                yield f"{name}:{at}: no block of code after <!-- from: {file}:{mark} -->"
                continue
            if not path.exists():
                yield f"{name}:{line}: no such file: {file}"
                continue
            text, _ = region(path.read_text(), mark)
            if text is None:
                yield f"{name}:{line}: {file} has no region [{mark}]"
            elif text != code:
                shown, there = code.splitlines(), text.splitlines()
                differs = next((i for i, pair in enumerate(zip(shown, there)) if pair[0] != pair[1]), min(len(shown), len(there)))
                yield f"{name}:{at + 1 + differs}: the code is not that of {file}, region [{mark}]"


def check():
    found = parsed()
    wrong = [*broken_links(found), *wrong_quotes(found)]
    wrong += [f"docs/{name}.md:1: no group of tools/site/pages.py has the page" for name in pages.unlisted()]
    lost, shown = error_pages.mistakes()
    wrong += lost
    links, quotes = sum(len(p.links) for p in found.values()), sum(len(p.quotes) for p in found.values())
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"{len(found)} pages with {links} links and {quotes} quoted pieces of code; {shown} errors with the code that provokes them; {len(wrong)} mistakes")
    return 1 if wrong else 0


# ---- compiling --------------------------------------------------------------------------------------------------------------------


def snippets():
    """Compiles each C++ file that pages quote, without code; errors are told with the page and line that show them."""
    shown = {}  # file: (first line, last line, page, line of the first)
    for page in parsed().values():
        for file, mark, _, code, at in page.quotes:
            if code and file.endswith((".cpp", ".h")) and (ROOT / file).exists():
                _, last = region((ROOT / file).read_text(), mark)
                first = last - len(code.splitlines())
                shown.setdefault(file, []).append((first, last - 1, page.path.relative_to(ROOT), at + 1))
    compiler = os.environ.get("CXX", "g++")
    failed = 0
    for file, places in sorted(shown.items()):
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-I", ROOT / "tests", "-x", "c++", ROOT / file], text=True, capture_output=True)
        if done.returncode == 0:
            continue
        failed += 1
        for line in done.stderr.splitlines():
            wrong = re.match(rf"{re.escape(str(ROOT / file))}:(\d+):\d+: (?:fatal )?error: (.*)", line)
            if not wrong:
                continue
            number = int(wrong.group(1))
            where = [f"{page}:{start + number - first}" for first, last, page, start in places if first <= number <= last]
            print(f"{', '.join(where) or file + ':' + str(number)}: {wrong.group(2)} ({file}:{number})", file=sys.stderr)
    print(f"{len(shown)} files, quoted {sum(map(len, shown.values()))} times; {failed} do not compile")
    return 1 if failed else 0


def main(snippets=False):
    return globals()["snippets"]() if snippets else check()
