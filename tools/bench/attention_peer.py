#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's attention, forward, beside bench_attention: tools/bench/attention_peer.py [HEADS] [POSITIONS]."""
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attention

LAUNCHES, RUNS = 10, 5


def least_time(causal, operands):
    least = float("inf")
    for run in range(RUNS + 1):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            attention(*operands, is_causal=causal)
        torch.cuda.synchronize()
        if run:  # the first one compiles
            least = min(least, (time.perf_counter() - start) / LAUNCHES)
    return least


heads, positions = (int(a) for a in (sys.argv[1:] + ["64", "4096"][len(sys.argv) - 1 :]))
for size in 64, 128:
    for causal in False, True:
        operands = [torch.randn(1, heads, positions, size, device="cuda", dtype=torch.float16) for _ in range(3)]
        for backend in SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION:
            with sdpa_kernel(backend):
                seconds = least_time(causal, operands)
            flops = 4 * heads * positions**2 * size * (0.5 if causal else 1)
            word = ", causal" if causal else ""
            print(f"| heads of {size}{word}, {heads} x {positions} | {backend.name} | {seconds * 1e3:.3f} ms | {flops / seconds * 1e-12:.1f} TFLOP/s |")
