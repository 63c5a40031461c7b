#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of README.md, compiled as it stands and run: readme.py COMPILER INCLUDES LIBRARY FOLDER.

It is the first block of C++ there. It must print the texts of the sentence that begins with "It prints"."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parts(readme):
    """The first program, and the texts that it must print."""
    program = re.search(r"^```cpp\n(.*?)^```$", readme, re.S | re.M)
    sentence = re.search(r"^It prints (.*)$", readme, re.M)
    if not program or "int main(" not in program.group(1):
        sys.exit("README.md: the first block of C++ is not a whole program")
    texts = re.findall("`([^`]+)`", sentence.group(1)) if sentence else []
    if not texts:
        sys.exit('README.md: no line "It prints `…`" tells the output of the program')
    return program.group(1), texts


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def main():
    compiler, includes, library, folder = sys.argv[1:]
    program, texts = parts((ROOT / "README.md").read_text())
    folder, library = pathlib.Path(folder), pathlib.Path(library)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.cpp").write_text(program)
    warnings = ["-Wall", "-Wextra", "-Werror"]
    run([compiler, "-std=c++20", *warnings, "main.cpp", f"-I{includes}", library, f"-Wl,-rpath,{library.parent}", "-o", "program"], cwd=folder)
    printed = run([folder / "program"], env=dict(os.environ, KRAIT_DEVICE="cpu", KRAIT_CACHE="off"))
    missing = [text for text in texts if text not in printed]
    print(f"it prints: {printed.rstrip()}")
    for text in missing:
        print(f"README.md: the program does not print `{text}`")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
