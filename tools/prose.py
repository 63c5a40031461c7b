#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts long sentences and habits of the house in public text: tools/prose.py [--only GLOB …] [--words].

Public text is README, CONTRIBUTING, CHANGELOG, SECURITY, the pages of docs (without docs/log), the documentation comments of
include/krait, the messages and the help of the tool. It prints sentences above 30 words and the HABITS below, with file and line, then
the totals per file. Exit status 1 if anything is found. --only takes files by patterns, --words prints the words of each file.

Markdown is parsed by markdown-it. A code span is one word. Code blocks, and numbers in tables, are no words. Each cell, list item and
heading is a text of its own. tools/prose_exceptions.txt lists sentences that may stay: a part of the sentence, a tab, the reason."""
import argparse
import bisect
import fnmatch
import pathlib
import re
import sys

try:
    from markdown_it import MarkdownIt
except ImportError:
    sys.exit("tools/prose.py: markdown-it is missing (Debian: python3-markdown-it, for /usr/bin/python3)")

import messages

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "tools/prose_exceptions.txt"
MOST_WORDS = 30
# A code span is one of these letters until the sentence is printed, so that it is a word to the patterns below.
FIRST_CODE = 0x4E00
NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|sixteen|several|as many|half)"
UNIT = (r"(?:thread|lane|gang|warp|block|row|column|element|item|key|bin|pass|kernel|file|line|call|launch|step|trip|iteration|device|core|"
        r"worker|machine|operation|multiprocessor|stage|place|value|number|page|test|side|pixel|word|byte|digit|member|family|entry|case|index|access|tile|matrix)")
# Name, pattern of a sentence, and what to write instead. A heading and the head of a table may begin with "What".
# Before "a" these make no rate: "one of a kind", "each takes a kernel".
NO_RATE = (r"(?:or|and|but|is|are|was|were|has|have|had|of|in|by|from|for|to|as|with|at|on|than|that|which|after|before|into|over|through|until|per|"
           r"under|within|without|between|when|where|if|while|like|beside|not|also|be|"
           r"\w*(?:make|need|take|give|hold|get|use|read|write|run|become|fill|compute|add|cost|want|call|pass|form|return|print|name|save|hand)s?)")
# Name, pattern of a sentence, and what to write instead. A heading and the head of a table may begin with "What".
HABITS = [
    ("what", r"^(?:and |but |or )?what (?![^?]*\?)(?!if\b)", "name the thing: the result, the code that …"),
    ("to what", r"\b(?:to|of|with|by|from|for|in|on|as|than|beside|like|into|beyond|after|before|without|between) what\b(?! (?:is|are) (?:called|known))",
     "name the thing: the result, the code that …"),
    ("of which", r"\bof (?:which|whose|whom)\b", "a second sentence, or: their, its"),
    ("is no", r"(?<!there )\b(?:is|are|was|were) no\b(?! (?:longer|more than|less than|later than|fewer than|better|worse|faster|slower)\b)",
     "is not a, has no"),
    ("are none", r"\b(?:is|are|was|were) none\b(?! of\b)", "there is no …, is not a …"),
    ("one X a Y", rf"\bone (?!{NO_RATE}\b)\w+ an? (?!few\b|time\b)\w+", "one X per Y"),
    ("one X a Y", r"(?<!such )"
     r"(?<!give )(?<!gives )(?<!given )(?<!giving )(?<!gave )(?<!call )(?<!calls )(?<!make )(?<!makes )(?<!hand )(?<!hands )"
     r"(?<!offer )(?<!costs )(?<!cost )(?<!save )(?<!saves )(?<!pass )(?<!passes )"
     rf"\ban? (?!{NO_RATE}\b|few\b|little\b|bit\b|while\b|lot\b|second\b|third\b|fourth\b|quarter\b|half\b|time\b|moment\b)\w+ an? {UNIT}\b",
     "one X per Y"),
    ("one X a Y", rf"\b{NUMBER} (?:(?!{NO_RATE}\b)\w+ ){{1,2}}an? {UNIT}\b", "N X per Y"),
    ("behind", r"\bbehind (?:it|them|the|an?|each|this|that|those|these|one|every)\b(?! (?:switch|flag|option|macro|proxy))", "after"),
    ("come to", r"\b(?:come|comes|came) to (?:about|some|less|more|nearly|\d|an? (?:few|quarter|half|third|tenth)|one|two|three|the bound|nothing|zero|as)\b",
     "is, costs, takes, adds up to"),
    ("is said", r"\b(?:is|are|was|were|be) (?:to be )?said\b", "is printed, is given, is stated"),
    ("lies", r"\b(?:lies|lie)\b", "is, are, is stored"),
    ("for want of", r"\bfor want of\b", "because … is missing"),
]
COMPILED = [(name, re.compile(pattern, re.IGNORECASE), instead) for name, pattern, instead in HABITS]
ABBREVIATIONS = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Fig|No|approx|resp|Dr|St)|(?:^|\s)[A-Z])\.$")
BOUNDARY = re.compile(r"[.!?…]+[\"'”’)\]*]*(?=\s)")


class Text:
    """A paragraph, cell, list item, heading, documentation comment or message. `breaks` has the offsets at which lines begin."""

    def __init__(self, file, line, kind):
        self.file, self.kind, self.text, self.codes = file, kind, "", []
        self.starts, self.lines = [0], [line]

    def add(self, text):
        self.text += text

    def add_code(self, code):
        self.text += chr(FIRST_CODE + len(self.codes))
        self.codes.append(code)

    def next_line(self):
        self.text += " "
        self.starts.append(len(self.text))
        self.lines.append(self.lines[-1] + 1)

    def line_of(self, offset):
        return self.lines[bisect.bisect_right(self.starts, offset) - 1]

    def shown(self, sentence):
        return re.sub("[\u4e00-\u9fff]", lambda m: f"`{self.codes[ord(m.group(0)) - FIRST_CODE]}`", " ".join(sentence.split()))

    def sentences(self):
        """(line, sentence) of each, code spans as single letters."""
        begin = 0
        for match in BOUNDARY.finditer(self.text):
            if ABBREVIATIONS.search(self.text[begin : match.end()]):
                continue
            # A word in small letters goes on with the sentence, as after names of files.
            if re.match(r"\s+[a-z]{2}", self.text[match.end() :]):
                continue
            yield from self.sentence(begin, match.end())
            begin = match.end()
        yield from self.sentence(begin, len(self.text))

    def sentence(self, begin, end):
        text = self.text[begin:end]
        if text.strip():
            yield self.line_of(begin + len(text) - len(text.lstrip())), text.strip()

    def words(self, sentence):
        letter = r"[^\W\d_]" if self.kind == "cell" else r"\w"
        return sum(1 for word in sentence.split() if re.search(letter, word) or "{}" in word)


# ---- Markdown -----------------------------------------------------------------------------------------------------------------------

PARSER = MarkdownIt("commonmark").enable("table")
ADMONITIONS = re.compile(r"\{(?:note|tip|hint|important|warning|caution|danger|attention|seealso|admonition|dropdown|grid-item-card)\}")


def markdown_texts(file, source, first_line=1):
    """The texts of Markdown, parsed; `first_line` is the line of its first."""
    if source.startswith("---\n") and "\n---\n" in source:  # the head of a page for the site's generator
        head, rest = source.split("\n---\n", 1)
        source = "\n" * (head.count("\n") + 2) + rest
    # The fences of directives are not Markdown; what is between them is.
    source = "\n".join("" if re.match(r"\s*:::+", line) or re.fullmatch(r"\([\w-]+\)=", line) else line for line in source.split("\n"))
    kind, line = "text", first_line
    for token in PARSER.parse(source):
        if token.map:
            line = first_line + token.map[0]
        if token.type in ("heading_open", "th_open"):
            kind = "heading"
        elif token.type == "td_open":
            kind = "cell"
        elif token.type in ("paragraph_open",):
            kind = "text"
        elif token.type == "inline":
            text = Text(file, line, kind)
            for child in token.children:
                if child.type in ("text", "text_special"):
                    text.add(child.content)
                elif child.type in ("code_inline", "html_inline"):
                    text.add_code(child.content)
                elif child.type in ("softbreak", "hardbreak"):
                    text.next_line()
            yield text
        elif token.type == "fence" and ADMONITIONS.match(token.info.strip()):
            yield from markdown_texts(file, token.content, line + 1)


# ---- documentation comments, messages -----------------------------------------------------------------------------------------------

DETAIL = re.compile(r"^(?:inline )?namespace (?:krait::)?detail\b.*\{\s*$")
CODE = re.compile(r"[;{}]|\w\(|//")
COMMAND = re.compile(r"^\s*[\\@](?:t?param(?:\[\w+\])?\s+\w+|\w+)\s*")


def comments(lines):
    """(line, text) of each documentation comment outside namespaces `detail`, and of those beside members.

    A comment is one text up to a command (\\param) or a line that is indented, which is code or an item of its own."""
    inside, code, block, first = False, False, [], 0
    for number, line in enumerate([*lines, ""], 1):
        if DETAIL.match(line):
            inside = True
        elif re.match(r"^\}\s*//\s*namespace", line):
            inside = False
        whole, member = re.match(r"^\s*///(?![</])(?: ?(.*))$", line), re.search(r"///<\s?(.*)$", line)
        text = whole.group(1) if whole else None
        indented = text is not None and re.match(r"\s{2,}\S", text)
        if block and (text is None or COMMAND.match(text) or indented):
            yield first, "\n".join(block)
            block = []
        if text is None:
            code = False
        elif re.match(r"\s*[\\@]code\b", text):
            code = True
        elif re.match(r"\s*[\\@]endcode\b", text):
            code = False
        elif not inside and not code and not (indented and CODE.search(text)):
            if not block:
                first = number
            block.append(COMMAND.sub("", text.strip() if indented else text))
        if member and not inside:
            yield number, member.group(1)


def header_texts(path):
    file = str(path.relative_to(ROOT))
    for line, comment in comments(path.read_text().splitlines()):
        yield from markdown_texts(file, comment, line)


def message_texts():
    for file, line, message, _ in messages.messages_with_calls():
        for part in re.split(r"\n\s*", message):
            text = Text(file, line, "message")
            text.add(part)
            yield text


def public_texts():
    """All public texts, a file after the other."""
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    pages += sorted(page for page in (ROOT / "docs").rglob("*.md") if not page.is_relative_to(ROOT / "docs/log"))
    for page in pages:
        if page.exists():
            yield from markdown_texts(str(page.relative_to(ROOT)), page.read_text())
    for header in sorted((ROOT / "include/krait").rglob("*.h")):
        if "detail" not in header.relative_to(ROOT).parts:
            yield from header_texts(header)
    yield from message_texts()


# ---- faults -------------------------------------------------------------------------------------------------------------------------


def faults_of(text):
    """(line, what is wrong, sentence) of a text."""
    for line, sentence in text.sentences():
        shown = text.shown(sentence)
        words = text.words(sentence)
        if words > MOST_WORDS:
            yield line, f"{words} words", shown
        seen = set()
        for name, pattern, _ in COMPILED:
            if name in seen or (name == "what" and text.kind == "heading"):
                continue
            if pattern.search(sentence):
                seen.add(name)
                yield line, f"habit '{name}'", shown


def read_exceptions(path):
    """(allowed parts of sentences, faults of the list itself)."""
    allowed, wrong = [], []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        part, _, reason = line.partition("\t")
        if not reason.strip():
            wrong.append(f"{path.name}:{number}: an exception without a reason: {part}")
        allowed.append((number, part.strip()))
    return allowed, wrong


def check(texts, allowed):
    """(lines to print, faults per file, words per file, numbers of the exceptions that were needed)."""
    printed, found, words, used = [], {}, {}, set()
    for text in texts:
        words[text.file] = words.get(text.file, 0) + text.words(text.text)
        for line, wrong, sentence in faults_of(text):
            excuses = [number for number, part in allowed if part in sentence]
            used |= set(excuses)
            if not excuses:
                found[text.file] = found.get(text.file, 0) + 1
                printed.append(f"{text.file}:{line}: {wrong}: {sentence}")
    return printed, found, words, used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="GLOB", help="only files that match, such as 'docs/*.md'; may be repeated")
    parser.add_argument("--words", action="store_true", help="print the words of each file")
    parser.add_argument("--habits", action="store_true", help="print the habits and their replacements")
    options = parser.parse_args()
    if options.habits:
        print("\n".join(sorted({f"{name:12}write: {instead}" for name, _, instead in HABITS})))
        return 0
    texts = [t for t in public_texts() if not options.only or any(fnmatch.fnmatch(t.file, glob) for glob in options.only)]
    if not texts:
        print(f"tools/prose.py: no public text matches {' '.join(options.only)}", file=sys.stderr)
        return 1
    allowed, wrong = read_exceptions(EXCEPTIONS)
    printed, found, words, used = check(texts, allowed)
    if not options.only:
        wrong += [f"{EXCEPTIONS.name}:{number}: not needed any more: {part}" for number, part in allowed if number not in used]
    print("\n".join(printed), end="\n" if printed else "")
    if options.words:
        for file, count in sorted(words.items()):
            print(f"{count:7} words  {file}")
    for file, count in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{count:7} found  {file}")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{sum(found.values())} found in {sum(words.values()):,} words of {len(words)} files")
    return 1 if printed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
