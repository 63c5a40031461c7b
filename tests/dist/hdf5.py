# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hdf5.py LAUNCHER RANKS PROGRAM: ranks read what h5py wrote, in all its layouts, and h5py reads what they wrote."""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as e:
    print(f"skipped: {e} (Debian: python3-h5py)")
    sys.exit(77)

launcher, ranks, program = sys.argv[1:]
if not shutil.which(launcher):
    print(f"skipped: there is no {launcher} (Debian: openmpi-bin or mpich)")
    sys.exit(77)
x = np.arange(35 * 44, dtype=np.float64).reshape(35, 44)
wanted = {
    "plain": x,
    "packed": x + 1,
    "big_endian": x + 2,
    "unwritten": np.full((7, 5), 2.5),
    "flags": np.arange(11) % 3 == 0,
    "half": np.arange(9).astype(np.float16),
    "number": np.array([4.5]),
    "waves": np.arange(10) + 1j * np.arange(10)[::-1],
}
with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/h5py.h5"
    with h5py.File(path, "w", userblock_size=4096, libver="latest", fs_strategy="page", fs_page_size=4096) as f:
        f["plain"] = x
        f.create_dataset("packed", data=x + 1, chunks=(8, 16), compression="gzip", shuffle=True)
        f.create_dataset("big_endian", data=(x + 2).astype(">f8"))
        f.create_dataset("unwritten", (7, 5), "f8", fillvalue=2.5)
        for name in ("flags", "half", "waves"):
            f[name] = wanted[name]
        f["number"] = 4.5
    with open(path, "r+b") as f:
        f.write(b"a program's own")
    options = ["--oversubscribe"] if launcher.endswith("openmpi") else []
    run = subprocess.run([launcher, *options, "-n", ranks, program, "h5py", folder], timeout=120,
                         env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if run.returncode:
        sys.exit(run.returncode)
    failures = 0
    with h5py.File(f"{folder}/krait.h5") as f, h5py.File(path) as theirs:
        for name, value in [*wanted.items(), ("added/plain", x)]:
            got = theirs[name] if "/" in name else f[name]
            if got.dtype != value.dtype or got.shape != value.shape or not np.array_equal(got[()], value):
                print(f"{name}: {got.dtype} {got.shape}: {got[()]}")
                failures += 1
        if list(theirs) != sorted([*wanted, "added"]) or open(path, "rb").read(15) != b"a program's own":
            print(f"h5py's file has {list(theirs)}")
            failures += 1
    print(f"{len(wanted) + 2} checks, {failures} failures")
sys.exit(failures > 0)
