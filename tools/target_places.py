#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the places outside its own folders and files that name a target or its back end: what adding one like it touches. Without
arguments of every target; of those that are named with their lines: tools/target_places.py spirv. Comments do not count."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# By target: what names it in code, and the folders and files that are its own.
TARGETS = {
    "cpu": (r"TargetKind::Cpu\b|\bCpu(Device|Target)?\b|cpu_devices|runtime_cpu|codegen/cpu|(?<!-)\bcpu\b(?! =|=|\.|,? \(|\d)", ("cpu", "cpu_blob.h", "float_environment.h")),
    "ptx": (r"TargetKind::Ptx\w*|\bPtx\b|\bCuda\b|cuda_devices|runtime_cuda|nvptx|\bcuda\b|\bptx\b|\bsass\b", ("nvptx", "cuda", "blobs/ptx.h", "ptx.def", "sass.h", "sass.cpp")),
    "spirv": (r"TargetKind::Spirv\w*|\bSpirv\b|\bVulkan\b|vulkan_devices|runtime_vulkan|\bspirv\b|\bspv\b|\bvulkan\b",
              ("spirv", "vulkan", "blobs/spirv.h", "features.def", "quirks.def")),
}
SUFFIXES = {".h", ".cpp", ".def", ".txt", ".cmake"}
COMMENT = re.compile(r"//.*|^\s*#(?!include|define|if|endif).*")


def places(pattern, own):
    for folder in ("include", "lib", "tools/krait", "tests/support", "tests/ops", "tests/golden"):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if (path.suffix not in SUFFIXES and path.name != "CMakeLists.txt") or set(parts) & set(own):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = COMMENT.sub("", line)
                if re.search(pattern, code):
                    yield path.relative_to(ROOT), number, line.strip()


def main():
    for name, (pattern, own) in TARGETS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        found = list(places(pattern, own))
        print(f"{name}: {len({f for f, _, _ in found})} files, {len(found)} lines")
        if sys.argv[1:]:
            for path, number, line in found:
                print(f"  {path}:{number}: {line[:120]}")


if __name__ == "__main__":
    main()
