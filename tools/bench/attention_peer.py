#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's attention and its gradients beside bench_attention: tools/bench/attention_peer.py [HEADS] [POSITIONS]."""
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attention

LAUNCHES, RUNS = 10, 5


def least_time(call):
    least = float("inf")
    for run in range(RUNS + 1):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            call()
        torch.cuda.synchronize()
        if run:  # the first one compiles
            least = min(least, (time.perf_counter() - start) / LAUNCHES)
    return least


heads, positions = (int(a) for a in (sys.argv[1:] + ["64", "4096"][len(sys.argv) - 1 :]))
for size in 64, 128:
    for causal in False, True:
        operands = [torch.randn(1, heads, positions, size, device="cuda", dtype=torch.float16, requires_grad=True) for _ in range(3)]
        change = torch.randn(1, heads, positions, size, device="cuda", dtype=torch.float16)
        for backend in SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION:
            with sdpa_kernel(backend):
                with torch.no_grad():
                    forward = least_time(lambda: attention(*operands, is_causal=causal))
                result = attention(*operands, is_causal=causal)
                back = least_time(lambda: torch.autograd.grad(result, operands, change, retain_graph=True))
            word = ", causal" if causal else ""
            for what, seconds, products in ("forward", forward, 2), ("gradients", back, 5):
                flops = products * 2 * heads * positions**2 * size * (0.5 if causal else 1)
                print(f"| {what}, heads of {size}{word}, {heads} x {positions} | {backend.name} | {seconds * 1e3:.3f} ms | {flops / seconds * 1e-12:.1f} TFLOP/s |")
