#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public headers, and the names that users write for them.

A header `krait/arrays/array.h` lies in a room; users write `#include <krait/array.h>`, which forwards to it. `krait/algorithm/…` and
the umbrellas are named as they lie. Fails for a header of a room that nothing forwards to, and for a forwarding header that does anything
else; with --list it also prints each name and where it lies."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
ROOMS = ("arrays", "interop", "language", "runtime", "ship")
FORWARD = re.compile(r"// SPDX-License-Identifier: [^\n]*\n#include <(krait/\w+/(\w+\.h))>\n")


def spelled(path):
    """krait/array.h for include/krait/arrays/array.h, or for krait/arrays/array.h."""
    path = pathlib.Path(path)
    parts = (path.relative_to(INCLUDE) if path.is_absolute() else path).parts
    return "/".join(parts[:1] + parts[2:] if len(parts) == 3 and parts[1] in ROOMS else parts)


def home(name):
    """Where the header that users call krait/array.h lies: a path."""
    rooms = (INCLUDE / "krait" / room / name.removeprefix("krait/") for room in ROOMS)
    return next((path for path in rooms if path.is_file()), INCLUDE / name)


def public():
    """Where each public header lies, in the order of the names that users write."""
    rooms = [path for room in ROOMS for path in (INCLUDE / "krait" / room).glob("*.h")]
    named = [path for path in INCLUDE.glob("krait/*.h") if home(spelled(path)) == path]
    return sorted([*rooms, *named, *INCLUDE.glob("krait/algorithm/*.h"), *INCLUDE.glob("krait/dist/*.h")], key=spelled)


def main():
    bad = []
    for path in public():
        name = spelled(path)
        if "--list" in sys.argv:
            print(f"{name:40} {path.relative_to(INCLUDE)}")
        if path != INCLUDE / name and not (INCLUDE / name).is_file():
            bad.append(f"{path.relative_to(ROOT)}: nothing forwards to it as <{name}>")
    for path in sorted(INCLUDE.glob("krait/*.h")):
        found = FORWARD.fullmatch(path.read_text())
        if path != home(spelled(path)) and not (found and INCLUDE / found[1] == home(spelled(path))):
            bad.append(f"{path.relative_to(ROOT)}: forwards to <{home(spelled(path)).relative_to(INCLUDE)}>, and does nothing else")
    print("\n".join(bad) if bad else f"headers: {len(public())} public headers, each in its room")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
