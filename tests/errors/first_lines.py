#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says first of each program that must not compile: first_lines.py [COMPILER…]; by default those that are there.

Prints the first error of each program of tests/errors/compile, or of the files after --, and whether it names the cure: whether it is a
sentence of Krait's, which its static assertions state. The rest are the compiler's own words, for which C++ has no place of ours.
The last lines count them for each compiler."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = ("g++-12", "g++-14", "clang++-16", "clang++-19")


def first_error(compiler, source):
    """Without the place; None where the program compiles."""
    made = subprocess.run([compiler, "-std=c++20", f"-I{ROOT / 'include'}", "-fsyntax-only", source], capture_output=True, text=True)
    if made.returncode == 0:
        return None
    return next((line.split("error: ", 1)[1] for line in made.stderr.splitlines() if "error: " in line), made.stderr[:100])


def main():
    words = sys.argv[1:]
    compilers, files = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    compilers = compilers or [c for c in COMPILERS if shutil.which(c)]
    sources = [pathlib.Path(f) for f in files] or sorted((ROOT / "tests/errors/compile").glob("*.cpp"))
    counts = dict.fromkeys(compilers, 0)
    for source in sources:
        print(source.stem)
        for compiler in compilers:
            text = first_error(compiler, source)
            ours = text is not None and text.startswith("static assertion failed")
            counts[compiler] += ours or text is None
            said = "compiles" if text is None else re.sub(r"^static assertion failed( due to requirement '.*?')?: ", "", text)
            print(f"  {compiler:11} {'     ' if ours or text is None else 'its  '}{said}")
    for compiler, count in counts.items():
        print(f"{compiler:11} {count} of {len(sources)} name the cure or compile")


if __name__ == "__main__":
    main()
