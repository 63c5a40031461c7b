#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lines.py SOURCE COMPILER FLAGS LIBRARY INCLUDE: builds a program that prints its kernel's IR, and compares each operation's line with
what the source says of it: `//= mul add` names the operations of a line. At least 98 of 100 must have their own."""
import os, re, subprocess, sys, tempfile
from pathlib import Path

source, compiler, flags, library, include = sys.argv[1:6]
source = Path(source).resolve()
expected = {}
for number, line in enumerate(source.read_text().splitlines(), 1):
    if "//=" in line and not line.startswith("//"):
        expected[number] = set(line.split("//=")[1].split())

with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"
    build = [compiler, "-std=c++20", *flags.split(), f"-I{include}", str(source), "-o", str(program), library, f"-Wl,-rpath,{Path(library).parent}"]
    subprocess.run(build, check=True, cwd=folder)
    if "strip" in sys.argv[6:]:  # debug information in a file of its own, named by a link
        debug = Path(folder) / "program.debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program], check=True, cwd=folder)
    if "none" in sys.argv[6:]:  # without debug information a dump says so
        subprocess.run([program], check=True, capture_output=True, env={**os.environ, "KRAIT_DUMP": f"{folder}/dump:ir"})
        dumped = "".join(file.read_text() for file in Path(folder, "dump").iterdir())
        said = "; lines: the program has no debug information: operators have the nearest line that is known; build it with -g1\n"
        print(dumped[:400])
        sys.exit(said not in dumped)
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout

right, wrong, seen = 0, [], {}
for line in text.splitlines():
    place = re.search(r" ; (\S+):(\d+)$", line)
    op = re.match(r"\s*(?:%\d+: [^=]*= )?([a-z_0-9]+)", line)
    if not op or op[1] in ("kir", "kernel", "yield", "continue", "return"):  # what ends a region has no text of its own
        continue
    if not place:
        wrong.append(f"no line: {line.strip()}")
        continue
    number = int(place[2])
    if Path(place[1]).name == source.name and op[1] in expected.get(number, ()):
        right += 1
        seen.setdefault(number, set()).add(op[1])
    else:
        wrong.append(line.strip())
missing = [f"line {n}: {' '.join(sorted(ops - seen.get(n, set())))}" for n, ops in expected.items() if ops - seen.get(n, set())]
print(f"{source.name}, {compiler} {flags}: {right} of {right + len(wrong)} operations have their own line")
for w in wrong: print("  wrong:", w)
for m in missing: print("  missing:", m)
if right < 0.98 * (right + len(wrong)) or right < 50: sys.exit(1)
