#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU workloads in CuPy, Numba, PyTorch and Triton, whichever are installed; medians of event times, as JSON for charts.py.

    peers.py RESULT.json

CuPy makes the arrays and events of all. No cache on disk serves the first calls: each new kernel has a constant of its own, and
the libraries' cache folders are fresh.
"""
import importlib
import json
import math
import os
import statistics
import sys
import tempfile
import time

fresh = tempfile.TemporaryDirectory(prefix="krait-bench-")
os.environ.update(CUDA_CACHE_DISABLE="1", CUPY_CACHE_DIR=fresh.name + "/cupy", TRITON_CACHE_DIR=fresh.name + "/triton")


def optional(name):
    try:
        return importlib.import_module(name)
    except Exception as missing:  # an installed library may fail to load, too
        print(f"not measured: {missing}", flush=True)
        return None


np, cp = optional("numpy"), optional("cupy")
if not cp:
    sys.exit(1)
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


def keep(workload, name, ms, more=""):
    rows.setdefault(workload, []).append({"name": name, "ms": ms})
    print(f"| {workload} | {name} | {ms:.4f} ms |{more}", flush=True)


def part(body):
    """Runs what it decorates; what fails is named and leaves the rest alone."""
    try:
        body()
    except Exception as wrong:
        print(f"not measured, {body.__name__}: {type(wrong).__name__}: {wrong}", flush=True)


def measure(workload, name, run, bytes_moved=0):
    try:
        ms = median_ms(run)
    except Exception as wrong:
        print(f"not measured, {workload} in {name}: {type(wrong).__name__}: {wrong}", flush=True)
        return
    keep(workload, name, ms, f" {bytes_moved / ms / 1e6:.0f} GB/s |" if bytes_moved else "")


def launch_cost(name, call, batch=500, rounds=21):
    """Host time of a call, ms."""
    call()
    cp.cuda.Device().synchronize()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        times.append((time.perf_counter() - start) / batch)
        cp.cuda.Device().synchronize()
    keep("launch, 4 arguments", name, statistics.median(times) * 1e3)


def first_call(workload, name, make_and_call, rounds=7):
    """From the definition of a kernel that nobody has seen to its result, in a warm process."""
    salt, times = time.time_ns() % 65536, []
    for i in range(rounds + 1):
        start = time.perf_counter()
        make_and_call(salt + i / 64)
        cp.cuda.Device().synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    keep(workload, name, statistics.median(times[1:]), f" first {times[0]:.1f} ms |")


x = cp.random.random(N, dtype=cp.float32) + np.float32(0.1)
y = cp.random.random(N, dtype=cp.float32) + np.float32(0.1)
z = cp.empty_like(x)
S, K, T = x * 90 + 10, y * 90 + 10, cp.random.random(N, dtype=cp.float32) * 2 + np.float32(0.1)
side = 16384
A, B = x[: side * side].reshape(side, side), cp.empty((side, side), dtype=cp.float32)
keys = cp.random.randint(0, 1 << 32, 1 << 26, dtype=cp.uint32)
two = np.float32(2)
SMALL = 4096
sx, sy, sz = x[:SMALL], y[:SMALL], z[:SMALL]
black_scholes_call = """float v = 0.3f, r = 0.02f, q = sqrtf(t), d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
       float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
       c = s * n1 - k * e * n2"""


@part
def in_cupy():
    C, P = cp.empty_like(x), cp.empty_like(x)
    saxpy = cp.ElementwiseKernel("float32 a, float32 x, float32 y", "float32 z", "z = a * x + y", "saxpy")
    black_scholes = cp.ElementwiseKernel("float32 s, float32 k, float32 t", "float32 c, float32 p",
                                         black_scholes_call + "; p = k * e * (1 - n2) - s * (1 - n1);", "black_scholes")
    measure("copy 2^28", "CuPy", lambda: cp.copyto(z, x), 8 * N)
    measure("saxpy 2^28", "CuPy", lambda: saxpy(two, x, y, z), 12 * N)
    measure("Black-Scholes 2^28", "CuPy", lambda: black_scholes(S, K, T, C, P), 20 * N)
    measure("sum 2^28", "CuPy", lambda: cp.sum(x), 4 * N)
    measure("inclusive scan 2^28", "CuPy", lambda: cp.cumsum(x, out=z), 8 * N)
    measure("radix sort u32 2^26", "CuPy", lambda: cp.sort(keys))
    measure("transpose 16384^2", "CuPy", lambda: cp.copyto(B, A.T), 8 * side * side)
    four = cp.RawKernel('extern "C" __global__ void four(float* z, float a, float b, float c) { if (threadIdx.x + blockIdx.x == 0) z[0] = a + b + c; }', "four")
    launch_cost("CuPy", lambda: four((4,), (128,), (sz, two, two, two)))
    first_call("new kernel, saxpy", "CuPy", lambda c: cp.ElementwiseKernel("float32 a, float32 x, float32 y", "float32 z", f"z = a * x + y + {c}f", "saxpy")(two, sx, sy, sz))
    first_call("new kernel, Black-Scholes", "CuPy",
               lambda c: cp.ElementwiseKernel("float32 s, float32 k, float32 t", "float32 c", f"{black_scholes_call} + {c}f;", "black_scholes")(sx, sy, two, sz))


@part
def in_torch():
    if not torch:
        return
    tx, ty, tz = (torch.as_tensor(v, device="cuda") for v in (x, y, z))
    measure("copy 2^28", "PyTorch", lambda: tz.copy_(tx), 8 * N)
    measure("saxpy 2^28", "PyTorch", lambda: torch.add(ty, tx, alpha=2.0, out=tz), 12 * N)
    measure("sum 2^28", "PyTorch", lambda: torch.sum(tx), 4 * N)
    measure("inclusive scan 2^28", "PyTorch", lambda: torch.cumsum(tx, 0, out=tz), 8 * N)
    tA, tB = torch.as_tensor(A, device="cuda"), torch.as_tensor(B, device="cuda")
    measure("transpose 16384^2", "PyTorch", lambda: tB.copy_(tA.t()), 8 * side * side)
    signed = torch.as_tensor(keys.view(cp.int32), device="cuda")
    measure("radix sort u32 2^26", "PyTorch (with indices)", lambda: torch.sort(signed))
    a, b = torch.randn(4096, 4096, device="cuda"), torch.randn(4096, 4096, device="cuda")
    c = torch.empty_like(a)
    torch.backends.cuda.matmul.allow_tf32 = False
    measure("SGEMM 4096, tiles of 16", "PyTorch (cuBLAS)", lambda: torch.matmul(a, b, out=c))
    small = tz[:16]
    launch_cost("PyTorch add", lambda: torch.add(small, small, out=small))


@part
def in_triton():
    if not (torch and triton):
        return
    import triton_kernels as kernels

    tx, ty, tz = (torch.as_tensor(v, device="cuda") for v in (x, y, z))
    measure("saxpy 2^28", "Triton", lambda: kernels.saxpy[(triton.cdiv(N, 4096),)](tx, ty, tz, 2.0, N, 0.0, block=4096), 12 * N)
    launch_cost("Triton", lambda: kernels.four[(4,)](tz, 1.0, 2.0, 3.0))
    first_call("new kernel, saxpy", "Triton", lambda c: kernels.saxpy[(SMALL // 1024,)](tx, ty, tz, 2.0, SMALL, c, block=1024))


@part
def in_numba():
    if not numba:
        return
    from numba import cuda

    def make_saxpy(constant):
        @cuda.jit
        def numba_saxpy(a, x, y, z):
            i, step = cuda.grid(1), cuda.gridsize(1)
            while i < x.shape[0]:
                z[i] = a * x[i] + y[i] + constant
                i += step

        return numba_saxpy

    @cuda.jit
    def numba_saxpy(a, x, y, z):
        i, step = cuda.grid(1), cuda.gridsize(1)
        while i < x.shape[0]:
            z[i] = a * x[i] + y[i]
            i += step

    def make_black_scholes(constant):
        @cuda.jit
        def numba_black_scholes(t, spot, strike, call):
            i = cuda.grid(1)
            if i < spot.shape[0]:
                s, k, v, r = spot[i], strike[i], np.float32(0.3), np.float32(0.02)
                q = math.sqrt(t)
                d1 = (math.log(s / k) + (r + np.float32(0.5) * v * v) * t) / (v * q)
                d2 = d1 - v * q
                half, root = np.float32(0.5), np.float32(0.70710678)
                call[i] = s * half * math.erfc(-d1 * root) - k * math.exp(-r * t) * half * math.erfc(-d2 * root) + constant

        return numba_black_scholes

    @cuda.jit
    def four(z, a, b, c):
        if cuda.grid(1) == 0:
            z[0] = a + b + c

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

    @cuda.jit
    def numba_jacobi(u, v):
        x, y = cuda.grid(2)
        if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
            v[y, x] = np.float32(0.25) * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x])

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

    dx, dy, dz = (cuda.as_cuda_array(v) for v in (x, y, z))
    measure("saxpy 2^28", "Numba", lambda: numba_saxpy[132 * 16, 256](two, dx, dy, dz), 12 * N)
    counts = cuda.device_array((8192, 8192), np.int32)
    measure("mandelbrot 8192^2, 256", "Numba", lambda: numba_mandelbrot[(256, 1024), (32, 8)](counts, 256))
    dA, dB = cuda.as_cuda_array(A), cuda.as_cuda_array(B)
    measure("Jacobi 16384^2", "Numba", lambda: numba_jacobi[(side // 32, side // 8), (32, 8)](dA, dB), 8 * side * side)
    n = 65536
    bx, by, bz, bf = (cuda.as_cuda_array(v[:n]) for v in (x, y, S, z))
    measure("n-body 65536, untiled", "Numba", lambda: numba_nbody[n // 256, 256](bx, by, bz, bf))
    small_x, small_y, small_z = (cuda.as_cuda_array(v) for v in (sx, sy, sz))
    launch_cost("Numba", lambda: four[4, 128](small_z, two, two, two))
    first_call("new kernel, saxpy", "Numba", lambda c: make_saxpy(np.float32(c))[SMALL // 256, 256](two, small_x, small_y, small_z))
    first_call("new kernel, Black-Scholes", "Numba", lambda c: make_black_scholes(np.float32(c))[SMALL // 256, 256](two, small_x, small_y, small_z))


result = {"machine": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(), "rows": [{"workload": w, "candidates": c} for w, c in rows.items()]}
with open(sys.argv[1], "w") as out:
    json.dump(result, out, indent=1)
