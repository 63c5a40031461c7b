#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a constant of lib/support/tuning_*.h or lib/algorithms/tuning.h: builds and runs a command for each value, then puts the old value back.

    tools/sweep.py cpu.whole_limit 64 256 1024 -- build/bin/bench_corpus --class open --cpu-time

Each output follows a line with the value. The constant's comment names the command that it was chosen by. A value is kept for the whole set's
geometric mean, above all that of the half that judges (bench_corpus prints both).
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    if "--" not in sys.argv or sys.argv.index("--") < 3:
        sys.exit(__doc__.strip())
    split = sys.argv.index("--")
    (machine, _, constant), values, command = sys.argv[1].partition("."), sys.argv[2:split], sys.argv[split + 1:]
    header = ROOT / "lib" / "support" / f"tuning_{machine}.h"
    if not header.is_file():
        header = ROOT / "lib" / machine / "tuning.h"
    before = header.read_text() if header.is_file() else ""
    found = re.search(rf"\b{re.escape(constant)} = ([^,;]+)[,;]", before) if constant else None
    if not found:
        sys.exit(f"sweep.py: no constant {sys.argv[1]}; expected one of lib/support/tuning_*.h, as cpu.whole_limit, or of lib/algorithms/tuning.h, as algorithms.tile_group")
    try:
        for value in values:
            header.write_text(before[:found.start(1)] + value + before[found.end(1):])
            build = subprocess.run(["cmake", "--build", ROOT / "build"], capture_output=True, text=True)
            if build.returncode:
                sys.exit(f"sweep.py: {constant} = {value} does not build:\n{build.stdout[-4000:]}")
            print(f"== {sys.argv[1]} = {value}", flush=True)
            subprocess.run(command, check=False)
    finally:
        header.write_text(before)


if __name__ == "__main__":
    main()
