# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the site that list errors: each message, the test's code that provokes it, and for each group why it comes and what helps.

Messages come from the sources and their programs from the tests, as tools/messages.py finds them: nothing here is written twice, and
nothing can be out of date. A message belongs to the first group with a pattern of its file."""
import bisect
import fnmatch
import functools
import html
import pathlib
import re

import messages

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not errors: the help of the tool, and what it reports of kernels and machines.
NO_ERRORS = ["tools/krait/doctor.cpp", "tools/krait/devices.cpp", "lib/observe/kernel_report.cpp"]
HELP = {"add_option", "add_flag", "add_subcommand"}
# What the tool says in other calls is an error where it begins with its name.
TOOL_CALLS = {"refuse", "refuse_words", "fail", "wrong", "no_npy"}
# Page, title, what all its messages have in common, and patterns of files.
GROUPS = [
    ("hints", "Hints", "A hint is no error: the kernel runs, and could be faster. Each is told once; KRAIT_HINTS=0 silences all ([hints](hints.md)).",
     ["lib/codegen/*hints*", "lib/host/*hints*", "lib/observe/*hints*"]),
    ("files", "Files of arrays",
     "A file is missing, damaged or of another type, or it cannot be written, and a file that was there is as it was ([arrays in files](files.md)).",
     ["include/krait/interop/files.h", "lib/files/*"]),
    ("recording", "Recording a kernel",
     "The lambda runs once on traced values, and does there what a kernel cannot do. The error comes from the first call, or from `compile()`, and names the line.",
     ["lib/trace/*", "lib/passes/*", *(f"include/krait/{room}/*" for room in ("language", "runtime", "interop", "ship", "detail"))]),
    ("algorithms", "Arrays and algorithms",
     "Shapes, types or options do not fit, and nothing was computed. Texts that NumPy has, too, are NumPy's ([arrays](arrays.md), [algorithms](algorithms.md)).",
     ["include/krait/algorithm/*", "include/krait/arrays/*", "include/krait/dist.h", "include/krait/dist/*", "include/krait/detail/dist/*", "lib/dist/*", "lib/algorithms/*", "lib/arrays/*", "lib/tune/benchmark*", "lib/tune/progress*", "lib/host/broadcast*",
      "lib/devices/layout*", "lib/host/methods*", "lib/host/generalized*"]),
    ("shipping", "Packs, the cache and the C interface",
     "A file is missing, damaged or of another version, or a function of C got what it cannot take ([shipping](shipping.md), [caching](caching.md)).",
     ["lib/host/pack*", "lib/ship/c_interface*", "lib/cache/*", "lib/support/envelope*"]),
    ("calls", "Calls and launches", "Arguments, the launch or the state of the program do not fit the kernel ([calls](calls.md)).",
     ["lib/ship/*", "lib/tune/*", "lib/host/*", "lib/devices/*", "lib/observe/*"]),
    ("text", "Kernels in text form",
     "A kernel's text breaks a rule of [the IR](ir.md). Recorded kernels never do: the text was written or changed by hand. `krait dump --emit ir` prints how it is written.",
     ["lib/ir/*"]),
    ("devices", "Devices and drivers",
     "A driver refuses, a device lacks something, or a variable names none. `krait doctor` tells what there is; `KRAIT_DEBUG=1` makes each call wait, so that the error is its own.",
     ["lib/runtime/*", "lib/support/*"]),
    ("targets", "Code for a target", "The target lacks what the kernel needs, or has limits that it exceeds. Other targets may take it.", ["lib/codegen/*"]),
    ("tool", "The program krait", "Its words, and the files that it is given ([the program krait](tool.md)).", ["tools/krait/*"]),
]
MOST_LINES = 14  # of a program: a screen has several


# ---- programs that must not compile ------------------------------------------------------------------------------------------------


def fenced(lines):
    return ["```cpp", *lines, "```", ""]


def refused_programs():
    """(name, messages, wrong lines, right lines) of each program that must not compile."""
    for path in sorted((ROOT / "tests/errors/compile").glob("*.cpp")):
        source = path.read_text()
        if path.stem == "catalogue":
            for texts, code in re.findall(r"((?:^ *// error: .*\n)+)((?:^(?! *//)(?! *#).+\n)+)", source, re.M):
                yield path.stem, re.findall("// error: (.*)", texts), [line.strip() for line in code.splitlines() if line.strip() != "}"], []
            continue
        found = re.search(r"#ifdef RIGHT\n(.*?)#else\n(.*?)#endif", source, re.S) or re.search(r"()#ifndef RIGHT\n(.*?)#endif", source, re.S)
        right, wrong = found.groups() if found else ("", source)
        yield path.stem, re.findall("^// error: (.*)", source, re.M), wrong.splitlines(), right.splitlines()


def compile_page():
    out = ["# While compiling the program", "", "What the C++ compiler says first, a program that is refused so, and the program as it is right.", ""]
    for name, texts, wrong, right in refused_programs():
        title = texts[0].removeprefix("krait: ") if texts else name
        out += ["## " + re.sub(r"([\\`*_\[\]<>])", r"\\\1", title), ""]
        out += ["```text", *texts, "```", ""] + fenced(wrong)
        if "".join(right).strip():
            out += ["Right:", "", *fenced(right)]
    return "\n".join(out)


# ---- the tests' code around a message ----------------------------------------------------------------------------------------------


def is_block(before, name_before):
    """Whether a brace opens statements: what stands before it, and before that."""
    return before in {")", "]", "const", "noexcept", "mutable", "else", "do", "try", "namespace"} or name_before in {"namespace", "struct", "class"}


def statements(source):
    """By the line of each literal: the first lines of the statements in its block up to its own, and its own's last line."""
    blocks = [[[], []]]  # of each open block: first lines of its statements, and lines of literals whose statement has not ended
    opened, ended, found = [], True, {}
    before = ["", ""]  # the last token, and the one before

    def end(last):
        for line, starts in blocks[-1][1]:
            found.setdefault(line, (starts, last))
        blocks[-1][1].clear()

    for token, line, literal in messages.tokens(source):
        inside = not opened or opened[-1] == "block"
        if inside and ended and token != "}":
            blocks[-1][0].append(line)
            ended = False
        if literal is not None:
            blocks[-1][1].append((line, list(blocks[-1][0])))
        elif token in "([{":
            block = token == "{" and is_block(*before)
            opened.append("block" if block else "bracket")
            if block:
                blocks.append([[], []])
                ended = True
        elif token in ")]}" and opened:
            if opened.pop() == "block":
                end(line)
                blocks.pop()
                ended = not opened or opened[-1] == "block"
        elif token == ";" and inside:
            end(line)
            ended = True
        before = [token, before[0]]
    return found


def dedented(lines):
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[indent:] for line in lines]


def program_of_cpp(lines, starts, last, line):
    """The statement, below those of its block that do not expect anything themselves, while they fit."""
    shown, ends = lines[starts[-1] - 1 : last], starts[-1]
    if len(shown) > MOST_LINES:  # a table: its head, and what is around the message
        first = max(line - MOST_LINES // 2, starts[-1] + 1)
        return dedented([shown[0], *["…"] * (first > starts[-1] + 1), *lines[first - 1 : line], *["…"] * (line < last)])
    for start in sorted(set(starts[:-1]) - {ends}, reverse=True):
        before = lines[start - 1 : ends - 1]
        if len(before) + len(shown) > MOST_LINES:
            break
        ends = start
        if not re.match(r" *(EXPECT_|ASSERT_|expect|TEST)", before[0]):
            shown = before + shown
    return dedented([one for one in shown if one.strip()])


def program_of_script(lines, number):
    """The line of a script, or from the command whose input it is in."""
    first = number
    while first > 1 and number - first < MOST_LINES and "<<" not in lines[first - 1] and not re.match(r"(TEXT|KIR|CASES|WORDS)?$", lines[first - 2]):
        first -= 1
    return [lines[first - 1], lines[number - 1]] if "<<" in lines[first - 1] and first < number else [lines[number - 1]]


def program_of_cmake(lines, number):
    """From the test whose properties the line is among."""
    first = next((n for n in range(number, max(number - 8, 0), -1) if "add_test(" in lines[n - 1]), number)
    return dedented(lines[first - 1 : number])


def program_of_python(lines, number):
    """The line, or from the one whose call or tuple it ends."""
    return dedented(lines[number - (2 if re.match(r' *f?["\']', lines[number - 1]) else 1) : number])


class Programs:
    """The texts of all tests, and the code around each."""

    def __init__(self):
        self.texts, self.where, self.files = [], [], {}
        for path in sorted((ROOT / "tests").rglob("*")):
            if path.suffix in {".h", ".cpp"}:
                self.files[path] = path.read_text()
                for t in messages.texts(self.files[path]):
                    self.add(t.text, path, t.line)
            elif path.suffix in {".kir", ".sh", ".txt", ".cmake", ".py"} and path.name != "messages.txt":
                self.files[path] = path.read_text()
                for number, line in enumerate(self.files[path].splitlines(), 1):
                    self.add(messages.plain_line(line), path, number)
        self.begins, at = [], 0
        for text in self.texts:
            self.begins.append(at)
            at += len(text) + 1
        self.blob = "\0".join(self.texts)
        self.statements = {}

    def add(self, text, path, line):
        if len(text) > 4:
            self.texts.append(text)
            self.where.append((path, line))

    def find(self, text):
        """The place of the shortest text that has the message, a call of ctest or a line of Python only where there is no other."""
        longest, pattern = messages.template(text)
        best, at = None, self.blob.find(longest)
        while at >= 0:
            one = bisect.bisect_right(self.begins, at) - 1
            rank = (self.where[one][0].suffix in {".txt", ".cmake", ".py"}, len(self.texts[one]), one)
            if (best is None or rank < best) and pattern.search(self.texts[one]):
                best = rank
            at = self.blob.find(longest, self.begins[one] + len(self.texts[one]))
        return best and self.where[best[-1]]

    def program(self, path, line):
        lines = self.files[path].splitlines()
        if path.suffix == ".sh":
            return program_of_script(lines, line)
        if path.suffix == ".kir":
            return lines[:MOST_LINES]
        if path.suffix == ".py":
            return program_of_python(lines, line)
        if path.suffix != ".cpp" and path.suffix != ".h":
            return program_of_cmake(lines, line)
        if path not in self.statements:
            self.statements[path] = statements(self.files[path])
        starts, last = self.statements[path].get(line, ([line], line))
        return program_of_cpp(lines, starts, last, line)


# ---- pages --------------------------------------------------------------------------------------------------------------------------


def group_of(path):
    return next((slug for slug, _, _, patterns in GROUPS if any(fnmatch.fnmatch(path, p) for p in patterns)), None)


def is_whole(text, calls):
    """Whether it is no piece of a message: it is in a call that fails, or has five words, not counting what stands for values."""
    return messages.SAYING & set(calls) or (text[0] not in ".,;(" and len(re.sub(r"\{[^{}]*\}|%\w+", "", text).split()) >= 5)


@functools.cache
def user_messages():
    """(file, text) of the messages of errors, each once."""
    found, seen = [], set()
    for path, _, text, calls in messages.messages_with_calls():
        text = text.replace("\n", " ").strip()
        if path in NO_ERRORS or HELP & set(calls) or "static_assert" in calls or text in seen or not is_whole(text, calls):
            continue
        if path.startswith("tools/") and not TOOL_CALLS & set(calls) and not text.startswith("krait"):
            continue
        seen.add(text)
        found.append((path, text))
    return found


def entry(text, path, program):
    shown = html.escape(text.replace("{{", "{").replace("}}", "}"), quote=False)
    language = {".cpp": "cpp", ".h": "cpp", ".kir": "kir", ".sh": "bash", ".cmake": "cmake", ".txt": "cmake", ".py": "python"}.get(pathlib.Path(path).suffix, "text")
    return f"<details><summary><code>{shown}</code></summary>\n\n~~~~{language}\n" + "\n".join(program) + f"\n~~~~\n\n<p>from <code>{path}</code></p></details>\n"


def entries():
    """By group and file of the sources: (message, the test's file, its code); and the messages without a test in a language shown here."""
    programs, found, without = Programs(), {slug: {} for slug, *_ in GROUPS}, []
    for source, text in user_messages():
        if place := programs.find(text):
            path, line = place
            stem = pathlib.Path(source).stem.replace("_", " ")
            found[group_of(source)].setdefault(stem[0].upper() + stem[1:], []).append((text, path.relative_to(ROOT), programs.program(path, line)))
        else:
            without.append((source, text))
    return found, without


def pages():
    """(file, text): an index, then a page for each group."""
    found, _ = entries()
    refused = sum(len(texts) for _, texts, _, _ in refused_programs())
    index = ["# Errors", "", "Every error is a `krait::error` that says what is wrong, where, why, and what to do. The pages list all of them, each with code of a test",
             "that provokes it: open a message to see it. `{}` stands for a value. The search of the site finds a message by its words.", "",
             "| errors | messages | about |", "|---|---|---|",
             f"| [While compiling the program](errors-compile.md) | {refused} | What the C++ compiler says to code that Krait's types refuse, and the code as it is right. |"]
    made = [("errors-compile.md", compile_page())]
    for slug, title, about, _ in GROUPS:
        out = [f"# {title}", "", about, ""]
        for stem, rows in sorted(found[slug].items()):
            out += [f"## {stem}", ""] + [entry(*row) for row in sorted(rows, key=lambda row: row[0].lower())] + [""]
        made.append((f"errors-{slug}.md", "\n".join(out)))
        index.append(f"| [{title}](errors-{slug}.md) | {sum(map(len, found[slug].values()))} | {about} |")
    return [("errors.md", "\n".join(index) + "\n"), *made]


def mistakes():
    """Messages that no page can show, but for those that tests/messages.txt has; and the number of those on pages."""
    lost = [path for path, _ in user_messages() if not group_of(path)]
    if lost:
        return [f"{path}: no group of tools/error_pages.py has its messages" for path in sorted(set(lost))], 0
    found, without = entries()
    listed = messages.listed()
    wrong = [f"{path}: no program of tests has the message: {text}" for path, text in without if text not in listed]
    return wrong, sum(len(rows) for group in found.values() for rows in group.values())
