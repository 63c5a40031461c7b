#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each source of lib compiles by itself: tools/alone.py [--build FOLDER] [--seconds S] [TEXT...]

A whole build compiles sources in batches (KRAIT_UNITY), which hides an include that a file lacks, and a name that two of them
have. The compiler only checks each file (-fsyntax-only), with the command of its batch. First come the files that differ from
the last commit but one, then the others, in an order that KRAIT_TEST_SEED decides, until S seconds of processor time are used.
Without --seconds all are checked. TEXT: only files whose path has one of these texts. Exit status 1 where a file does not compile."""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands(build):
    """The folder and the compiler's arguments by file, of files that are compiled in batches."""
    text = subprocess.run(["ninja", "-C", str(build), "-t", "compdb"], check=True, capture_output=True, text=True).stdout
    found = {}
    for entry in json.loads(text):
        batch = pathlib.Path(entry["directory"], entry["file"])
        words = shlex.split(entry["command"]) if batch.parent.name == "Unity" else []
        if "-c" not in words:
            continue
        first = next(i for i, word in enumerate(words) if pathlib.Path(word).name.startswith(("g++", "clang++", "c++")))
        flags = words[first : words.index("-MD")] + ["-fsyntax-only", "-Wshadow"]
        for source in re.findall(r'^#include "(.*)"$', batch.read_text(), re.M):
            path = pathlib.Path(source).resolve()
            found[path] = (entry["directory"], flags + [str(path)])
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
        sys.exit("alone: no batches: give --build a folder that ./bootstrap or cmake made")
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
            print(f"{file.relative_to(ROOT)}: does not compile by itself:\n{said.stderr}", flush=True)
    print(f"{done} of {len(files)} files were compiled by themselves, {used() - begin:.0f} s: {wrong} do not compile")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
