#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the places that name a pure operation or a type, which is what adding one like it touches: tools/op_places.py [Enumerator name_in_text].
Without arguments mul_hi, the operation of docs/adding-an-op.md, and the types of MOST; then it fails where that page does not name one of the
files, or where they have become more. Comments do not count, nor do a processor's features ("+amx-bf16"), the bodies of mathematical functions, the generators
and long division, which only call it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
USERS = ("lib/math/", "include/krait/language/random.h", "lib/codegen/spirv/numeric/quotient.cpp")
MOST = {("MulHi", "mul_hi"): 8, ("BF16", "bf16"): 3, ("F8E4M3", "f8e4m3"): 4}  # files


def places(name, text):
    pattern = re.compile(rf"\b{name}\b|\b(plain_)?{text}\b")
    for folder in ("include", "lib"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = str(path.relative_to(ROOT))
            if path.suffix not in {".h", ".cpp", ".def"} or inside.startswith(USERS):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if pattern.search(re.sub(r'//.*|"\+[a-z0-9-]+"', "", line)):
                    yield inside, number, line.strip()


def main():
    page = (ROOT / "docs/adding-an-op.md").read_text()
    failed = False
    for names in [tuple(sys.argv[1:])] if len(sys.argv) == 3 else MOST:
        found = list(places(*names))
        files = sorted({f for f, _, _ in found})
        for path, number, line in found:
            print(f"{path}:{number}: {line[:120]}")
        print(f"{names[1]}: {len(files)} files, {len(found)} lines")
        missing = [f for f in files if names[0] == "MulHi" and f not in page]
        for f in missing:
            print(f"docs/adding-an-op.md does not name {f}", file=sys.stderr)
        most = MOST.get(names, len(files))
        if len(files) > most:
            print(f"{len(files)} files name {names[1]}; at most {most} may", file=sys.stderr)
        failed = failed or missing or not files or len(files) > most
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
