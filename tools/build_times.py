#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what a build costs.

    tools/build_times.py build                      seconds of each unit of the last build, from its .ninja_log
    tools/build_times.py build --run [target...]    builds first, without ccache, and says what processor time that took, and each unit

Seconds from the log are elapsed ones: those of a machine with nothing else to do are processor time, others are too many. With --run
those of compilations are processor time, of any machine; they are measured by ccache's prefix, so ccache has to be installed."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

PREFIX_LOG = "KRAIT_UNIT_TIMES"  # names the file that a compilation adds its line to


def used_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_unit(command):
    """As the prefix of a compiler: runs it, and adds a line of its processor time and its output."""
    status = subprocess.run(command).returncode
    if "-o" in command:
        with open(os.environ[PREFIX_LOG], "a") as log:
            log.write(f"{used_by_children():.2f}\t{command[command.index('-o') + 1]}\n")
    return status


def units(folder):
    """(seconds, output) of each edge, the latest where one ran several times."""
    log = folder / ".ninja_log"
    if not log.exists():
        sys.exit(f"{folder} has no .ninja_log: expected a folder that Ninja built in")
    lines = log.read_text().splitlines()
    if not lines or not lines[0].startswith("# ninja log v"):
        sys.exit(f"{log} is not a log of Ninja")
    edges = {}
    for line in lines[1:]:
        start, end, _, output, command = line.split("\t")
        # Outputs of one edge have its times and its command's hash.
        edges[output] = (int(start), int(end), command)
    seen = {}
    for output, edge in edges.items():
        seen.setdefault(edge, output)
    return sorted(((end - start) / 1000, output) for (start, end, _), output in seen.items())[::-1]


def name_of(output):
    """lib/ir/CMakeFiles/krait_ir.dir/ir.cpp.o is lib/ir/ir.cpp, of krait_ir."""
    folder, _, rest = output.partition("/CMakeFiles/")
    target, _, source = rest.partition(".dir/")
    return f"{folder}/{source.removesuffix('.o')}  ({target})" if source else output


def build(folder, targets):
    """Builds, and returns the processor time of each compilation by its output."""
    began = time.monotonic()
    command = ["ninja", "-C", str(folder), f"-j{len(os.sched_getaffinity(0))}", *targets]
    with tempfile.NamedTemporaryFile("r") as log:
        environment = dict(os.environ, CCACHE_DISABLE="1", CCACHE_PREFIX=os.path.abspath(__file__), **{PREFIX_LOG: log.name})
        status = subprocess.run(command, env=environment, stdout=sys.stderr).returncode
        measured = [line.rstrip("\n").split("\t") for line in log]
    if status:
        sys.exit(status)
    print(f"{used_by_children():8.1f} s of processor time, {time.monotonic() - began:.1f} s elapsed")
    return {output: float(seconds) for seconds, output in measured}


def main():
    if PREFIX_LOG in os.environ:
        sys.exit(compile_unit(sys.argv[1:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--run", nargs="*", metavar="target")
    parser.add_argument("--most", type=int, default=30, help="the units told by name, the slowest first")
    asked = parser.parse_args()
    measured = build(asked.folder, asked.run) if asked.run is not None else {}
    told = sorted(((measured.get(output, seconds), output) for seconds, output in units(asked.folder)), reverse=True)
    print(f"{sum(seconds for seconds, _ in told):8.1f} s in {len(told)} units, {sum(s > 10 for s, _ in told)} of them over 10 s")
    for seconds, output in told[: asked.most]:
        print(f"{seconds:8.1f}  {name_of(output)}")


if __name__ == "__main__":
    main()
