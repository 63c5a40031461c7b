#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that sources compile without their precompiled header: tools/without_pch.py [--build FOLDER] [--seconds S] [TEXT...]

A precompiled header hides an include that a file lacks. The compiler only checks each file (-fsyntax-only), with the build
folder's own command. First come the files that differ from the last commit but one, then the others, in an order that
KRAIT_TEST_SEED decides, until S seconds of processor time are used. Without --seconds all are checked. TEXT: only files whose
path has one of these texts. Exit status 1 where a file does not compile."""
import argparse
import json
import os
import pathlib
import random
import resource
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands(build):
    """The compiler's arguments by file, of files that take a precompiled header."""
    text = subprocess.run(["ninja", "-C", str(build), "-t", "compdb"], check=True, capture_output=True, text=True).stdout
    found = {}
    for entry in json.loads(text):
        words = shlex.split(entry["command"]) if "cmake_pch.hxx" in entry["command"] else []
        if not words or not entry["file"].endswith(".cpp") or "-c" not in words:
            continue
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not path.is_relative_to(ROOT / "lib"):
            continue
        first = next(i for i, word in enumerate(words) if pathlib.Path(word).name.startswith(("g++", "clang++", "c++")))
        kept, skip = [], False
        for i, word in enumerate(words[first:], first):
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MT", "-include", "-include-pch") or word == "-Xclang" and "pch" in " ".join(words[i : i + 4]):
                skip = True
            elif word not in ("-c", "-MD", "-Winvalid-pch"):
                kept.append(word)
        found[path] = (entry["directory"], kept + ["-fsyntax-only", "-w"])
    return found


def changed():
    """Files of the last commit and of the working tree, and the headers beside them."""
    names = subprocess.run(["git", "-C", str(ROOT), "diff", "--name-only", "HEAD~1"], capture_output=True, text=True).stdout
    return {(ROOT / name).resolve() for name in names.split()}


def used():
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("texts", nargs="*")
    given = parser.parse_args()
    all_of = commands(given.build)
    files = [f for f in sorted(all_of) if not given.texts or any(t in str(f.relative_to(ROOT)) for t in given.texts)]
    if not files:
        sys.exit("without_pch: no file takes a precompiled header: give --build a folder that ./bootstrap or cmake made")
    random.Random(os.environ.get("KRAIT_TEST_SEED")).shuffle(files)
    news = changed()
    files.sort(key=lambda f: f not in news and f.with_suffix(".h") not in news)
    begin, done, wrong = used(), 0, 0
    for file in files:
        if given.seconds and used() - begin >= given.seconds:
            break
        directory, command = all_of[file]
        done += 1
        said = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        if said.returncode:
            wrong += 1
            print(f"{file.relative_to(ROOT)}: does not compile without the precompiled header:\n{said.stderr}", flush=True)
    print(f"{done} of {len(files)} files were compiled without precompiled headers, {used() - begin:.0f} s: {wrong} do not compile")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
