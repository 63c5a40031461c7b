#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the places that name a pure operation, which is what adding one like it touches: tools/op_places.py [Enumerator name_in_text].
Without arguments mul_hi, the operation of docs/adding-an-op.md; then it fails where that page does not name one of the files, or where
they have become more. Comments do not count, nor do the bodies of mathematical functions and the generators, which only call it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
USERS = ("lib/math/", "include/krait/random.h")
MOST = 8  # files


def places(name, text):
    pattern = re.compile(rf"\b{name}\b|\b(plain_)?{text}\b")
    for folder in ("include", "lib"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = str(path.relative_to(ROOT))
            if path.suffix not in {".h", ".cpp", ".def"} or inside.startswith(USERS):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if pattern.search(re.sub(r"//.*", "", line)):
                    yield inside, number, line.strip()


def main():
    own = len(sys.argv) == 3
    found = list(places(*(sys.argv[1:] if own else ("MulHi", "mul_hi"))))
    files = sorted({f for f, _, _ in found})
    for path, number, line in found:
        print(f"{path}:{number}: {line[:120]}")
    print(f"{len(files)} files, {len(found)} lines")
    if own:
        return 0
    page = (ROOT / "docs/adding-an-op.md").read_text()
    missing = [f for f in files if f not in page]
    for f in missing:
        print(f"docs/adding-an-op.md does not name {f}", file=sys.stderr)
    if len(files) > MOST:
        print(f"{len(files)} files name the operation; at most {MOST} may", file=sys.stderr)
    return 1 if missing or not files or len(files) > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
