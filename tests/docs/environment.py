#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the variables of docs/environment.md with those that the sources read, in both directions, and those of README.md."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
READS = [re.compile(r'\benvironment(?:_text|_asks)?\(\s*"(\w+)"'), re.compile(r'\benviron(?:\.get\(|\[)\s*"(\w+)"')]
ROW = re.compile(r"^\| (`[^|]*)\|", re.MULTILINE)
NAME = re.compile(r"`([A-Z][A-Z0-9_]+)")


def read_by_sources():
    """Each name, and a file that reads it."""
    found = {}
    for folder in ("lib", "tools/krait", "tools/python"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".py"):
                text = path.read_text()
                for pattern in READS:
                    for name in pattern.findall(text):
                        found.setdefault(name, path.relative_to(ROOT))
    return found


def listed(page):
    """What the first cells of the tables' rows name."""
    return [name for cell in ROW.findall((ROOT / page).read_text()) for name in NAME.findall(cell)]


def main():
    read, page = read_by_sources(), listed("docs/environment.md")
    wrong = [f"{where} reads {name}, which docs/environment.md does not list" for name, where in read.items() if name not in page]
    wrong += [f"docs/environment.md lists {name}, which nothing reads" for name in page if name not in read]
    wrong += [f"docs/environment.md lists {name} twice" for name in sorted(set(page)) if page.count(name) > 1]
    wrong += [f"README.md lists {name}, which docs/environment.md does not" for name in listed("README.md") if name not in page]
    print("\n".join(wrong) if wrong else f"{len(read)} variables are read and listed")
    return 1 if wrong or len(read) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
