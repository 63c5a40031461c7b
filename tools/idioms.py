#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which kernels each idiom of lib/support/idioms.def changes: their assembly, with it and without it, for AVX2 and AVX-512.

    KRAIT_DEVICE=cpu KRAIT_TIERS=off KRAIT_DUMP=kernels:ir,final build/bin/bench_corpus --rounds 1
    tools/idioms.py kernels

Folders that KRAIT_DUMP has filled are arguments; --only IDIOM,… looks at some idioms. A row has the target, the kernels that differ, and their
instructions with the idiom and without. Times: `KRAIT_CPU=-IDIOM` beside none, with --cpu-time. An idiom stays if a kernel gains by it for which
it was not written."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KRAIT = ROOT / "build" / "bin" / "krait"
TARGETS = {"avx2": "cpu x86-64 lanes=8 cpu=x86-64-v3 tune=haswell", "avx512": "cpu x86-64 lanes=16 cpu=x86-64-v4 tune=icelake-server"}

FACTS = re.compile(r"^kernel [^%]*?( facts\((?:[^()]|\([^()]*\))*\))", re.MULTILINE)


def idioms():
    return re.findall(r"^IDIOM\(\s*\w+, (\w+),", (ROOT / "lib/support/idioms.def").read_text(), re.MULTILINE)


def kernels(folder):
    """Recorded kernels with the facts of their launches, each once."""
    found = {}
    for path in sorted(folder.rglob("*.ir")):
        text, final = path.read_text(), path.with_suffix(".final")
        facts = FACTS.search(final.read_text()) if final.exists() else None
        if not re.search(r"^kernel ", text, re.MULTILINE):  # of instructions that the program gives
            continue
        if facts and not FACTS.search(text):
            text = re.sub(r"^(kernel .*?fp\(\w+\))", lambda m: m.group(1) + facts.group(1), text, count=1, flags=re.MULTILINE)
        found.setdefault(re.sub(r" ;.*|^;.*\n", "", text, flags=re.MULTILINE), (path.stem.partition("-")[2], text))
    return sorted(found.values())


def assembly(path, target):
    done = subprocess.run([KRAIT, "dump", path, "--emit", "asm", "--target", target], capture_output=True, text=True)
    if done.returncode:
        return "failed: " + done.stderr
    lines = [line for line in done.stdout.splitlines() if not re.match(r"\s*(\.loc|\.file|#|\.Ltmp)", line)]
    return "\n".join(re.sub(r"\s*#.*", "", line) for line in lines)


def count(text):
    return sum(1 for line in text.splitlines() if re.match(r"\t[a-z]", line))


def main():
    arguments, only = sys.argv[1:], idioms()
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1].split(",")
        del arguments[at:at + 2]
    folders = [pathlib.Path(a) for a in arguments]
    if not folders or not all(folder.is_dir() for folder in folders):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = {}
        for folder in folders:
            for number, (name, text) in enumerate(kernels(folder)):
                path = pathlib.Path(made) / f"{folder.name}-{number}.kir"
                path.write_text(text)
                paths[path] = f"{folder.name}:{name}"
        for level, target in TARGETS.items():
            def code_of(path, without):
                return pool.submit(assembly, path, target + (" features=" + ",".join("-" + word for word in without) if without else ""))
            plain, bare = ({path: code_of(path, without) for path in paths} for without in ([], only))
            failed = sorted(paths[p] for p in paths if plain[p].result().startswith("failed"))
            print(f"{level}: {len(paths)} kernels" + (f", not compiled: {', '.join(failed)}" if failed else ""), flush=True)
            # what none of them changes, each of them leaves alone
            some = [p for p in paths if plain[p].result() != bare[p].result()]
            for word in only:
                other = {path: code_of(path, [word]) for path in some}
                rows = [f"{paths[p]} {count(plain[p].result())} → {count(other[p].result())}" for p in some
                        if plain[p].result() != other[p].result()]
                print(f"  {word}: {len(rows)}" + "".join(f"\n    {row}" for row in sorted(rows)), flush=True)


if __name__ == "__main__":
    main()
