# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What run_cpu and run_gpu share: finding the programs, steps with a time limit each, and a result folder."""
import datetime
import os
import pathlib
import shlex
import subprocess
import sys
import time

import charts

HERE = pathlib.Path(__file__).resolve().parent


def find_programs(given, one_of_them):
    """The folder of the benchmark programs: the given one, this one, `bin` in it, or the build folder of the source tree."""
    places = [pathlib.Path(given)] if given else [HERE, HERE / "bin", HERE.parent / "bin", HERE.parents[1] / "build" / "bin"]
    for place in places:
        if (place / one_of_them).is_file():
            return place.resolve()
    sys.exit(f"no {one_of_them} in {', '.join(map(str, places))}: build the targets bench_*, or name their folder with --bin")


def python_with(module):
    """A Python that can import the module: this one, or the system's where another is first in the path. This one where none can."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return sys.executable


def first_line(*command):
    """The first line of what a command prints, empty where there is no such command or it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.partition("\n")[0].strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def versions():
    """NVIDIA's driver and the compilers of the peers, as far as they are there."""
    driver = first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return ", ".join(filter(None, [driver and f"driver {driver}", first_line("g++", "--version"), first_line("clang", "--version")]))


class Suite:
    """Runs steps one after the other. What fails or takes too long is named at the end and stops nothing else."""

    def __init__(self, out, programs, seconds):
        self.out = pathlib.Path(out).resolve()
        self.parts = self.out / "parts"  # what single programs wrote, and the peers that were built
        self.parts.mkdir(parents=True, exist_ok=True)
        self.programs, self.end = programs, time.monotonic() + seconds
        self.log = open(self.out / "log.txt", "w")
        self.results, self.failed = [], []
        libraries = [str(p) for p in (programs, programs.parent / "lib") if p.is_dir()]
        self.environment = dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(libraries + [os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(os.pathsep))

    def say(self, text):
        print(text, flush=True)
        print(text, file=self.log, flush=True)

    def start(self, command, **environment):
        """A process whose output goes to the terminal and the log."""
        return subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                env=dict(self.environment, **environment), cwd=self.parts, start_new_session=True)

    def finish(self, name, process, seconds):
        """Waits, prints, and says whether it went well."""
        began = time.monotonic()
        try:
            text, _ = process.communicate(timeout=max(1.0, min(seconds, self.end - began)))
            why = f"exit status {process.returncode}" if process.returncode else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            text, _ = process.communicate()
            why = "out of time"
        self.say(f"\n## {name}: {why or 'done'}, waited {time.monotonic() - began:.1f} s\n{text.rstrip()}")
        if why:
            self.failed.append(f"{name}: {why}")
        return not why

    def run(self, name, command, seconds, json=None, **environment):
        """`json`: the file among the parts that the program is told to write. Says whether it went well."""
        target = self.parts / json if json else None
        well = self.finish(name, self.start([*command, "--json", target] if json else command, **environment), seconds)
        if target and target.is_file():
            self.results.append(target)
        return well

    def close(self):
        """One file, one table and the charts of all results. The exit status."""
        if self.results:
            rows = charts.collect(self.results)
            # When, where and how: what a published table has in its head (tools/bench/publish).
            source = shlex.join([str(pathlib.Path(sys.argv[0]).name), *sys.argv[1:]])
            charts.write(rows, self.out / "results.json", date=datetime.date.today().isoformat(), driver=versions(), source=source)
            (self.out / "table.md").write_text(charts.table(rows))
            self.say("\n" + charts.table(rows))
            charts.draw(rows, self.out / "charts")
        for what in self.failed:
            self.say(f"FAILED {what}")
        return 1 if self.failed else 0
