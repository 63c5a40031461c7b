#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds measured constants outside of the headers for them: tools/naked_numbers.py [FOLDER...], by default those of FOLDERS.

Headers named tuning.h and those of support/tuning have them, each with a unit, a reason and the command that measures it over a whole set. Complained of are
  - in other files, a number with a name and a comment that states a measurement (a time, a device, a benchmark);
  - in other files, a number of three digits or more, or a shift such as 8 << 10, in a comparison;
  - in those headers, a constant without a command, and a command that runs one row or a few (--filter, --only).
Numbers that are no measurements (the limits of a format, an interface or a type) have names, and comments that say so. Exits with 1 and the
places."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["lib/algorithms", "lib/codegen", "lib/passes", "lib/runtime", "lib/devices", "lib/host", "lib/support", "include/krait/algorithm"]
NUMBER = r"-?(?:0x[\da-f']+|[\d'.]+(?:e\d+)?)[uUlLfF]*"
NAMED = re.compile(rf"^\s*(?:inline |static )*constexpr [\w:]+(?: const)? (\w+) =\s*(?:{NUMBER}|std::\w+\({NUMBER}\))(?: ?(?:<<|\*|/|-) ?{NUMBER})*[,;]")
MEASURED = re.compile(r"\bbench_|\b\d[\d.]* (?:ms|µs|ns|cycles|%)(?!\w)|\b(?:Zen|Xeon|Rapids|H100|H200|Gracemont)\b|\bquick(?:er|est)\b|\b(?:faster|slower)\b")
COMPARED = re.compile(r"(?<![<>-])[<>]=? (?:\d[\d']{2,}\b(?!\.)(?!'?[uU]?l?l?-)|\d+u? << \d+)")
CONSTANT = re.compile(r"^inline (?:constexpr )?[\w:]+ (\w+)\b.*[={(]")


def comment_above(lines, at):
    text = [lines[at].partition("//")[2]]
    while at > 0 and lines[at - 1].lstrip().startswith("//"):
        at -= 1
        text.append(lines[at])
    return " ".join(text)


def outside(lines):
    for at, line in enumerate(lines):
        code = line.partition("//")[0]
        named = NAMED.match(code)
        if named and MEASURED.search(comment_above(lines, at)):
            yield at, f"{named.group(1)} is measured: it belongs into a tuning header"
        elif not named and COMPARED.search(code) and "static_assert" not in code and "constexpr" not in code:
            yield at, "a number in a comparison has no name"


def inside(lines):
    """A comment holds for the constants up to the next one; a section's, up to the next section."""
    section = own = ""
    for at, line in enumerate(lines):
        if line.startswith("//") and (at == 0 or not lines[at - 1].startswith("//")):
            block = []
            for below in lines[at:]:
                if not below.startswith("//"):
                    break
                block.append(below.lstrip("/ "))
            own = " ".join(block)
            if line.startswith("// "):
                section = own
        if re.search(r"--(filter|only)\b", line):
            yield at, "a command of one row: constants are measured over a whole set"
        found = CONSTANT.match(line)
        if found and "bench_" not in own and "bench_" not in section:
            yield at, f"{found.group(1)} has no command that measures it"


def complaints(folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            lines = path.read_text().splitlines()
            for at, what in inside(lines) if path.name.startswith("tuning") or path.parent.name == "tuning" else outside(lines):
                yield f"{path.relative_to(ROOT)}:{at + 1}: {what}: {lines[at].strip()}"


def main():
    unknown = [folder for folder in sys.argv[1:] if not (ROOT / folder).is_dir()]
    if unknown:
        sys.exit(f"naked_numbers.py: no folder {unknown[0]}\n{__doc__}")
    found = list(complaints(sys.argv[1:] or FOLDERS))
    print("\n".join(found) if found else "all measured constants are in tuning headers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
