#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels take, fresh and kept: no kernel may use more registers, local or shared bytes because it came from a cache.

    registers.py FOLDER_OF_PROGRAMS libprint_registers.so [PROGRAM ...]

Each program runs three times: without caches, on an empty folder, and on the folder that the second run filled. Exit status 1 where
a kernel takes more than without caches, or none came from the disk in the third run; 77 without a CUDA device.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# They run in one folder, in order.
ARGUMENTS = {"04_mandelbrot": ["mandelbrot.png"], "05_image_pipeline": ["mandelbrot.png", "edges.png"], "bench_gpu": ["cuda", "--quick"]}
QUANTITIES = ("registers", "local bytes", "shared bytes")


def kernels_of(command, library, pictures, **variables):
    """What the kernels of a run take, by hash and number, and how many came from the disk."""
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as listing:
        environment = {**os.environ, **variables, "LD_PRELOAD": str(library), "KRAIT_TEST_REGISTERS": listing.name,
                       "KRAIT_DEVICE": "cuda", "KRAIT_TIERS": "off"}
        done = subprocess.run(command, env=environment, cwd=pictures, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{command[0]} failed ({done.returncode}):\n{done.stdout[-2000:]}")
        # Kernels of one recording with different launch facts share a hash.
        taken, from_disk = {}, 0
        for line in sorted(listing):
            key, name, disk, *amounts = line.strip().split("|")
            taken.setdefault((key, name), []).append(tuple(map(int, amounts)))
            from_disk += int(disk)
        return {key: sorted(amounts) for key, amounts in taken.items()}, from_disk


def worse(fresh, kept):
    """A line for each quantity of which a kernel of `kept` takes more."""
    lines = []
    for (key, name), amounts in kept.items():
        before = fresh.get((key, name))
        if before is None or len(before) != len(amounts):
            lines.append(f"{name} ({key}): not the same kernels, {before} and {amounts}")
            continue
        lines += [f"{name} ({key}): {b[q]} {what} fresh, {a[q]} kept" for b, a in zip(before, amounts)
                  for q, what in enumerate(QUANTITIES) if a[q] > b[q]]
    return lines


def check(command, library, pictures):
    """The number of kernels; ends the test where one is worse."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"KRAIT_CACHE_DIR": folder + "/krait", "CUDA_CACHE_PATH": folder + "/driver", "KRAIT_CACHE": "rw"}
        fresh, _ = kernels_of(command, library, pictures, KRAIT_CACHE="memory", CUDA_CACHE_DISABLE="1")
        cold, _ = kernels_of(command, library, pictures, **caches)
        warm, from_disk = kernels_of(command, library, pictures, **caches)
    lines = worse(fresh, cold) + worse(fresh, warm)
    if fresh and not from_disk:
        lines.append("no kernel of the third run came from the disk")
    print(f"{pathlib.Path(command[0]).name}: {sum(map(len, fresh.values()))} kernels, {from_disk} from the disk,",
          "as fresh" if not lines else "WORSE:\n  " + "\n  ".join(lines), flush=True)
    return sum(map(len, fresh.values())), not lines


def main():
    folder, library = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    # The comparison sees each quantity, and kernels that are missing.
    some = {("0", "k"): [(32, 0, 128)]}
    for q in range(3):
        more = tuple(v + (i == q) for i, v in enumerate((32, 0, 128)))
        assert worse(some, {("0", "k"): [more]}) and not worse({("0", "k"): [more]}, some)
    assert worse({}, some)
    if subprocess.run([folder / "krait", "devices"], stdout=subprocess.PIPE, text=True).stdout.find("cuda:0") < 0:
        print("skipped: no CUDA device")
        return 77
    programs = sys.argv[3:] or sorted(p.name for pattern in ("[0-9][0-9]_*", "bench_gpu") for p in folder.glob(pattern))
    with tempfile.TemporaryDirectory() as pictures:
        counts = [check([str(folder / name), *ARGUMENTS.get(name, [])], library, pictures) for name in programs]
    print(f"{sum(n for n, _ in counts)} kernels of {len(counts)} programs")
    return 0 if all(good for _, good in counts) and sum(n for n, _ in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
