#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks who includes whom: support <- ir <- {trace, passes, math, codegen}; cache and runtime see only support; devices
sees runtime, cache and ir; host sees all of these; observe, arrays, files, algorithms, dist, tune and ship stand on host.
Within the CPU's code generator: plan <- image and kit <- the parts of the emitter, which call one another, <- its root.
Headers of one folder never come back to it through other folders. LLVM headers only in lib/codegen, Vulkan headers only in lib/runtime/vulkan, CUDA headers nowhere, and no private library in
include/. Variables of the environment are read by lib/support/environment.h alone, in tools/krait too. Threads are made in
lib/support/threads.h alone, which blocks signals. Exits with 1 and the offending lines."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEVICES = {"support", "ir", "cache", "runtime", "devices"}
HOST = {*DEVICES, "trace", "passes", "math", "codegen", "host"}
MAY_SEE = {
    "support": {"support"},
    "ir": {"support", "ir"},
    "passes": {"support", "ir", "passes", "math"},
    "trace": {"support", "ir", "trace"},
    "math": {"support", "ir", "trace", "math"},
    "codegen": {"support", "ir", "passes", "codegen"},
    "cache": {"support", "cache"},
    "runtime": {"support", "runtime"},
    "devices": DEVICES,
    "host": HOST,
    "observe": {*HOST, "observe"},
    "arrays": {*HOST, "arrays"},
    "files": {*HOST, "arrays", "files"},
    "algorithms": {*HOST, "arrays", "algorithms"},
    "dist": {*HOST, "arrays", "files", "algorithms", "dist"},
    "tune": {*HOST, "tune"},
    "ship": {*HOST, "observe", "ship"},
}
PARTS = {"lanes", "access", "control", "launch", "emit"}
# The folders of lib/codegen/cpu, lowest first; "" is its root.
CPU_MAY_SEE = {
    "plan": {"plan"},
    "image": {"plan", "image"},
    "kit": {"plan", "kit"},
    **dict.fromkeys(PARTS, {"plan", "kit", *PARTS}),
    "": {"", "plan", "image", "kit", *PARTS},
}
GETENV = re.compile(r"\b(secure_)?getenv(_r)?\s*\(")
THREADS = "lib/support/threads."
MAKES_THREAD = re.compile(r"\bpthread_create\b|std::async\b|std::j?thread\s*[({]|std::j?thread\s+\w+\s*[({]")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def complaints(path, text):
    parts = path.relative_to(ROOT).parts
    stage = parts[1] if parts[0] == "lib" else None
    for number, line in enumerate(text.splitlines(), 1):
        if GETENV.search(line) and path != ROOT / "lib/support/environment.h":
            yield f"{path.relative_to(ROOT)}:{number}: support::environment() reads variables, and nothing else"
        if MAKES_THREAD.search(line.split("//")[0]) and not str(path.relative_to(ROOT)).startswith(THREADS):
            yield f"{path.relative_to(ROOT)}:{number}: a thread is made by support::start_thread, which blocks signals"
        found = INCLUDE.match(line)
        if not found:
            continue
        name = found.group(1)
        first = name.split("/")[0]
        where = f"{path.relative_to(ROOT)}:{number}: "
        if first in ("llvm", "llvm-c") and parts[:2] != ("lib", "codegen"):
            yield where + "LLVM headers belong in lib/codegen"
        if first in ("vulkan", "volk.h") and parts[:3] != ("lib", "runtime", "vulkan"):
            yield where + "Vulkan headers belong in lib/runtime/vulkan"
        if first == "CL" and parts[:3] != ("lib", "runtime", "opencl"):
            yield where + "OpenCL headers belong in lib/runtime/opencl"
        if re.match(r"cuda|nvrtc|cu[A-Z]", first):
            yield where + "no CUDA headers: the driver's entry points have a table of their own"
        if first in ("zip.h", "zlib.h", "png.h", "hdf5.h", "H5public.h"):
            yield where + "libraries of file formats have tables of their own, in lib/files"
        if parts[0] == "include" and first in ("fmt", "xxhash.h", "CLI", "spirv", "spirv-tools", *MAY_SEE):
            yield where + "a public header includes a private one"
        if stage in MAY_SEE and first in MAY_SEE and first not in MAY_SEE[stage]:
            yield where + f"{stage} may not see {first}"
        if parts[:3] == ("lib", "codegen", "cpu") and name.startswith("codegen/cpu/"):
            room, seen = ("/".join(of[:-1]) for of in (parts[3:], name.split("/")[2:]))
            if seen not in CPU_MAY_SEE[room]:
                yield where + f"codegen/cpu/{room} may not see codegen/cpu/{seen}"


def circles():
    """Folders of lib whose headers include one another's, by way of others too."""
    sees = {}
    for path in (ROOT / "lib").rglob("*.h"):
        folder = str(path.parent.relative_to(ROOT / "lib"))
        for line in path.read_text().splitlines():
            found = INCLUDE.match(line)
            if found and (ROOT / "lib" / found.group(1)).exists():
                seen = str(pathlib.PurePath(found.group(1)).parent)
                if seen != folder:
                    sees.setdefault(folder, {})[seen] = f"{path.relative_to(ROOT)} includes {found.group(1)}"
    def reaches(start, goal, passed):
        if start == goal:
            return []
        for seen, why in sees.get(start, {}).items():
            if seen not in passed:
                passed.add(seen)
                rest = reaches(seen, goal, passed)
                if rest is not None:
                    return [why, *rest]
        return None
    for folder, seen in sorted(sees.items()):
        for other, why in seen.items():
            back = reaches(other, folder, {other})
            if back is not None and folder < other:
                yield f"{folder} and {other} see each other: {why}; {'; '.join(back)}"


def main():
    bad = []
    for folder in ("include", "lib", "tools/krait"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".def"):
                bad += complaints(path, path.read_text())
    bad += circles()
    print("\n".join(bad) if bad else "layers: every include goes down")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
