#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/site/build --check and --snippets name the page and line of each mistake: a small tree of pages that has one of each."""
import contextlib
import io
import pathlib
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCES / "tools/site"), str(SOURCES / "tools")]
import check  # noqa: E402
import pages  # noqa: E402

FILES = {
    "README.md": "# Readme\n\nTo [a heading](docs/calls.md#streams), `[](auto x) {}` and [a file](tests/shown.cpp) that there are.\n",
    "docs/calls.md": "# Calls\n\nFirst line,\nthen [a page](nowhere.md).\n\n| a | b |\n|---|---|\n| 1 | [text](why.md#never) |\n\n## Streams\n\n"
                     "```cpp\n[not a link](nowhere.md)\n```\n",
    "docs/why.md": "# Why\n\n<!-- from: tests/shown.cpp:right -->\n```cpp\nint x = 1;\nint y = x;\n```\n\n"
                   "<!-- from: tests/shown.cpp:wrong -->\n```cpp\nint z = 0;\nint w = z + lost;\n```\n\n"
                   "<!-- from: tests/shown.cpp:right -->\n```cpp\nint x = 1;\nint y = 2;\n```\n\n<!-- from: tests/shown.cpp:gone -->\n```cpp\n```\n",
    "docs/stranger.md": "# A page that no group has\n",
    "tests/shown.cpp": "namespace {\n  // [right]\n  int x = 1;\n  int y = x;\n  // [/right]\n// [wrong]\nint z = 0;\nint w = z + lost;\n// [/wrong]\n}\n",
}
LINKS = ["docs/calls.md:4: no such file: nowhere.md", "docs/calls.md:8: no such heading: why.md#never"]
QUOTES = ["docs/why.md:18: the code is not that of tests/shown.cpp, region [right]", "docs/why.md:21: tests/shown.cpp has no region [gone]"]
COMPILED = "docs/why.md:12: "

failures = 0


def expect(got, wanted, what):
    global failures
    if got != wanted:
        failures += 1
        print(f"{what}:\n  got    {got}\n  wanted {wanted}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        check.ROOT = pages.ROOT = root
        found = check.parsed()
        expect(sorted(check.broken_links(found)), LINKS, "links")
        expect(sorted(check.wrong_quotes(found)), QUOTES, "quoted code")
        expect(pages.unlisted(), ["stranger"], "pages without a group")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = check.snippets()
        expect(status, 1, "status of a snippet that does not compile")
        expect(err.getvalue().startswith(COMPILED) and "lost" in err.getvalue(), True, f"the place of a snippet that does not compile ({err.getvalue().strip()})")
        (root / "tests/shown.cpp").write_text(FILES["tests/shown.cpp"].replace("lost", "x"))
        with contextlib.redirect_stdout(out):
            expect(check.snippets(), 0, "status of snippets that compile")
    print("each mistake is told with its page and line" if not failures else f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
