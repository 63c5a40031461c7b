#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU workloads in Numba on all cores, as JSON for charts.py. The same sizes and data as bench_cpu.

    peers_cpu.py RESULT.json [--quick]
"""
import json
import math
import statistics
import sys
import time

try:
    import numpy as np

    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # the name that older releases of Numba expect
    from numba import get_num_threads, njit, prange, vectorize
except Exception as missing:  # an installed library may fail to load, too
    sys.exit(f"not measured, Numba: {missing}")

ROUNDS, SAMPLE = (3, 0.03) if "--quick" in sys.argv else (9, 0.2)
f32 = np.float32
rows = {}


def keep(workload, ms):
    rows.setdefault(workload, []).append({"name": "Numba parallel", "ms": ms})
    print(f"| {workload} | {ms:.4f} ms |", flush=True)


def milliseconds(run, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats * 1e3


def measure(workload, run):
    run()
    repeats = max(1, int(SAMPLE * 1e3 / max(milliseconds(run, 1), 1e-4)))
    keep(workload, statistics.median(milliseconds(run, repeats) for _ in range(ROUNDS)))


n, side, bodies, grid = 1 << 24, 2048, 8192, 4096
i = np.arange(n, dtype=np.uint32)
x = (f32(0.1) + ((i * np.uint32(2654435761)) >> np.uint32(8)).astype(f32) / f32(16777216)).astype(f32)
y = (f32(0.1) + ((i * np.uint32(40503)) & np.uint32(0xFFFF)).astype(f32) / f32(65536)).astype(f32)
spot, strike, years = x * f32(90) + f32(10), y * f32(90) + f32(10), x + f32(0.1)
z = np.empty_like(x)


@vectorize(["float32(float32)"], target="parallel")
def copy(x):
    return x


@vectorize(["float32(float32,float32,float32)"], target="parallel")
def saxpy(a, x, y):
    return a * x + y


@vectorize(["float32(float32,float32)"], target="parallel")
def transcendental(x, y):
    return math.exp(x) * math.sin(y) + math.log(x)


@vectorize(["float32(float32,float32,float32)"], target="parallel")
def black_scholes(s, k, t):
    v, r = f32(0.3), f32(0.02)
    q = math.sqrt(t)
    d1 = (math.log(s / k) + (r + f32(0.5) * v * v) * t) / (v * q)
    d2 = d1 - v * q
    half, root = f32(0.5), f32(0.70710678)
    return s * half * math.erfc(-d1 * root) - k * math.exp(-r * t) * half * math.erfc(-d2 * root)


@njit(parallel=True, fastmath=True)
def total(x):
    s = f32(0)
    for j in prange(x.size):
        s += x[j]
    return s


@njit(parallel=True)
def mandelbrot(out, limit):
    for py in prange(out.shape[0]):
        for px in range(out.shape[1]):
            cr = f32(-2) + f32(3) * f32(px) / f32(out.shape[1])
            ci = f32(-1.5) + f32(3) * f32(py) / f32(out.shape[0])
            zr, zi, k = f32(0), f32(0), 0
            while k < limit and zr * zr + zi * zi < f32(4):
                zr, zi = zr * zr - zi * zi + cr, f32(2) * zr * zi + ci
                k += 1
            out[py, px] = k


@njit(parallel=True, fastmath=True)
def nbody(x, y, z, force):
    for j in prange(x.size):
        ax, ay, az = f32(0), f32(0), f32(0)
        for k in range(x.size):
            dx, dy, dz = x[k] - x[j], y[k] - y[j], z[k] - z[j]
            inverse = f32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + f32(1e-6))
            s = inverse * inverse * inverse
            ax += dx * s
            ay += dy * s
            az += dz * s
        force[j] = ax + ay + az


@njit(parallel=True)
def jacobi(u, v):
    for r in prange(1, u.shape[0] - 1):
        for c in range(1, u.shape[1] - 1):
            v[r, c] = f32(0.25) * (u[r, c - 1] + u[r, c + 1] + u[r - 1, c] + u[r + 1, c])


@njit(parallel=True, fastmath=True)
def product(a, b, c):
    for r in prange(a.shape[0]):
        c[r, :] = f32(0)
        for k in range(a.shape[1]):
            for i in range(b.shape[1]):
                c[r, i] += a[r, k] * b[k, i]


@njit(parallel=True)
def transpose(u, v):
    for tile in prange(u.shape[0] // 32):
        for first in range(0, u.shape[1], 32):
            for c in range(first, first + 32):
                for r in range(tile * 32, tile * 32 + 32):
                    v[c, r] = u[r, c]


@njit(parallel=True, fastmath=True)
def scan(x, out, parts):
    sums = np.zeros(parts + 1, f32)
    length = x.size // parts
    for p in prange(parts):
        s = f32(0)
        for j in range(p * length, (p + 1) * length):
            s += x[j]
        sums[p + 1] = s
    sums = np.cumsum(sums)
    for p in prange(parts):
        s = sums[p]
        for j in range(p * length, (p + 1) * length):
            s += x[j]
            out[j] = s


@njit(parallel=True)
def histogram(words, counts, parts):
    own = np.zeros((parts, 256), np.uint32)
    length = words.size // parts
    for p in prange(parts):
        for j in range(p * length, (p + 1) * length):
            own[p, words[j] & np.uint32(255)] += np.uint32(1)
    for p in range(parts):
        counts += own[p]


@njit(parallel=True)
def radix_sort(keys, between, out, parts):
    length = keys.size // parts
    starts = np.empty((parts, 256), np.int64)
    for step in range(4):
        source = keys if step == 0 else (out if step == 2 else between)
        target = out if step % 2 else between
        shift = np.uint32(8 * step)
        starts[:] = 0
        for p in prange(parts):
            for j in range(p * length, (p + 1) * length):
                starts[p, (source[j] >> shift) & np.uint32(255)] += 1
        run = 0
        for d in range(256):
            for p in range(parts):
                count = starts[p, d]
                starts[p, d] = run
                run += count
        for p in prange(parts):
            for j in range(p * length, (p + 1) * length):
                d = (source[j] >> shift) & np.uint32(255)
                target[starts[p, d]] = source[j]
                starts[p, d] += 1


@vectorize(["float32(float32,float32)"])
def add(x, y):
    return x + y


def new_kernel(make, rounds=5):
    """Compiling a signature ahead; each has a constant of its own."""
    times = []
    for k in range(rounds + 1):
        start = time.perf_counter()
        make(f32(time.time_ns() % 65536 + k))
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


counts, u, v = np.empty((side, side), np.int32), x.reshape(grid, grid), z.reshape(grid, grid)
bx, by, bz, force = x[:bodies].copy(), y[:bodies].copy(), spot[:bodies].copy(), np.empty(bodies, f32)
small_x, small_y, small_z = x[:16].copy(), y[:16].copy(), np.empty(16, f32)
a, b, c = (v[:1024 * 1024].reshape(1024, 1024) for v in (x, y, np.empty_like(x)))
keys, between, ordered = i * np.uint32(2654435761) ^ i >> np.uint32(7), np.empty(n, np.uint32), np.empty(n, np.uint32)
parts, bins = 1 << (get_num_threads() - 1).bit_length(), np.zeros(256, np.uint32)
measure("copy 2^24", lambda: copy(x, z))
measure("saxpy 2^24", lambda: saxpy(f32(2), x, y, z))
measure("exp*sin+log 2^24", lambda: transcendental(x, y, z))
measure("Black-Scholes 2^24", lambda: black_scholes(spot, strike, years, z))
measure("sum 2^24", lambda: total(x))
measure("mandelbrot 2048^2", lambda: mandelbrot(counts, 256))
measure("n-body 8192", lambda: nbody(bx, by, bz, force))
measure("Jacobi 4096^2", lambda: jacobi(u, v))
measure("matrix product 1024", lambda: product(a, b, c))
measure("transpose 4096^2", lambda: transpose(u, v))
assert (v == u.T).all()
measure("inclusive scan 2^24", lambda: scan(x, z, parts))
measure("histogram 2^24", lambda: histogram(keys, bins, parts))
measure("radix sort u32 2^24", lambda: radix_sort(keys, between, ordered, parts))
assert (ordered == np.sort(keys)).all()
measure("launch on the CPU, vectorize, 16 elements", lambda: add(small_x, small_y, small_z))
keep("new kernel on the CPU, saxpy",
     new_kernel(lambda c: vectorize(["float32(float32,float32,float32)"], target="parallel")(lambda a, x, y: a * x + y + c)))

with open(sys.argv[1], "w") as out:
    json.dump({"machine": "CPU", "rows": [{"workload": w, "candidates": c} for w, c in rows.items()]}, out, indent=1)
