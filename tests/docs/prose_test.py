#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences that tools/prose.py must find, and others that it must not."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import prose  # noqa: E402

THIRTY = " ".join(["word"] * 29) + " end."
# A habit, and the sentence of a page that has it.
FOUND = [
    ("what", "What fails here is reported."),
    ("what", "- what a call does"),
    ("what", "| a | b |\n|---|---|\n| `x` | what the driver says |"),
    ("to what", "It depends on what the kernel does."),
    ("to what", "Compared with what nvcc makes, it is small."),
    ("of which", "Loops of which two are short."),
    ("of which", "A kernel of whose loops two are short."),
    ("is no", "A folder is no file."),
    ("are none", "An error where there is none."),
    ("one X a Y", "It takes one kernel a call."),
    ("one X a Y", "Each warp does a load a lane."),
    ("one X a Y", "It reads 32 bytes a thread."),
    ("one X a Y", "It takes two whole sweeps a digit."),
    ("behind", "Hidden parameters stand behind those of the call."),
    ("behind", "The elements are one behind the other."),
    ("come to", "Such lines come to 2,000 operations."),
    ("is said", "The mode is said once."),
    ("lies", "An array lies in memory."),
    ("for want of", "It was skipped for want of a device."),
]
NOT_FOUND = [
    "What is a kernel?",
    "## What a call does",
    "| what it does | b |\n|---|---|\n| 1 | 2 |",
    "It prints what it compiled.",
    "There is no GPU here.",
    "It is no longer needed.",
    "It is no more than 4 bytes.",
    "It gives a kernel a name.",
    "It is one of a kind.",
    "It is one or a few.",
    "Each takes a kernel.",
    "It costs a few blocks a second.",
    "It passes a kernel a row.",
    "Two lines are a block.",
    "It is behind a switch.",
    "A thread that comes to it waits.",
    "`what to of which` is code.",
    "```\nWhat fails here is code, of which there is none.\n```",
    "    What fails here is code.",
]


def texts_of(source):
    return list(prose.markdown_texts("page.md", source))


def faults(source):
    return [fault for text in texts_of(source) for fault in prose.faults_of(text)]


def expect(condition, what):
    if not condition:
        expect.failed.append(what)


expect.failed = []


def habits():
    for habit, source in FOUND:
        found = [wrong for _, wrong, _ in faults(source)]
        expect(found == [f"habit '{habit}'"], f"{habit} is not found, or more: {source!r} gives {found}")
    for source in NOT_FOUND:
        expect(not faults(source), f"must not be found: {source!r} gives {faults(source)}")
    expect({name for name, _, _ in prose.HABITS} == {name for name, _ in FOUND}, "a habit without a sentence here")


def lengths():
    expect(not faults(THIRTY), "30 words are allowed")
    expect([wrong for _, wrong, _ in faults("One " + THIRTY)] == ["31 words"], "31 words are found")
    expect(not faults(THIRTY + " " + THIRTY.capitalize()), "two sentences are two")
    expect(not faults("`a b c d` " * 30), "a code span is one word")
    expect(not faults(f"- {THIRTY[:-1]}\n- more\n"), "each item is a text")
    expect(not faults(f"| {THIRTY} | {THIRTY} |\n|---|---|\n| {'17 ' * 40} | x |"), "each cell is a text, and numbers in tables are no words")
    expect(faults("word e.g. " + THIRTY) and faults("word file.h " + THIRTY), "abbreviations end no sentence")
    expect(not faults("```\n" + "word " * 40 + "\n```"), "code blocks do not count")
    expect(faults(":::{note}\nWord " + THIRTY + "\n:::") and faults("```{note}\nWord " + THIRTY + "\n```"), "notes count")


def places():
    found = faults("First.\n\nSecond line\ngoes on. It\nis no file.\n")
    expect([line for line, _, _ in found] == [4], f"the line of the sentence's first word: {found}")
    expect(found[0][2] == "It is no file.", "the sentence as it is printed")
    found = faults("One is no `a b`.\n")
    expect(found[0][2] == "One is no `a b`.", "code spans are printed as they are")
    expect([line for line, _, _ in faults("---\nx: 1\n---\nIt is no file.\n")] == [4], "the head of a page is no text")


def comments():
    lines = """/// Gives it. It is no file.
/// \\param x  a number
///   auto code = f(x);
/// \\code
/// It is no file;
/// \\endcode
int x;  ///< It is no file.
//// It is no file.
namespace detail {
/// It is no file.
}  // namespace detail
/// It is no file.""".splitlines()
    found = list(prose.comments(lines))
    expect(found == [(1, "Gives it. It is no file."), (2, "a number"), (7, "It is no file."), (12, "It is no file.")], f"comments: {found}")


def exceptions():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "list.txt"
        path.write_text("# remark\n\nis no file\tthe driver's own text\nnever used\n")
        allowed, wrong = prose.read_exceptions(path)
    expect(len(wrong) == 1 and "without a reason" in wrong[0], f"a reason is needed: {wrong}")
    printed, found, words, used = prose.check(texts_of("It is no file.\n\nIt is no page.\n"), allowed)
    expect(len(printed) == 1 and printed[0].startswith("page.md:3: habit 'is no': It is no page."), f"what is not listed: {printed}")
    expect(found == {"page.md": 1} and words == {"page.md": 8}, f"counts: {found} {words}")
    expect(used == {3}, f"the second exception was not needed: {used}")


def sources():
    files = {text.file for text in prose.public_texts()}
    for file in ("README.md", "CONTRIBUTING.md", "docs/dsl.md", "include/krait/language/kernel.h", "tools/krait/main.cpp"):
        expect(file in files, f"{file} is public text")
    expect(not any(file.startswith("docs/log/") for file in files), "the log is not public")


if __name__ == "__main__":
    for test in (habits, lengths, places, comments, exceptions, sources):
        test()
    print("\n".join(expect.failed) or f"{len(FOUND) + len(NOT_FOUND)} sentences are found and not found as they should be")
    sys.exit(1 if expect.failed else 0)
