#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU workloads in CuPy, Numba, PyTorch and Triton, whichever are installed; medians of event times, as JSON for charts.py.

    peers.py RESULT.json
"""
import importlib
import json
import math
import statistics
import sys

import numpy as np


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"not measured: {missing}")
        return None


cp = importlib.import_module("cupy")  # arrays and events of all the others
torch, triton = optional("torch"), optional("triton")
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # the name that numba-cuda expects
numba = optional("numba")

N = 1 << 28
rows = {}


def median_ms(run, rounds=21, warm=3):
    for _ in range(warm):
        run()
    cp.cuda.Device().synchronize()
    times = []
    for _ in range(rounds):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop))
    return statistics.median(times)


def measure(workload, name, run, bytes_moved=0):
    ms = median_ms(run)
    rows.setdefault(workload, []).append({"name": name, "ms": ms})
    print(f"| {workload} | {name} | {ms:.4f} ms |" + (f" {bytes_moved / ms / 1e6:.0f} GB/s |" if bytes_moved else ""), flush=True)


x = cp.random.random(N, dtype=cp.float32) + np.float32(0.1)
y = cp.random.random(N, dtype=cp.float32) + np.float32(0.1)
z = cp.empty_like(x)
two = np.float32(2)

saxpy = cp.ElementwiseKernel("float32 a, float32 x, float32 y", "float32 z", "z = a * x + y", "saxpy")
measure("saxpy 2^28", "CuPy", lambda: saxpy(two, x, y, z), 12 * N)
S, K, T = x * 90 + 10, y * 90 + 10, cp.random.random(N, dtype=cp.float32) * 2 + np.float32(0.1)
C, P = cp.empty_like(x), cp.empty_like(x)
black_scholes = cp.ElementwiseKernel(
    "float32 s, float32 k, float32 t", "float32 c, float32 p",
    """float v = 0.3f, r = 0.02f, q = sqrtf(t), d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
       float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
       c = s * n1 - k * e * n2; p = k * e * (1 - n2) - s * (1 - n1);""", "black_scholes")
measure("Black-Scholes 2^28", "CuPy", lambda: black_scholes(S, K, T, C, P), 20 * N)
measure("sum 2^28", "CuPy", lambda: cp.sum(x), 4 * N)
measure("inclusive scan 2^28", "CuPy", lambda: cp.cumsum(x, out=z), 8 * N)
side = 16384
A, B = x[: side * side].reshape(side, side), cp.empty((side, side), dtype=cp.float32)
measure("transpose 16384^2", "CuPy", lambda: cp.copyto(B, A.T), 8 * side * side)

if torch:
    tx, ty, tz = torch.as_tensor(x, device="cuda"), torch.as_tensor(y, device="cuda"), torch.as_tensor(z, device="cuda")
    measure("saxpy 2^28", "PyTorch", lambda: torch.add(ty, tx, alpha=2.0, out=tz), 12 * N)
    measure("sum 2^28", "PyTorch", lambda: torch.sum(tx), 4 * N)
    measure("inclusive scan 2^28", "PyTorch", lambda: torch.cumsum(tx, 0, out=tz), 8 * N)
    tA, tB = torch.as_tensor(A, device="cuda"), torch.as_tensor(B, device="cuda")
    measure("transpose 16384^2", "PyTorch", lambda: tB.copy_(tA.t()), 8 * side * side)
    a, b = torch.randn(4096, 4096, device="cuda"), torch.randn(4096, 4096, device="cuda")
    c = torch.empty_like(a)
    torch.backends.cuda.matmul.allow_tf32 = False
    measure("SGEMM 4096, tiles of 16", "PyTorch (cuBLAS)", lambda: torch.matmul(a, b, out=c))
if torch and triton:
    import triton.language as tl

    @triton.jit
    def triton_saxpy(xp, yp, zp, a, n, block: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
        inside = at < n
        tl.store(zp + at, a * tl.load(xp + at, mask=inside) + tl.load(yp + at, mask=inside), mask=inside)

    measure("saxpy 2^28", "Triton", lambda: triton_saxpy[(triton.cdiv(N, 4096),)](tx, ty, tz, 2.0, N, block=4096), 12 * N)

if numba:
    from numba import cuda

    dx, dy, dz = cuda.as_cuda_array(x), cuda.as_cuda_array(y), cuda.as_cuda_array(z)

    @cuda.jit
    def numba_saxpy(a, x, y, z):
        i, step = cuda.grid(1), cuda.gridsize(1)
        while i < x.shape[0]:
            z[i] = a * x[i] + y[i]
            i += step

    measure("saxpy 2^28", "Numba", lambda: numba_saxpy[132 * 16, 256](two, dx, dy, dz), 12 * N)

    @cuda.jit
    def numba_mandelbrot(out, limit):
        x, y = cuda.grid(2)
        if y < out.shape[0] and x < out.shape[1]:
            cr = np.float32(-2) + np.float32(3) * np.float32(x) / np.float32(out.shape[1])
            ci = np.float32(-1.5) + np.float32(3) * np.float32(y) / np.float32(out.shape[0])
            zr, zi, k = np.float32(0), np.float32(0), 0
            while k < limit and zr * zr + zi * zi < np.float32(4):
                zr, zi = zr * zr - zi * zi + cr, np.float32(2) * zr * zi + ci
                k += 1
            out[y, x] = k

    counts = cuda.device_array((8192, 8192), np.int32)
    measure("mandelbrot 8192^2, 256", "Numba", lambda: numba_mandelbrot[(256, 1024), (32, 8)](counts, 256))

    @cuda.jit
    def numba_jacobi(u, v):
        x, y = cuda.grid(2)
        if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
            v[y, x] = np.float32(0.25) * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x])

    dA, dB = cuda.as_cuda_array(A), cuda.as_cuda_array(B)
    measure("Jacobi 16384^2", "Numba", lambda: numba_jacobi[(side // 32, side // 8), (32, 8)](dA, dB), 8 * side * side)

    @cuda.jit
    def numba_nbody(x, y, z, force):
        i = cuda.grid(1)
        if i < x.shape[0]:
            ax, ay, az = np.float32(0), np.float32(0), np.float32(0)
            for j in range(x.shape[0]):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                s = np.float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + np.float32(1e-6))
                s = s * s * s
                ax += dx * s
                ay += dy * s
                az += dz * s
            force[i] = ax + ay + az

    n = 65536
    bx, by, bz, bf = (cuda.as_cuda_array(v[:n]) for v in (x, y, S, z))
    measure("n-body 65536, untiled", "Numba", lambda: numba_nbody[n // 256, 256](bx, by, bz, bf))

result = {"machine": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(), "rows": [{"workload": w, "candidates": c} for w, c in rows.items()]}
with open(sys.argv[1], "w") as out:
    json.dump(result, out, indent=1)
