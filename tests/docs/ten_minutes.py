#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ten_minutes.py PROGRAM: the blocks after `<!-- output -->` of docs/ten-minutes.md are together what PROGRAM prints on the CPU; the lines of a block after
`<!-- output: DEVICE -->` are among what it prints there, where such a device is."""
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "ten-minutes.md"
BLOCK = re.compile(r"<!-- output(?:: (\w+))? -->\n```\n(.*?)```\n", re.DOTALL)


def printed(program, device):
    run = subprocess.run([program], env=dict(os.environ, KRAIT_DEVICE=device), capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None


def main():
    blocks, wrong = BLOCK.findall(PAGE.read_text()), []
    page = "".join(text for device, text in blocks if not device)
    found = printed(sys.argv[1], "cpu")
    if not page or found != page:
        wrong.append(f"docs/ten-minutes.md shows\n{page}but the program prints\n{found}")
    for device, text in blocks:
        if device:
            there = printed(sys.argv[1], device)
            if there is None:
                print(f"no run on {device}: no such device here")
                continue
            wrong += [f"docs/ten-minutes.md has '{line}' for {device}, the program prints\n{there}" for line in text.splitlines()
                      if line not in there.splitlines()]
    print("\n".join(wrong) if wrong else f"{len(blocks)} blocks are what the program prints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
